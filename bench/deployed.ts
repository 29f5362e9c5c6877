/**
 * The deployed stack under load: it is deployed into the emulator of `npm run test:deploy`, the rate of orders is
 * doubled until messages wait, then follows that limit for `--seconds` (600). All must be reconciled: see
 * deployed/reconciliation.ts. The limit is that of the emulator on this machine, and none of AWS. `npm run bench:deployed`, or
 * with `-- --json`; `--svg FILE` draws the ages of the queues. It ends with 1 when something is not reconciled.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { deployment } from './deployed/deployment.ts';
import { pageOf, svgOf } from './deployed/print.ts';
import { run } from './deployed/run.ts';

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    svg: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const seconds = Number(flags.seconds);
if (!(Number.isInteger(seconds) && seconds >= 10 && seconds <= 3_600))
  throw new Error(`--seconds ${flags.seconds}: how long orders come at the limit, 10 to 3600`);

// So that the emulator, which is a process group of its own, ends too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const stack = await deployment();
try {
  const report = await run(stack, seconds, (text) => process.stderr.write(`${text}\n`));
  if (flags.svg !== undefined) writeFileSync(flags.svg, svgOf(report));
  console.log(flags.json ? JSON.stringify(report) : pageOf(report));
  if (report.faults.length > 0) process.exitCode = 1;
} finally {
  await stack.close();
}
