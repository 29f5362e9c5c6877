/** Orders of singleton keys in one process and virtual time: by the API, with waits, restarts, replacements and deletion (R29). */
import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import type { SingletonRule } from '#core/definition/singleton.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { OrderId } from '#core/model/ids.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { debounceTimes, idOf, ruleOptions } from '../support/singleton-world.ts';
import { somewhere } from '../support/stored-data.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

interface Times {
  readonly quiet: number;
  readonly atMost: number;
}

const input = z.object({ customer: z.string() });
const paint = defineAgent({ name: 'paint', input, output: z.null(), undo: 'offered' });
const painting = (rule: SingletonRule, times: Times) =>
  defineWorkflow({
    name: 'painting',
    version: 1,
    details: input,
    singleton: { key: ({ details: { customer } }) => customer, ...ruleOptions(rule, times) },
  })
    .step('paint', {
      agent: paint,
      // Less than an earlier order takes.
      holdMax: 1_000,
      completeWithin: 60_000,
      input: ({ details }) => details,
    })
    .build();

/** A shop whose calls take 10 s. */
async function shop(
  rule: SingletonRule,
  {
    path = ':memory:',
    clock = virtualClock(),
    keepEndedMs = 3_600_000,
    times = debounceTimes,
  }: { path?: string; clock?: VirtualClock; keepEndedMs?: number; times?: Times } = {},
) {
  const calls: { readonly customer: string; readonly action: string; readonly at: number }[] = [];
  const atWork = new Map<string, number>();
  let mostAtOnce = 0;
  const work = async (given: unknown, action: string) => {
    const { customer } = input.parse(given);
    calls.push({ customer, action, at: clock.now() });
    const now = (atWork.get(customer) ?? 0) + 1;
    atWork.set(customer, now);
    mostAtOnce = Math.max(mostAtOnce, now);
    await new Promise<void>((resolve) => {
      clock.after(10_000, resolve);
    });
    atWork.set(customer, (atWork.get(customer) ?? 1) - 1);
  };
  const reeve = await startLocalReeve({
    workflows: [painting(rule, times)],
    agents: [
      {
        contract: paint,
        async perform(given) {
          await work(given, 'perform');
          return null;
        },
        undo: (given) => work(given.input, 'undo'),
      },
    ],
    ...{ path, clock, keepEndedMs, log: testLog(), random: { next: () => 0.5 } },
    sweepPeriodMs: 10_000,
  });
  onTestFinished(reeve.close);
  const submit = async (customer: string) => {
    const order = { workflow: 'painting', details: { customer }, priority: 'normal' } as const;
    const from = { tenant: null, replyTo: null, correlationId: null, key: null };
    return reeve.submission.submit({ ...order, ...from }, 'ada');
  };
  const record = async (id: OrderId) => (await reeve.store.records([id])).get(id);
  return { reeve, clock, calls, submit, record, mostAtOnce: () => mostAtOnce };
}

test('wait: the orders of a key work one after the other, each as soon as the one before has ended', async () => {
  const { clock, calls, submit, record, mostAtOnce } = await shop('wait');
  const ids: OrderId[] = [];
  for (let at = 0; at < 5; at += 1) ids.push(idOf(await submit('ada')));
  await submit('bob');
  await clock.advance(500);
  expect(calls.map(({ customer }) => customer)).toEqual(['ada', 'bob']);
  await clock.advance(50_000);
  const records = await Promise.all(ids.map(record));
  expect(records.map((one) => one?.processState)).toEqual(Array(5).fill('Processed'));
  expect(records.map((one) => one?.failureCount)).toEqual([0, 0, 0, 0, 0]);
  expect(
    records.map((one) => Math.round(((one?.updatedAt ?? 0) - (one?.submittedAt ?? 0)) / 1e4)),
  ).toEqual([1, 2, 3, 4, 5]);
  expect(mostAtOnce()).toBe(1);
});

test('wait: an order that waits for an hour is asked again by its timer, and its history does not grow', async () => {
  const { clock, submit, record } = await shop('wait');
  for (let at = 0; at < 400; at += 1) await submit('ada');
  const last = idOf(await submit('ada'));
  await clock.advance(3_600_000);
  const waiting = await record(last);
  expect(waiting?.history.map(({ type }) => type)).toEqual(['submit', 'held']);
  expect(waiting?.history.at(-1)).toMatchObject({ times: 5 });
});

test('wait: after a restart of the process its orders continue, and none passes another', async () => {
  const path = somewhere();
  const clock = virtualClock();
  const first = await shop('wait', { path, clock });
  const ids = [idOf(await first.submit('ada')), idOf(await first.submit('ada'))];
  await clock.advance(1_000);
  first.reeve.close();
  const second = await shop('wait', { path, clock });
  ids.push(idOf(await second.submit('ada')));
  await clock.advance(1_000);
  expect(second.calls).toHaveLength(1);
  await clock.advance(60_000);
  const states = await Promise.all(ids.map(async (id) => (await second.record(id))?.processState));
  expect(states).toEqual(['Processed', 'Processed', 'Processed']);
  expect(second.mostAtOnce()).toBe(1);
  second.reeve.close();
  rmSync(path, { force: true });
});

