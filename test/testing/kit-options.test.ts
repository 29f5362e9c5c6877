/** Every option of the testing kit, and every entry of a script, has its effect. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { scriptedAgent } from '#testing/kit/scripted-agent.ts';
import { testClock } from '#testing/kit/test-clock.ts';
import { testReeve } from '#testing/kit/test-reeve.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { testLog } from '../support/log.ts';

const nothing = z.object({});
const pay = defineAgent({ name: 'pay', input: nothing, output: nothing, undo: 'offered' });
const shop = defineWorkflow({ name: 'shop', version: 1, details: nothing })
  .step('charge', { agent: pay, input: () => ({}), completeWithin: 5_000, retries: 0 })
  .build();

test('the virtual time begins at startAt, and the log receives what Reeve logs', async () => {
  const log = testLog();
  const startAt = Date.UTC(2030, 5, 1);
  const agents = [scriptedAgent(pay, {})];
  await using reeve = await testReeve({ workflows: [shop], agents, startAt, log });
  expect(reeve.now()).toBe(startAt);
  const order = await reeve.submit(shop, {});
  expect(Date.parse((await order.read()).submittedAt)).toBe(startAt);
  expect(log.lines.map(({ event }) => event)).toContain('started');
});

test('a Reeve that runs is not started again', async () => {
  const agents = [scriptedAgent(pay, {})];
  await using reeve = await testReeve({ workflows: [shop], agents });
  await expect(reeve.restart()).rejects.toMatchObject({ code: 'reeve-running' });
});

test.each(['none', 'possible'] as const)(
  'a call that fails with the effect "%s" has it',
  async (effect) => {
    const agent = scriptedAgent(pay, {});
    agent.fails('no', { effect });
    agent.onUndo.fails('no');
    await using reeve = await testReeve({ workflows: [shop], agents: [agent] });
    await reeve.run(await reeve.submit(shop, {}));
    expect(agent.effects.size).toBe(effect === 'none' ? 0 : 1);
  },
);

test('a call after whose effect the process ends has its effect', async () => {
  const agent = scriptedAgent(pay, {});
  agent.crashesAfterEffect();
  await using reeve = await testReeve({ workflows: [shop], agents: [agent] });
  const order = await reeve.submit(shop, {});
  await reeve.advance(100);
  expect(agent.effects.size).toBe(1);
  expect(await reeve.run(order)).toMatchObject({ state: 'Processed' });
});

test('timers have whole milliseconds, as those of Node', async () => {
  const clock = testClock(0);
  const passed: number[] = [];
  for (const ms of [0.9, 1.2, 1.9, -5]) clock.after(ms, () => passed.push(clock.now()));
  await clock.advance(10);
  expect(passed).toEqual([0, 0, 1, 1]);
});

const orders = () => ({});

test('a proof without an agent of its workflow is refused', () => {
  expect(() => defineProof({ workflows: [shop], agents: [], orders })).toThrow(
    expect.objectContaining({ code: 'agent-missing' }),
  );
});

test.each([
  { seeds: Number.MAX_SAFE_INTEGER },
  { seeds: 10, firstSeed: Number.MAX_SAFE_INTEGER - 5 },
])('the last seed of %o would be no number', (seeds) => {
  const agents = [scriptedAgent(pay, {})];
  expect(() => defineProof({ workflows: [shop], agents, orders, ...seeds })).toThrow(
    expect.objectContaining({ code: 'seeds-range' }),
  );
});
