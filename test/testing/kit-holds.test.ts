/** What ends at a sweep, and what a circuit does by time alone, happens in the testing kit when it happens in production. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { scriptedAgent } from '#testing/kit/scripted-agent.ts';
import { testClock } from '#testing/kit/test-clock.ts';
import { type TestReeve, testReeve } from '#testing/kit/test-reeve.ts';

const hourMs = 3_600_000;
const pay = defineAgent({ name: 'pay', input: z.int(), output: z.string(), undo: 'offered' });
const details = z.strictObject({ n: z.int() });
const step = { agent: pay, input: ({ details }: { details: { n: number } }) => details.n };

/** A workflow of one step with this policy, whose agent is drained. */
async function drainedReeve(holdMax?: number) {
  const held = defineWorkflow({ name: 'held', version: 1, details })
    .step('s', { ...step, ...(holdMax !== undefined && { holdMax }) })
    .build();
  const reeve = await testReeve({ workflows: [held], agents: [scriptedAgent(pay, 'x')] });
  await reeve.local.agents.change('pay', { kind: 'drain' }, 'me');
  return { held, reeve };
}

test('a hold ends before the deadline of its order, as in production', async () => {
  const workflow = defineWorkflow({
    ...{ name: 'late', version: 1, details },
    ...{ completeWithin: 20_000, onLate: 'hold' },
  })
    .step('s', { ...step, holdMax: 2_000, onExhausted: 'undo' })
    .build();
  await using reeve = await testReeve({ workflows: [workflow], agents: [scriptedAgent(pay, 'x')] });
  await reeve.local.agents.change('pay', { kind: 'drain' }, 'me');
  const begin = reeve.now();
  const result = await reeve.run(await reeve.submit(workflow, { n: 1 }));
  expect(result).toMatchObject({ state: 'Undone', fault: { code: 'exhausted' } });
  expect(reeve.now() - begin).toBeGreaterThanOrEqual(2_000);
  expect(reeve.now() - begin).toBeLessThanOrEqual(4_000);
});

test.each([1_000, 10_000, 10_500, 16 * 60_000, 24 * hourMs])(
  'a hold of at most %d ms ends at the first sweep after it',
  async (holdMax) => {
    const { held, reeve } = await drainedReeve(holdMax);
    await using _ = reeve;
    const begin = reeve.now();
    const result = await reeve.run(await reeve.submit(held, { n: 1 }));
    expect(result).toMatchObject({ state: 'Undone', fault: { code: 'exhausted' } });
    expect(reeve.now() - begin).toBeGreaterThanOrEqual(holdMax);
    expect(reeve.now() - begin).toBeLessThanOrEqual(holdMax + 2_000);
  },
);

test('months pass in a moment where nothing happens, and what is due in them happens', async () => {
  const { held, reeve } = await drainedReeve(3 * hourMs);
  await using _ = reeve;
  const order = await reeve.submit(held, { n: 1 });
  const begin = reeve.now();
  await reeve.advance(2 * hourMs);
  expect((await order.read()).processState).toBe('Pending');
  await reeve.advance(90 * 24 * hourMs);
  expect((await order.read()).processState).toBe('Undone');
  expect(reeve.now() - begin).toBe((2 + 90 * 24) * hourMs);
});

test('a hold ends while a test advances the time', async () => {
  const { held, reeve } = await drainedReeve(5_000);
  await using _ = reeve;
  const order = await reeve.submit(held, { n: 1 });
  await reeve.advance(4_000);
  expect((await order.read()).processState).toBe('Pending');
  await reeve.advance(3_000);
  expect((await order.read()).processState).toBe('Undone');
});

