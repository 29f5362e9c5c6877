/** The calls of a test to the Reeve of the testing kit end by themselves: the time passes that they wait for, and no more. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { LocalOrder } from '#runtime/local/local-order.ts';
import { callTime } from '#testing/kit/call-time.ts';
import { scriptedAgent } from '#testing/kit/scripted-agent.ts';
import { settled, testClock } from '#testing/kit/test-clock.ts';
import { type TestReeve, testReeve } from '#testing/kit/test-reeve.ts';

const pay = defineAgent({ name: 'pay', input: z.int(), output: z.string(), undo: 'offered' });
const details = z.strictObject({ n: z.int() });
const shop = defineWorkflow({ name: 'shop', version: 1, details })
  .step('charge', { agent: pay, input: ({ details }) => details.n, completeWithin: 60_000 })
  .build();
const oneEach = defineWorkflow({
  ...{ name: 'one-each', version: 1, details },
  singleton: { key: () => 'same', else: 'wait' },
})
  .step('charge', { agent: pay, input: ({ details }) => details.n })
  .build();

async function shopInTest() {
  const agent = scriptedAgent(pay, 'x');
  const reeve = await testReeve({ workflows: [shop, oneEach], agents: [agent] });
  return { agent, reeve };
}

/** The longest that a call waits for the end of a conflict, ms. */
const conflictMs = 1_000;

type OrderId = LocalOrder<unknown>['id'];
type Call = (reeve: TestReeve, id: OrderId) => Promise<unknown>;

const operatorCalls: readonly (readonly [string, Call])[] = [
  ['cancel', ({ local }, id) => local.operator.cancel(id, 'me')],
  ['reprioritise', ({ local }, id) => local.operator.reprioritise(id, 'me', 'high')],
  ['resubmit', ({ local }, id) => local.operator.resubmit(id, 'me')],
];

test.each(operatorCalls)('%s ends straight after the submission', async (_, call) => {
  const { agent, reeve } = await shopInTest();
  await using _reeve = reeve;
  agent.isSlow(5_000);
  const begin = reeve.now();
  const order = await reeve.submit(shop, { n: 1 });
  expect(await call(reeve, order.id)).toHaveProperty('kind');
  expect(reeve.now() - begin).toBeLessThan(conflictMs);
  expect(await reeve.run(order)).toHaveProperty('state');
});

test('an order is cancelled straight after its submission', async () => {
  const { agent, reeve } = await shopInTest();
  await using _ = reeve;
  agent.isSlow(5_000);
  const order = await reeve.submit(shop, { n: 1 });
  expect((await reeve.local.operator.cancel(order.id, 'me')).kind).toBe('done');
  expect((await reeve.run(order)).state).toBe('Undone');
});

test.each(operatorCalls)('%s ends that waits while its order is run', async (_, call) => {
  const { agent, reeve } = await shopInTest();
  await using _reeve = reeve;
  const order = await reeve.submit(shop, { n: 1 });
  const pending = call(reeve, order.id);
  expect(await reeve.run(order)).toHaveProperty('state');
  expect(await pending).toHaveProperty('kind');
  expect(agent.calls.length).toBeLessThanOrEqual(2);
});

test('calls for many orders at once all end', async () => {
  const { agent, reeve } = await shopInTest();
  await using _ = reeve;
  for (let n = 0; n < 20; n += 1) agent.isSlow(5_000);
  const begin = reeve.now();
  const orders = await Promise.all(Array.from({ length: 20 }, (_, n) => reeve.submit(shop, { n })));
  const outcomes = await Promise.all(orders.map(({ id }) => reeve.local.operator.cancel(id, 'me')));
  expect(outcomes).toHaveLength(20);
  expect(reeve.now() - begin).toBeLessThan(conflictMs);
});

test('submissions that overtake each other in a singleton all end', async () => {
  const { reeve } = await shopInTest();
  await using _ = reeve;
  const orders = await Promise.all(
    Array.from({ length: 8 }, (_, n) => reeve.submit(oneEach, { n })),
  );
  for (const order of orders) expect((await reeve.run(order)).state).toBe('Processed');
});

test('the recovery of a killed process ends', async () => {
  const { agent, reeve } = await shopInTest();
  await using _ = reeve;
  for (let n = 0; n < 40; n += 1) agent.hangs();
  await Promise.all(Array.from({ length: 40 }, (_, n) => reeve.submit(shop, { n })));
  await reeve.advance(100);
  await reeve.kill();
  await reeve.restart();
  await reeve.local.recovered;
  expect(reeve.local.isStarting()).toBe(false);
});

test('a call that waits for nothing takes no time', async () => {
  const { reeve } = await shopInTest();
  await using _ = reeve;
  const ended = await reeve.submit(shop, { n: 1 });
  await reeve.run(ended);
  const { local } = reeve;
  const begin = reeve.now();
  await local.agents.change('pay', { kind: 'drain' }, 'me');
  await local.agents.list();
  await local.limits.list();
  await local.store.records([ended.id]);
  await local.operator.cancel(ended.id, 'me');
  await local.backup(join(mkdtempSync(join(inject('temporaryFolder'), 'kit-')), 'copy.db'));
  const order = await local.submit(shop, { n: 2 });
  await order.read();
  expect(reeve.now()).toBe(begin);
  expect(reeve.local).toBe(local);
});

test('a call whose process is killed ends with that, and is not reported where nobody looks at it', async () => {
  const { reeve } = await shopInTest();
  await using _ = reeve;
  const order = await reeve.submit(shop, { n: 1 });
  const calls = [
    reeve.local.operator.cancel(order.id, 'me'),
    reeve.local.operator.reprioritise(order.id, 'me', 'low'),
  ];
  const begin = reeve.now();
  await reeve.kill();
  expect(reeve.now()).toBe(begin);
  await expect(calls[0]).rejects.toMatchObject({ code: 'reeve-killed' });
});

test('many submissions at once take no time', async () => {
  const { reeve } = await shopInTest();
  await using _ = reeve;
  const begin = reeve.now();
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => reeve.submit(shop, { n })));
  expect(reeve.now()).toBe(begin);
});

test('no time passes for a call while a test moves the clock', async () => {
  const clock = testClock(0);
  const time = callTime(clock);
  const call = time.passing(new Promise<void>((resolve) => void clock.after(5, resolve)));
  await time.moving(async () => {
    for (let look = 0; look < 4; look += 1) await settled();
    expect(clock.now()).toBe(0);
  });
  await call;
  expect(clock.now()).toBe(5);
});

test('a call that no timer ends keeps the time moving for an hour at most', async () => {
  const clock = testClock(0);
  const look = () => void clock.after(600_000, look);
  look();
  const time = callTime(clock);
  const call = time.passing(new Promise<void>(() => {}));
  for (let turn = 0; turn < 40; turn += 1) await settled();
  expect(clock.now()).toBe(3_600_000);
  time.endAll();
  await expect(call).rejects.toMatchObject({ code: 'reeve-killed' });
});