test('replace: the work of the earlier order ends, is undone, and then the new one begins', async () => {
  const { clock, calls, submit, record, mostAtOnce } = await shop('replace');
  const one = idOf(await submit('ada'));
  await clock.advance(1_000);
  const two = idOf(await submit('ada'));
  await clock.advance(45_000);
  expect([(await record(one))?.processState, (await record(two))?.processState]).toEqual([
    'Undone',
    'Processed',
  ]);
  expect(calls.map(({ action }) => action)).toEqual(['perform', 'undo', 'perform']);
  expect(mostAtOnce()).toBe(1);
});

test('skip: while an order lives, its key answers with it; after its end it is free', async () => {
  const { clock, calls, submit } = await shop('skip');
  const one = idOf(await submit('ada'));
  await clock.advance(5_000);
  expect(await submit('ada')).toMatchObject({ orderId: one, skipped: true });
  await clock.advance(10_000);
  expect(await submit('ada')).not.toHaveProperty('skipped');
  await clock.advance(10_000);
  expect(calls).toHaveLength(2);
});

/** How long after the start each call began, s. */
const begunAfter = (calls: readonly { readonly at: number }[], start: number) =>
  calls.map(({ at }) => Math.round((at - start) / 1_000));

test('debounce: the last order of a burst begins when it was quiet, and no later than its workflow says', async () => {
  const { clock, calls, submit, record } = await shop('debounce');
  const start = clock.now();
  const ids: OrderId[] = [];
  for (let at = 0; at < 3; at += 1) {
    ids.push(idOf(await submit('ada')));
    await clock.advance(2_000);
  }
  await clock.advance(20_000);
  const states = await Promise.all(ids.map(async (id) => (await record(id))?.processState));
  expect(states).toEqual(['Undone', 'Undone', 'Processed']);
  // Submitted after 4 s, and quiet for 5.
  expect(begunAfter(calls, start)).toEqual([9]);
});

test('debounce: a stream of orders begins one as often as its workflow says, and none beside another', async () => {
  const { clock, calls, submit, mostAtOnce } = await shop('debounce');
  const start = clock.now();
  for (let at = 0; at < 60; at += 1) {
    await submit('ada');
    await clock.advance(1_000);
  }
  // Each 12 s after the first one that was submitted since the one before began, which takes 10 s.
  expect(begunAfter(calls, start)).toEqual([12, 24, 36, 48, 60]);
  expect(mostAtOnce()).toBe(1);
});

test('debounce: a process that is started again begins the last order at its instant', async () => {
  const path = somewhere();
  const clock = virtualClock();
  const first = await shop('debounce', { path, clock });
  const start = clock.now();
  const ids = [idOf(await first.submit('ada'))];
  await clock.advance(1_000);
  ids.push(idOf(await first.submit('ada')));
  first.reeve.close();
  const second = await shop('debounce', { path, clock });
  await clock.advance(1_000);
  ids.push(idOf(await second.submit('ada')));
  await clock.advance(30_000);
  const states = await Promise.all(ids.map(async (id) => (await second.record(id))?.processState));
  expect(states).toEqual(['Undone', 'Undone', 'Processed']);
  expect(begunAfter(second.calls, start)).toEqual([7]);
  second.reeve.close();
  rmSync(path, { force: true });
});

test('debounce: an order that waits for longer than a message can be delayed begins at its instant', async () => {
  const hour = 3_600_000;
  const times = { quiet: hour, atMost: 3 * hour };
  const { clock, calls, submit } = await shop('debounce', { times });
  const start = clock.now();
  await submit('ada');
  await clock.advance(hour / 2);
  await submit('ada');
  await clock.advance(2 * hour);
  expect(begunAfter(calls, start)).toEqual([5_400]);
});

test('debounce: an order that waits for later ones is no backlog', async () => {
  const { reeve, clock, submit } = await shop('debounce');
  await submit('ada');
  await clock.advance(1_000);
  const [agent] = reeve.activity().agents;
  expect(agent).toMatchObject({ inFlight: 0, waiting: 0, oldestAt: null, held: [] });
  await clock.advance(debounceTimes.quiet);
  expect(reeve.activity().agents).toMatchObject([{ inFlight: 1, waiting: 0 }]);
});

test('orders that wait are no backlog, and none of their agent', async () => {
  const { reeve, clock, submit } = await shop('wait');
  for (let at = 0; at < 5; at += 1) await submit('ada');
  await clock.advance(1_000);
  const [agent] = reeve.activity().agents;
  expect(agent).toMatchObject({ inFlight: 1, waiting: 0, held: [] });
});