test('a hold of a former process ends in the present one', async () => {
  const { held, reeve } = await drainedReeve(30_000);
  await using _ = reeve;
  const order = await reeve.submit(held, { n: 1 });
  await reeve.advance(10_000);
  await reeve.kill();
  await reeve.restart();
  const begin = reeve.now();
  expect(await reeve.run(order)).toMatchObject({ state: 'Undone', fault: { code: 'exhausted' } });
  expect(reeve.now() - begin).toBeGreaterThan(10_000);
  expect(reeve.now() - begin).toBeLessThanOrEqual(32_000);
});

test('a service that is unavailable is probed every 4 s at the latest', async () => {
  const workflow = defineWorkflow({ name: 'down', version: 1, details })
    .step('s', { ...step, completeWithin: 1_000, retries: 1, coolDown: { after: 1_000, times: 3 } })
    .build();
  const agent = scriptedAgent(pay, 'x');
  await using reeve = await testReeve({ workflows: [workflow], agents: [agent] });
  agent.unreachable(25_000);
  const begin = reeve.now();
  const orders = await Promise.all(
    Array.from({ length: 12 }, (_, n) => reeve.submit(workflow, { n })),
  );
  for (const order of orders) expect((await reeve.run(order)).state).toBe('Processed');
  const instants = [...new Set(agent.calls.map(({ at }) => at - begin))];
  const gaps = instants.map((at, index) => at - (instants[index - 1] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(4_000);
  expect(reeve.now() - begin).toBeLessThan(40_000);
});

test('the end of an unavailability is reported when the circuit closes, also where an order waits for an hour then', async () => {
  const workflow = defineWorkflow({ name: 'down', version: 1, details })
    .step('s', { ...step, completeWithin: 1_000, retries: 1, coolDown: { after: 1_000, times: 3 } })
    .build();
  const other = defineAgent({ name: 'other', input: z.int(), output: z.string(), undo: 'offered' });
  const waiting = defineWorkflow({ name: 'waits', version: 1, details })
    .step('s', {
      ...{ ...step, agent: other, completeWithin: 1_000, retries: 1 },
      coolDown: { after: hourMs, times: 1 },
    })
    .build();
  const [agent, slow] = [scriptedAgent(pay, 'x'), scriptedAgent(other, 'y')];
  const events: { readonly kind: string; readonly at: number }[] = [];
  await using reeve: TestReeve = await testReeve({
    ...{ workflows: [workflow, waiting], agents: [agent, slow] },
    onCircuit: ({ kind }) => void events.push({ kind, at: reeve.now() }),
  });
  agent.unreachable(5_000);
  slow.hangs();
  slow.hangs();
  const last = await reeve.submit(waiting, { n: 0 });
  const orders = await Promise.all(
    Array.from({ length: 6 }, (_, n) => reeve.submit(workflow, { n })),
  );
  for (const order of orders) await reeve.run(order);
  const answered = reeve.now();
  await reeve.run(last);
  expect(reeve.now() - answered).toBeGreaterThan(hourMs / 2);
  expect(events.map(({ kind }) => kind)).toEqual(['opened', 'closed']);
  expect((events[1]?.at ?? 0) - answered).toBeLessThan(30_000);
});

test('timers that only repeat themselves are idle after 30 s, until they do more', async () => {
  const clock = testClock(0);
  let work = () => {};
  const look = () => {
    work();
    clock.after(2_000, look);
  };
  clock.after(2_000, look);
  clock.after(hourMs, () => {});
  await clock.advance(29_000);
  expect(clock.nextWork()).toBe(30_000);
  await clock.advance(1_000);
  expect(clock.nextWork()).toBe(hourMs);
  await clock.leap(60_000);
  expect(clock.nextWork()).toBe(hourMs);
  for (const does of [
    () => clock.noteWork(),
    () => void clock.after(50 * hourMs, () => {}),
    clock.after(hourMs, () => {}),
  ]) {
    work = does;
    await clock.next();
    work = () => {};
    expect(clock.nextWork()).toBe(clock.now() + 2_000);
    await clock.advance(32_000);
    expect(clock.nextWork()).toBe(hourMs);
  }
});
