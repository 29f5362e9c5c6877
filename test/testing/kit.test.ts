/** The testing kit, as the test of an application uses it. */
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { scriptedAgent } from '#testing/kit/scripted-agent.ts';
import { testReeve } from '#testing/kit/test-reeve.ts';

const minutes = (count: number) => count * 60_000;
const days = (count: number) => count * 24 * minutes(60);

const stock = defineAgent({
  name: 'stock',
  input: z.strictObject({ article: z.string() }),
  output: z.strictObject({ shelf: z.int() }),
  undo: 'offered',
});
const payment = defineAgent({
  name: 'payment',
  input: z.strictObject({ shelf: z.int() }),
  output: z.strictObject({ charge: z.string() }),
  undo: 'offered',
});

const shop = defineWorkflow({
  name: 'shop',
  version: 1,
  details: z.strictObject({ article: z.string() }),
})
  .step('reserve', {
    agent: stock,
    input: ({ details: { article } }) => ({ article }),
    completeWithin: 5_000,
    retries: 1,
    coolDown: { after: days(7), times: 20 },
  })
  .step('pay', {
    agent: payment,
    after: ['reserve'],
    input: ({ outputs: { reserve } }) => ({ shelf: reserve.shelf }),
    completeWithin: 5_000,
    retries: 2,
    undo: { completeWithin: 5_000 },
  })
  .build();

async function shopInTest() {
  const reserve = scriptedAgent(stock, { shelf: 3 });
  const charge = scriptedAgent(payment, ({ shelf }) => ({ charge: `c${shelf}` }));
  const reeve = await testReeve({ workflows: [shop], agents: [reserve, charge] });
  return { reserve, charge, reeve };
}

test('an order is run to its end, and its outputs have the types of its workflow', async () => {
  const { reeve, reserve, charge } = await shopInTest();
  await using _ = reeve;
  const order = await reeve.submit(shop, { article: 'lamp' });
  const result = await reeve.run(order);
  expect(result).toEqual({
    state: 'Processed',
    outputs: { reserve: { shelf: 3 }, pay: { charge: 'c3' } },
  });
  if (result.state === 'Processed') expect(result.outputs.pay.charge).toBe('c3');
  expect(charge.calls.map(({ action, input }) => [action, input])).toEqual([
    ['perform', { shelf: 3 }],
  ]);
  expect([...reserve.effects, ...charge.effects]).toHaveLength(2);
});

test('a permanent fault is followed by the undo of what was done', async () => {
  const { reeve, reserve, charge } = await shopInTest();
  await using _ = reeve;
  charge.fails('declined', { effect: 'none' });
  const result = await reeve.run(await reeve.submit(shop, { article: 'lamp' }));
  expect(result).toMatchObject({ state: 'Undone', fault: { code: 'declined' } });
  expect(reserve.calls.map(({ action }) => action)).toEqual(['perform', 'undo']);
  expect([...reserve.effects, ...charge.effects]).toEqual([]);
});

test('a call that hangs is given up at its deadline, and tried again with the same key', async () => {
  const { reeve, charge } = await shopInTest();
  await using _ = reeve;
  charge.hangs();
  const begin = reeve.now();
  const result = await reeve.run(await reeve.submit(shop, { article: 'lamp' }));
  expect(result.state).toBe('Processed');
  const [first, second] = charge.calls;
  expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
  expect(second?.attempt).toBe(2);
  expect(reeve.now() - begin).toBeGreaterThan(5_000);
});

test('a slow service takes effect once, though its first answer comes too late', async () => {
  const { reeve, charge } = await shopInTest();
  await using _ = reeve;
  charge.isSlow(8_000);
  const result = await reeve.run(await reeve.submit(shop, { article: 'lamp' }));
  expect(result.state).toBe('Processed');
  expect(charge.effects.size).toBe(1);
});

test('an order waits for a service that is unreachable for 20 minutes, and is then processed', async () => {
  const { reeve, charge } = await shopInTest();
  await using _ = reeve;
  charge.unreachable(minutes(20));
  const orders = [];
  for (let number = 0; number < 8; number += 1)
    orders.push(await reeve.submit(shop, { article: `lamp ${number}` }));
  const states = [];
  for (const order of orders) states.push((await reeve.run(order)).state);
  expect(states).toContain('Processed');
  expect(states.filter((state) => state === 'Error')).toEqual([]);
});

