/** Restate, with one partition: an order is an invocation with three durable steps. Arguments: orders, at once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as restate from '@restatedev/restate-sdk';
import { report } from './driver.mjs';

const [ingress, admin, node, service] = await Promise.all([1, 2, 3, 4].map(freePort));
const folder = mkdtempSync(join(tmpdir(), 'restate-'));
const { resolve } = createRequire(import.meta.filename);
const wrapper = resolve('@restatedev/restate-server/package.json');
const platform = `@restatedev/restate-server-${process.platform}-${process.arch}/package.json`;
const binary = join(dirname(createRequire(wrapper).resolve(platform)), 'bin', 'restate-server');
const server = spawn(binary, ['--base-dir', folder], {
  stdio: 'ignore',
  env: {
    ...process.env,
    RESTATE_LOG_FILTER: 'error',
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_DEFAULT_NUM_PARTITIONS: '1',
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
  },
});
process.on('exit', () => {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const orders = restate.service({
  name: 'orders',
  handlers: {
    async process(context, { order }) {
      const reserved = await context.run('reserve', async () => ({ id: order }));
      const charged = await context.run('charge', async () => ({ id: reserved.id }));
      return context.run('ship', async () => ({ id: charged.id }));
    },
  },
});
await restate.serve({ services: [orders], port: service });
const agent = new Agent({ keepAlive: true });
await registered();
await report((order) => post(ingress, '/orders/process', { order }), [server.pid]);
process.exit(0);

async function registered() {
  for (let tries = 0; tries < 300; tries += 1) {
    try {
      await post(admin, '/deployments', { uri: `http://127.0.0.1:${service}` });
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error('Restate does not start.');
}

async function post(port, path, body) {
  const sent = request({
    ...{ host: '127.0.0.1', port, path, agent, method: 'POST' },
    headers: { 'content-type': 'application/json' },
  });
  sent.end(JSON.stringify(body));
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const part of answer) text += part;
  if (answer.statusCode >= 300)
    throw new Error(`${path} was answered ${answer.statusCode}: ${text}`);
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}
