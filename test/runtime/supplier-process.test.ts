/** The simulated suppliers end with the process that started them, also when it is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { supplierProcess } from '#runtime/node/supplier-process.ts';
import { folder } from '../support/stored-data.ts';
import { within } from '../support/within.ts';

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

test('they end when their Reeve is killed', async () => {
  const source = resolve('lib/runtime/node/supplier-process.ts');
  const options = JSON.stringify({ port: 0, dataDir: join(folder(), 'suppliers') });
  const script = `import { supplierProcess } from '${source}';
console.log(await supplierProcess(${options}).url);`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
    // A group of its own, so that the test leaves no process.
    detached: true,
  });
  onTestFinished(() => endGroup(parent.pid));
  const [url] = await once(createInterface({ input: parent.stdout }), 'line');
  const response = await fetch(`${url}/healthz`);
  expect(response.status).toBe(200);
  parent.kill('SIGKILL');
  // The connection is closed by the end of the process that holds it.
  for (;;) {
    const isThere = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isThere) break;
  }
});

test('a stop kills them where they do not end by themselves', async () => {
  const dataDir = folder();
  const { url, stop } = supplierProcess({ port: 0, dataDir });
  onTestFinished(stop);
  const address = await url;
  // While another process writes, they wait for up to 5 s, and do nothing else.
  const lock = new DatabaseSync(join(dataDir, 'ledger.sqlite'));
  onTestFinished(() => lock.close());
  lock.exec('BEGIN IMMEDIATE');
  const cut = fetch(`${address}/payment/undo`, {
    method: 'POST',
    headers: { 'idempotency-key': 'u', 'content-type': 'application/json' },
    body: JSON.stringify({ performKey: 'k' }),
  }).catch(() => 'cut');
  const answers = () =>
    within(
      200,
      fetch(`${address}/healthz`).catch(() => 'cut'),
    );
  while ((await answers()) !== 'too late');
  expect(await within(3_000, stop())).toBeUndefined();
  expect(await cut).toBe('cut');
});
