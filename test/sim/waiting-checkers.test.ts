/** The checks of what waits in one process: an order that cools down may not begin, and so waits for no limit and no share. */
import { expect, test } from 'vitest';
import { limitChecker } from '#checkers/process/limit-checker.ts';
import { shareChecker } from '#checkers/process/share-checker.ts';
import type { Gate } from '#core/model/hold.ts';
import { agentName } from '#core/model/ids.ts';
import type { Priority, ProcessRecord, StepRecord } from '#core/model/record.ts';
import { newOrder } from '../support/orders.ts';

const paint = agentName('paint');
const heldMs = 900_000;
const coolDownMs = 300_000;

/** The order with its first step held since `at`; `cools`: because of another step it may be claimed only later. */
function held(
  order: string,
  at: number,
  more: { cools: boolean; priority?: Priority; gate?: Gate },
) {
  const { record } = newOrder(order, at);
  const { cools, priority = 'normal', gate = 'limit' } = more;
  const hold = { gate, since: at, until: at + heldMs, before: { state: 'NotStarted' } } as const;
  const progress = { state: 'Held', ...hold } as const;
  return withFirst(
    { ...record, priority, isHeld: true, notBefore: at + (cools ? coolDownMs : heldMs) },
    (step) => ({ ...step, progress }),
  );
}

/** The first step of the order has begun its next attempt. */
function begun({ isHeld: _, ...record }: ProcessRecord): ProcessRecord {
  return withFirst(record, (step) => ({
    ...step,
    attempt: step.attempt + 1,
    progress: { state: 'NotStarted' },
  }));
}

function withFirst(record: ProcessRecord, change: (step: StepRecord) => StepRecord): ProcessRecord {
  return { ...record, steps: record.steps.map((step, at) => (at === 0 ? change(step) : step)) };
}

/** What is said of a limit that nobody uses for two minutes. */
function unusedLimit(cools: boolean): readonly string[] {
  const breaches: string[] = [];
  let nowMs = 0;
  const checker = limitChecker({
    limits: [{ name: 'whole', agents: [paint], waitsUnder: [paint], byTenant: false, atOnce: 1 }],
    now: () => nowMs,
    faults: () => 0,
    mayBegin: () => true,
    breach: (rule, message) => breaches.push(`${rule} ${message}`),
  });
  const record = held('one', 0, { cools });
  checker.stored(record);
  nowMs = 120_000;
  checker.stored(record);
  return breaches;
}

test('a limit that nobody uses although an order waits for it is a breach', () => {
  expect(unusedLimit(false)).toEqual([
    'R22 whole is not used since 120000 ms, and a step waits for it',
  ]);
});

test('a limit for which only an order that cools down waits may be unused', () => {
  expect(unusedLimit(true)).toEqual([]);
});

/** What is said when twenty orders of class normal begin beside one of class high that waits. */
function besideHigh(cools: boolean): readonly string[] {
  const breaches: string[] = [];
  const stored = shareChecker({
    concurrencyOf: () => 1,
    disturbance: () => '',
    breach: (rule, message) => breaches.push(`${rule} ${message}`),
  });
  const high = held('high', 0, { cools, priority: 'high', gate: 'concurrency' });
  stored({ before: null, after: high });
  for (let order = 0; order < 20; order += 1) {
    const before = held(`o${order}`, 0, { cools: false, gate: 'concurrency' });
    stored({ before: null, after: before });
    stored({ before, after: begun(before) });
  }
  return breaches;
}

test('a class of which an order waits gets its share', () => {
  expect(besideHigh(false).length).toBeGreaterThan(0);
});

test('a class of which only an order that cools down waits has none', () => {
  expect(besideHigh(true)).toEqual([]);
});