test('months of cool-downs take no time', async () => {
  const { reeve, reserve } = await shopInTest();
  await using _ = reeve;
  for (let attempt = 0; attempt < 38; attempt += 1) reserve.hangs();
  const begin = reeve.now();
  const result = await reeve.run(await reeve.submit(shop, { article: 'lamp' }));
  expect(result.state).toBe('Processed');
  expect(reeve.now() - begin).toBeGreaterThan(days(100));
});

test('a process that ends after the effect, before the answer, performs nothing twice', async () => {
  const { reeve, charge } = await shopInTest();
  await using _ = reeve;
  charge.crashesAfterEffect();
  const result = await reeve.run(await reeve.submit(shop, { article: 'lamp' }));
  expect(result.state).toBe('Processed');
  expect(charge.calls).toHaveLength(2);
  expect(charge.effects.size).toBe(1);
});

test('what was stored before a kill is there after the restart, and the order goes on', async () => {
  const { reeve, reserve } = await shopInTest();
  await using _ = reeve;
  reserve.hangs();
  const order = await reeve.submit(shop, { article: 'lamp' });
  await reeve.kill();
  await expect(async () => reeve.submit(shop, { article: 'vase' })).rejects.toThrow(/restart/);
  await reeve.restart();
  const result = await reeve.run(reeve.order(shop, order.id));
  expect(result.state).toBe('Processed');
});

test('an undo that is refused for good leaves the order to an operator, who resubmits it', async () => {
  const { reeve, reserve, charge } = await shopInTest();
  await using _ = reeve;
  charge.fails('declined');
  reserve.onUndo.fails('locked', { effect: 'possible' });
  const order = await reeve.submit(shop, { article: 'lamp' });
  expect(await reeve.run(order)).toMatchObject({ state: 'Error', fault: { code: 'undo-stuck' } });
  await reeve.local.operator.resubmit(order.id, 'olga');
  expect((await reeve.run(order)).state).toBe('Undone');
});

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 10 * days(365) + 1])(
  'a time of %d ms is refused',
  async (ms) => {
    const { reeve, reserve, charge } = await shopInTest();
    await using _ = reeve;
    const refused = expect.objectContaining({ name: 'KitError', code: 'time-range' });
    await expect(reeve.advance(ms)).rejects.toEqual(refused);
    expect(() => reserve.isSlow(ms)).toThrow(refused);
    expect(() => reserve.onUndo.isSlow(ms)).toThrow(refused);
    expect(() => reserve.unreachable(ms)).toThrow(refused);
    expect(() => scriptedAgent(stock, { shelf: 3 }).unreachable(ms)).toThrow(refused);
    // None of them is in the script.
    expect(await reeve.run(await reeve.submit(shop, { article: 'lamp' }))).toMatchObject({
      state: 'Processed',
    });
    expect(charge.calls).toHaveLength(1);
  },
);

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 8_640_000_000_000_000])(
  'a begin of the time at %d is refused',
  async (startAt) => {
    await expect(testReeve({ workflows: [shop], agents: [], startAt })).rejects.toMatchObject({
      code: 'time-range',
    });
  },
);

test('a request that arrives after its order was undone has no effect', async () => {
  const { reeve, charge } = await shopInTest();
  await using _ = reeve;
  charge.isSlow(minutes(1));
  charge.fails('declined');
  const result = await reeve.run(await reeve.submit(shop, { article: 'lamp' }));
  expect(result.state).toBe('Undone');
  await reeve.advance(minutes(1));
  expect([...charge.effects]).toEqual([]);
});

test('a service that is unreachable before the start is so for this time from the start on', async () => {
  const reserve = scriptedAgent(stock, { shelf: 3 });
  const charge = scriptedAgent(payment, { charge: 'c' });
  reserve.unreachable(minutes(20));
  await using reeve = await testReeve({ workflows: [shop], agents: [reserve, charge] });
  const begin = reeve.now();
  await reeve.run(await reeve.submit(shop, { article: 'lamp' }));
  expect(charge.calls[0]?.at).toBeGreaterThanOrEqual(begin + minutes(20));
});

test('a Reeve that is disposed of leaves no folder', async () => {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'kit-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { reeve } = await shopInTest();
  await reeve.kill();
  await reeve.restart();
  expect(readdirSync(folder)).toHaveLength(1);
  await reeve[Symbol.asyncDispose]();
  expect(readdirSync(folder)).toEqual([]);
});

test('a Reeve that cannot start leaves no folder', async () => {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'kit-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(testReeve({ workflows: [shop], agents: [] })).rejects.toMatchObject({
    code: 'agent-missing',
  });
  expect(readdirSync(folder)).toEqual([]);
});
