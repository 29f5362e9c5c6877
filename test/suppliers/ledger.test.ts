import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSuppliers } from '#suppliers/start-suppliers.ts';
import { inputs, scenario, tempDir } from './scenario.ts';

test('the ledger survives a restart, and the faults do not', async () => {
  const before = await scenario();
  const paid = await before.pay('k-1');
  await before.pay('k-2');
  await before.undoPay('k-2');
  await before.undoPay('k-3');
  await before.faults('payment', { declineRate: 1 });
  const declined = await before.pay('k-4');
  const entries = await before.entries();
  await before.close();

  const after = await scenario(before.dataDir);
  expect(await after.entries()).toEqual(entries);
  expect(await after.pay('k-1')).toEqual(paid);
  expect(await after.pay('k-2')).toMatchObject({ status: 409 });
  expect(await after.pay('k-3')).toMatchObject({ status: 409 });
  expect(await after.pay('k-4')).toEqual(declined);
  expect(await after.pay('k-5')).toMatchObject({ status: 200 });
  expect((await after.entries()).map(({ effects }) => effects)).toEqual([1, 1, 0, 0, 1]);
});

test('the ledger shows one order or all of them', async () => {
  const s = await scenario();
  await s.post('/inventory/perform', 'k-1', inputs.inventory);
  await s.post('/payment/perform', 'k-2', { ...inputs.payment, orderId: 'order 2/é' });
  const second = await s.entries(`?orderId=${encodeURIComponent('order 2/é')}`);
  expect(second).toMatchObject([{ service: 'payment', key: 'k-2', amountCents: 4200 }]);
  expect(await s.entries('?orderId=o-3')).toEqual([]);
  const all = await s.entries();
  expect(all.map(({ key }) => key)).toEqual(['k-1', 'k-2']);
  expect(all[0]).not.toHaveProperty('amountCents');
});

test('the summary counts the states of every service', async () => {
  const s = await scenario();
  const none = { applied: 0, undone: 0, declined: 0, tombstoned: 0 };
  await s.pay('k-1');
  await s.pay('k-2');
  await s.undoPay('k-2');
  await s.undoPay('k-3');
  await s.post('/fraud/perform', 'k-1', inputs.fraud);
  await s.faults('inventory', { declineRate: 1 });
  await s.post('/inventory/perform', 'k-1', inputs.inventory);
  expect((await s.call('GET', '/ledger/summary')).body).toEqual({
    fraud: { ...none, applied: 1 },
    inventory: { ...none, declined: 1 },
    payment: { ...none, applied: 1, undone: 1, tombstoned: 1 },
    shipping: none,
  });
});

test('a close ends a wait without the effect the wait was for', async () => {
  const s = await scenario();
  await s.faults('payment', { latencyMs: 1 });
  const arrived = Promise.withResolvers<void>();
  s.world.gate = new Promise(() => {});
  s.world.arrived = arrived.resolve;
  const cut = expect(s.pay('k-1')).rejects.toThrow();
  await arrived.promise;
  await s.close();
  await cut;
  const after = await scenario(s.dataDir);
  expect(await after.entries()).toEqual([]);
});

test('a second close does nothing', async () => {
  const s = await scenario();
  await s.close();
  await expect(s.close()).resolves.toBeUndefined();
});

test('the data directory is created, and the health page answers', async () => {
  const s = await scenario(join(tempDir(), 'not', 'there', 'yet'));
  expect(await s.call('GET', '/healthz')).toEqual({
    status: 200,
    body: { status: 'ok', service: 'suppliers' },
  });
});

test('a start on a taken port is refused', async () => {
  const s = await scenario();
  await expect(startSuppliers({ port: s.port, dataDir: tempDir() })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test('a start where the ledger cannot be read is refused', async () => {
  const dataDir = tempDir();
  writeFileSync(join(dataDir, 'ledger.sqlite'), 'this is no database, '.repeat(100));
  await expect(startSuppliers({ port: 0, dataDir })).rejects.toThrow('not a database');
});
