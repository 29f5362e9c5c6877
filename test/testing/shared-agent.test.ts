/** A scripted agent that several Reeves of tests have, at the same time or one after the other. */
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import { type ScriptedAgent, scriptedAgent } from '#testing/kit/scripted-agent.ts';
import { testReeve } from '#testing/kit/test-reeve.ts';

const nothing = z.object({});
type Empty = z.infer<typeof nothing>;
const pay = defineAgent({ name: 'pay', input: nothing, output: nothing, undo: 'offered' });
const shop = defineWorkflow({ name: 'shop', version: 1, details: nothing })
  .step('charge', { agent: pay, input: () => ({}), completeWithin: 3_600_000, retries: 3 })
  .build();
const second = 1_000;
const hour = 3_600 * second;

const sharing = (agent: ScriptedAgent<Empty, Empty>, startAt: number) =>
  testReeve({ workflows: [shop], agents: [agent], startAt });

test('each of two Reeves at the same time has its own clock in the calls', async () => {
  const agent = scriptedAgent(pay, {});
  await using early = await sharing(agent, hour);
  await using late = await sharing(agent, 5 * hour);
  await early.run(await early.submit(shop, {}));
  await late.run(await late.submit(shop, {}));
  const [first, last] = agent.calls.map(({ at }) => Math.floor(at / hour));
  expect([first, last]).toEqual([1, 5]);
});

test('a slow call ends by the clock of the Reeve that makes it', async () => {
  const agent = scriptedAgent(pay, {});
  agent.isSlow(60 * second);
  await using early = await sharing(agent, 0);
  await using late = await sharing(agent, 0);
  await early.submit(shop, {});
  await early.advance(second);
  expect([agent.calls.length, agent.effects.size]).toEqual([1, 0]);
  await late.advance(hour);
  expect(agent.effects.size).toBe(0);
  await early.advance(60 * second);
  expect(agent.effects.size).toBe(1);
});

test('a crash after the effect ends the Reeve that makes the call, and no other', async () => {
  const agent = scriptedAgent(pay, {});
  agent.crashesAfterEffect();
  await using early = await sharing(agent, 0);
  await using late = await sharing(agent, 0);
  await early.submit(shop, {});
  await early.advance(second);
  expect(() => early.local).toThrow('Reeve was killed');
  expect(late.local.store).toBeDefined();
});

test('a service is unreachable to each Reeve for so long by its own clock', async () => {
  const agent = scriptedAgent(pay, {});
  await using early = await sharing(agent, 0);
  await using late = await sharing(agent, hour);
  agent.unreachable(5 * 60 * second);
  for (const [reeve, begin] of [
    [early, 0],
    [late, hour],
  ] as const) {
    await reeve.run(await reeve.submit(shop, {}));
    expect(reeve.now() - begin).toBeGreaterThanOrEqual(5 * 60 * second);
  }
});

test('what is said after the end of one Reeve is for the next one, from its start on', async () => {
  const agent = scriptedAgent(pay, {});
  {
    await using first = await sharing(agent, 5 * hour);
    await first.run(await first.submit(shop, {}));
  }
  agent.unreachable(5 * 60 * second);
  await using next = await sharing(agent, 0);
  await next.run(await next.submit(shop, {}));
  expect(next.now()).toBeGreaterThanOrEqual(5 * 60 * second);
  expect(next.now()).toBeLessThan(hour);
});

test('a Reeve that did not start is none that runs the agent', async () => {
  const agent = scriptedAgent(pay, {});
  const other = defineAgent({ name: 'other', input: nothing, output: nothing, undo: 'unneeded' });
  const missing = defineWorkflow({ name: 'missing', version: 1, details: nothing })
    .step('call', { agent: other, input: () => ({}), completeWithin: hour })
    .build();
  await expect(testReeve({ workflows: [missing], agents: [agent] })).rejects.toThrow('other');
  agent.unreachable(5 * 60 * second);
  await using reeve = await sharing(agent, 0);
  await reeve.run(await reeve.submit(shop, {}));
  expect(reeve.now()).toBeGreaterThanOrEqual(5 * 60 * second);
});

test('an agent around a scripted one, a frozen one and one with a spy call it', async () => {
  const agent = scriptedAgent(pay, {});
  const around = { ...agent, perform: agent.perform.bind(agent) };
  for (const each of [around, Object.freeze(scriptedAgent(pay, {}))]) {
    await using reeve = await sharing(each, hour);
    expect((await reeve.run(await reeve.submit(shop, {}))).state).toBe('Processed');
    expect(each.calls.map(({ at }) => Math.floor(at / hour))).toEqual([1]);
  }
  await using reeve = await sharing(agent, hour);
  const spy = vi.spyOn(agent, 'perform');
  await reeve.run(await reeve.submit(shop, {}));
  expect(spy).toHaveBeenCalledOnce();
});

test('what is no agent is refused by the start', async () => {
  const broken: unknown = null;
  // @ts-expect-error as a program without types may do
  const agents: AgentImplementation[] = [broken];
  await expect(testReeve({ workflows: [shop], agents })).rejects.toThrow('agent');
});
