#!/usr/bin/env node
/** The simulated suppliers as a process: prints its address as one line of JSON when it listens. */
import { parseArgs } from 'node:util';
import { describeError } from '#core/model/errors.ts';
import { startSuppliers } from '#suppliers/start-suppliers.ts';

const PORT_MAX = 65_535;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4401' },
    data: { type: 'string', default: '.reeve-suppliers' },
    'with-parent': { type: 'boolean', default: false },
  },
});

const port = Number(values.port);
if (!/^\d+$/.test(values.port) || port > PORT_MAX) {
  console.error(`--port ${values.port}: a port is a number from 0 (any free one) to ${PORT_MAX}`);
  process.exit(2);
}

const suppliers = await startSuppliers({ port, dataDir: values.data }).catch((error: unknown) => {
  console.error(
    `The simulated suppliers cannot start on port ${port} with ${values.data}: ${describeError(error)}`,
  );
  process.exit(2);
});

let stopping = false;
const stop = () => {
  if (stopping) return;
  stopping = true;
  // A failed close is an unhandled rejection, which ends the process with a stack trace.
  void suppliers.close().then(() => process.exit(0));
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
if (values['with-parent']) {
  // The parent holds the other end of the pipe, which closes however the parent ends.
  process.stdin.on('end', stop).on('error', stop).resume();
}

console.log(JSON.stringify({ url: suppliers.url }));
