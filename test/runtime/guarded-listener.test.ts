/** Functions of the application that throw change nothing of the orders, and do not end the process. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent } from '#ports/agent-implementation.ts';
import { guarded } from '#runtime/local/errors/guarded-listener.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const second = 1_000;
const broken = () => {
  throw new RangeError('of the application');
};
const failed = (listener: string) => ({
  event: 'listener-failed',
  fields: { listener, error: 'RangeError' },
});

test('what a listener throws or rejects with is logged', async () => {
  const log = testLog();
  guarded('one', broken, log)();
  guarded('two', async () => broken(), log)();
  guarded('three', async () => {}, log)();
  await turn();
  expect(log.lines).toEqual([failed('one'), failed('two')]);
});

const pay = defineAgent({
  name: 'pay',
  input: z.object({}),
  output: z.object({}),
  undo: 'unneeded',
});
const shop = defineWorkflow({ name: 'shop', version: 1, details: z.object({}) })
  .step('charge', { agent: pay, completeWithin: second, input: () => ({}) })
  .build();

async function started(perform: () => Promise<Record<string, never>>) {
  const log = testLog();
  const clock = virtualClock();
  const reeve = await startLocalReeve({
    ...{ workflows: [shop], agents: [implementAgent(pay, { perform })] },
    ...{ path: ':memory:', log, clock, onCircuit: broken },
  });
  onTestFinished(reeve.close);
  return { reeve, clock, of: (name: string) => log.lines.filter(({ event }) => event === name) };
}

test('a listener of `watch` that throws lets orders be accepted and processed', async () => {
  const { reeve, clock, of } = await started(async () => ({}));
  reeve.watch(broken);
  const order = await reeve.submit(shop, {});
  const result = order.result();
  await clock.advance(second);
  expect(await result).toMatchObject({ state: 'Processed' });
  expect(of('listener-failed')[0]).toEqual(failed('watch'));
});

test('an `onCircuit` that throws is called once for each change, and the orders continue', async () => {
  let isDown = true;
  const { reeve, clock, of } = await started(async () => {
    if (isDown) throw new Error('down');
    return {};
  });
  const orders = await Promise.all(Array.from({ length: 30 }, () => reeve.submit(shop, {})));
  const results = orders.map((order) => order.result());
  for (let at = 0; at < 10; at += 1) await clock.advance(second);
  isDown = false;
  for (let at = 0; at < 60; at += 1) await clock.advance(second);
  const states = (await Promise.all(results)).map(({ state }) => state);
  expect(states).toEqual(Array(30).fill('Processed'));
  expect([of('circuit-opened').length, of('circuit-closed').length]).toEqual([1, 1]);
  expect(of('listener-failed')).toEqual([failed('onCircuit'), failed('onCircuit')]);
});
