/**
 * The crash test: real processes, real suppliers with faults, and SIGKILL at random instants. Finally every
 * accepted order has ended, the suppliers' ledgers agree to the unit, and each stored history replays to its record.
 *
 * npm run test:crash -- [--orders 300] [--kills 20] [--seed N]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { databaseIn } from '#runtime/local/data-directory.ts';
import { supplierProcess } from '#runtime/node/supplier-process.ts';
import { freePort, pause, seededRandom } from './chance.ts';
import { reconcile } from './reconcile.ts';
import { reeveProcess } from './reeve-process.ts';
import { replayAll } from './replay-all.ts';
import { submitAll, waitForEnds } from './submitter.ts';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '300' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const orders = Number(values.orders);
const kills = Number(values.kills);
const random = seededRandom(Number(values.seed));
console.log(`crash test: ${orders} orders, ${kills} kills, seed ${values.seed}`);

const directory = mkdtempSync(join(tmpdir(), 'reeve-crash-'));
const suppliers = supplierProcess({ port: 0, dataDir: join(directory, 'suppliers') });
const suppliersUrl = await suppliers.url;
const reeve = reeveProcess({
  port: await freePort(),
  dataDir: join(directory, 'reeve'),
  suppliersUrl,
});
try {
  for (const service of ['fraud', 'inventory', 'payment', 'shipping']) {
    await setFaults(service, { latencyMs: 30, transientRate: 0.15, hangRate: 0.02 });
  }
  await setFaults('payment', { declineRate: 0.1 });
  await reeve.start();

  const submitted = submitAll(reeve.url, orders, random);
  for (let kill = 1; kill <= kills; kill += 1) {
    await pause(50 + random() * 900);
    await reeve.kill();
    await reeve.start();
    process.stdout.write(`\rkilled ${kill} of ${kills}`);
  }
  const accepted = await submitted;
  await fetch(`${suppliersUrl}/faults`, { method: 'DELETE' });
  process.stdout.write(`\n${accepted.size} orders accepted; waiting for their ends\n`);

  const ends = await waitForEnds(reeve.url, accepted);
  const report = await reconcile(ends, suppliersUrl);
  await reeve.kill();
  const database = databaseIn(join(directory, 'reeve'));
  const unlike = await replayAll(database, [...accepted.keys()]);
  console.table({ ...report.counts, replayed: accepted.size - unlike.length });
  const faults = [...report.faults, ...unlike];
  for (const fault of faults) console.error(fault);
  console.log(faults.length === 0 ? 'reconciled to the unit' : 'DOES NOT RECONCILE');
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await reeve.kill();
  await suppliers.stop();
  rmSync(directory, { recursive: true });
}

async function setFaults(service: string, faults: Record<string, number>): Promise<void> {
  const response = await fetch(`${suppliersUrl}/faults/${service}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  });
  if (!response.ok) throw new Error(`suppliers refused faults: ${await response.text()}`);
}
