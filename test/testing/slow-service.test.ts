/** A scripted service that is slow: when its effect happens, and what its caller gets. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { idempotencyKey, orderId, stepName } from '#core/model/ids.ts';
import { scriptedAgent } from '#testing/kit/scripted-agent.ts';
import { testReeve } from '#testing/kit/test-reeve.ts';

const nothing = z.object({});
const pay = defineAgent({ name: 'pay', input: nothing, output: nothing, undo: 'offered' });
const tell = defineAgent({ name: 'report', input: nothing, output: nothing, undo: 'offered' });
const shopWithin = (completeWithin: number) =>
  defineWorkflow({ name: 'shop', version: 1, details: nothing })
    .step('charge', { agent: pay, input: () => ({}), completeWithin, retries: 3 })
    .build();
const key = idempotencyKey(orderId('one'), stepName('charge'), 'perform', 1);
const minutes = (count: number) => count * 60_000;

test('the effect comes at the end of the time, also where no caller waits any more', async () => {
  const agent = scriptedAgent(pay, {});
  agent.isSlow(8_000);
  agent.hangs();
  const shop = shopWithin(5_000);
  await using reeve = await testReeve({ workflows: [shop], agents: [agent] });
  await reeve.submit(shop, {});
  await reeve.advance(7_900);
  expect([agent.calls.length, agent.effects.size]).toEqual([2, 0]);
  await reeve.advance(200);
  expect([agent.calls.length, agent.effects.size]).toEqual([2, 1]);
});

test.each([
  ['slow', 'while it waits'],
  ['slow', 'before it'],
  ['silent', 'while it waits'],
  ['silent', 'before it'],
] as const)('a call of a %s service ends with a signal that aborts %s', async (kind, when) => {
  const agent = scriptedAgent(pay, {});
  if (kind === 'slow') agent.isSlow(8_000);
  else agent.hangs();
  const agents = [agent];
  await using reeve = await testReeve({ workflows: [shopWithin(5_000)], agents });
  const stop = new AbortController();
  if (when === 'before it') stop.abort('stopped');
  const call = { orderId: 'one', idempotencyKey: key, attempt: 1, signal: stop.signal };
  const outcome = agent
    .perform({}, { ...call, endpoint: '', heartbeat() {} })
    .catch((error: unknown) => error);
  stop.abort('stopped');
  await reeve.advance(8_000);
  expect(await outcome).toBe('stopped');
  expect(agent.effects.size).toBe(kind === 'slow' ? 1 : 0);
});

test('a service that is slow and then refuses loses no promise', async () => {
  const agent = scriptedAgent(pay, {});
  agent.isSlow(8_000);
  agent.fails('declined');
  const shop = shopWithin(5_000);
  await using reeve = await testReeve({ workflows: [shop], agents: [agent] });
  const lost: unknown[] = [];
  const listener = (reason: unknown) => lost.push(reason);
  process.on('unhandledRejection', listener);
  onTestFinished(() => void process.off('unhandledRejection', listener));
  expect((await reeve.run(await reeve.submit(shop, {}))).state).toBe('Undone');
  await reeve.advance(8_000);
  expect(lost).toEqual([]);
});

test('services that are slow until the same instant take effect then', async () => {
  const effects: number[] = [];
  const effect = () => {
    effects.push(reeve.now());
    return {};
  };
  const [charge, report] = [scriptedAgent(pay, effect), scriptedAgent(tell, effect)];
  charge.isSlow(minutes(30));
  report.isSlow(minutes(30));
  const shop = defineWorkflow({ name: 'shop', version: 1, details: nothing })
    .step('charge', { agent: pay, input: () => ({}), completeWithin: minutes(60) })
    .step('report', { agent: tell, input: () => ({}), completeWithin: minutes(60) })
    .build();
  await using reeve = await testReeve({ workflows: [shop], agents: [charge, report] });
  await reeve.run(await reeve.submit(shop, {}));
  const [{ at: calledAt } = { at: 0 }] = charge.calls;
  expect(effects).toEqual([calledAt + minutes(30), calledAt + minutes(30)]);
});
