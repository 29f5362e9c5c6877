/** The checks of what waits in one process: an order that cools down may not begin, and so waits for no limit and no share. */
import { expect, test } from 'vitest';
import { type CheckedLimit, limitChecker } from '#checkers/process/limit-checker.ts';
import { type ShareChecker, shareChecker } from '#checkers/process/share-checker.ts';
import { slotChecker } from '#checkers/process/slot-checker.ts';
import type { Gate } from '#core/model/hold.ts';
import { agentName, workflowName } from '#core/model/ids.ts';
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
  const completeBy = record.updatedAt + heldMs;
  return withFirst(record, (step) => ({
    ...step,
    attempt: step.attempt + 1,
    progress: { state: 'Running', completeBy, endBy: completeBy },
  }));
}

function withFirst(record: ProcessRecord, change: (step: StepRecord) => StepRecord): ProcessRecord {
  return { ...record, steps: record.steps.map((step, at) => (at === 0 ? change(step) : step)) };
}

interface Unused {
  readonly cools?: boolean;
  /** A call of another workflow begins at the agent in between. */
  readonly otherBegins?: boolean;
  /** A call of its own has begun and ended just before. */
  readonly hasBegun?: boolean;
  readonly rate?: NonNullable<CheckedLimit['rate']>;
  /** A call of another workflow lasts, and another limit of the agent allows so many at once. */
  readonly whole?: number;
}

/** What is said of a limit by workflow that no call uses for two minutes. */
function unusedLimit({
  cools = false,
  otherBegins = false,
  whole,
  ...more
}: Unused): readonly string[] {
  const breaches: string[] = [];
  let nowMs = 0;
  const checker = limitChecker({
    limits: [
      {
        ...{ name: 'per-workflow', agents: [paint], waitsUnder: [paint], atOnce: 1 },
        ...{ by: 'workflow', ...(more.rate !== undefined && { rate: more.rate }) },
      },
      ...(whole === undefined
        ? []
        : [{ name: 'whole', agents: [paint], waitsUnder: [paint], atOnce: whole }]),
    ],
    now: () => nowMs,
    faults: () => 0,
    mayBegin: () => true,
    allowed: (limit) => limit,
    breach: (rule, message) => breaches.push(`${rule} ${message}`),
  });
  const record = held('one', 0, { cools });
  const other = { ...held('two', 0, { cools }), workflow: workflowName('other') };
  checker.stored(begun(other));
  if (whole !== undefined) checker.began(paint, other.orderId);
  checker.stored(record);
  if (more.hasBegun === true) checker.began(paint, record.orderId)();
  nowMs = 100_000;
  if (otherBegins) checker.began(paint, other.orderId)();
  nowMs = 120_000;
  checker.stored(record);
  return breaches;
}

test('a limit that nobody uses although an order waits for it is a breach', () => {
  expect(unusedLimit({})).toEqual([
    'R22 per-workflow is not used since 120000 ms, and a step waits for it',
  ]);
});

test('a limit may be unused while another limit, for which the order waits as well, is full', () => {
  expect(unusedLimit({ whole: 1 })).toEqual([]);
  expect(unusedLimit({ whole: 2 })).toEqual([
    'R22 per-workflow is not used since 120000 ms, and a step waits for it',
  ]);
});

test('a limit for which only an order that cools down waits may be unused', () => {
  expect(unusedLimit({ cools: true })).toEqual([]);
});

test('a limit may be unused while its agent calls for another key: by the shares of classes, that one can be first', () => {
  expect(unusedLimit({ otherBegins: true })).toEqual([]);
});

/** What is said of an agent that begins no call for two minutes, though it has a slot and a step waits that was drained before. */
function unusedSlot(limit: Pick<CheckedLimit, 'atOnce' | 'rate'>): readonly string[] {
  const breaches: string[] = [];
  let nowMs = 0;
  const common = {
    now: () => nowMs,
    faults: () => 0,
    breach: (rule: string, message: string) => breaches.push(`${rule} ${message}`),
  };
  const limits = limitChecker({
    ...common,
    limits: [{ name: 'whole', agents: [paint], waitsUnder: [paint], ...limit }],
    mayBegin: () => true,
    allowed: (one) => one,
  });
  const slots = slotChecker({
    ...common,
    concurrency: 2,
    pools: new Map(),
    serviceOf: () => 'available',
    haveRoom: limits.haveRoom,
  });
  limits.began(paint, newOrder('long', 0).record.orderId);
  const record = held('one', 0, { cools: false, gate: 'drained' });
  slots.stored(record);
  nowMs = 120_000;
  slots.stored(record);
  return breaches;
}

test('a slot that nobody uses although a step waits for it is a breach', () => {
  expect(unusedSlot({ atOnce: 2 })).toEqual([
    'R22 paint has a free slot since 120000 ms, and a step waits for it',
  ]);
});

test.each([
  ['is full', { atOnce: 1 }],
  ['has let a call begin in its interval', { rate: { count: 1, per: 600_000 } }],
])('a slot may be unused while a limit of the agent %s', (_, limit) => {
  expect(unusedSlot(limit)).toEqual([]);
});

test('a limit whose interval is longer than a minute may be unused in it', () => {
  expect(unusedLimit({ rate: { count: 1, per: 600_000 }, hasBegun: true })).toEqual([]);
});

test('a limit by a key has room for an order when a call at once and a slot of its rate are free', () => {
  let nowMs = 0;
  const common = { agents: [paint], waitsUnder: [paint] };
  const checker = limitChecker({
    limits: [
      { name: 'keyed', ...common, by: 'workflow', atOnce: 1, rate: { count: 4, per: 1_000 } },
      // Every order waits for it, so it says nothing of shares.
      { name: 'whole', ...common, atOnce: 1 },
    ],
    now: () => nowMs,
    faults: () => 0,
    mayBegin: () => true,
    allowed: (limit) => limit,
    breach: () => {},
  });
  const one = newOrder('one', 0).record;
  const other = { ...newOrder('two', 0).record, workflow: workflowName('other') };
  for (const record of [one, other]) checker.stored(record);
  const haveRoom = () => [one, other].map(({ orderId }) => checker.haveKeyedRoom(paint, orderId));
  const end = checker.began(paint, one.orderId);
  nowMs = 400;
  expect(haveRoom()).toEqual([false, true]);
  end();
  expect(haveRoom()).toEqual([true, true]);
  checker.began(paint, one.orderId)();
  nowMs = 649;
  expect(haveRoom()).toEqual([false, true]);
  nowMs = 650;
  expect(haveRoom()).toEqual([true, true]);
});

/** A check of shares, and what it says. `withoutRoom`: an order for which a limit by a key has no room. */
function shares(withoutRoom?: string) {
  const breaches: string[] = [];
  let nowMs = 0;
  const checker = shareChecker({
    concurrencyOf: () => 1,
    disturbance: () => '',
    haveRoom: (_, order) => order !== withoutRoom,
    now: () => nowMs,
    breach: (rule, message) => breaches.push(`${rule} ${message}`),
  });
  const jump = (ms: number) => {
    nowMs += ms;
  };
  return { ...checker, breaches, jump };
}

const highHeld = (order: string, cools = false) =>
  held(order, 0, { cools, priority: 'high', gate: 'concurrency' });

/** Orders of class normal begin. */
function normalBegins({ stored }: Pick<ShareChecker, 'stored'>, count = 20): void {
  for (let order = 0; order < count; order += 1) {
    const before = held(`o${order}`, 0, { cools: false, gate: 'concurrency' });
    stored({ before: null, after: before });
    stored({ before, after: begun(before) });
  }
}

test.each([
  ['gets its share', false, ['R24 of 8 steps of paint, 0 were of high null']],
  ['that cools down has none', true, []],
])('a class of which only an order waits %s', (_, cools, breaches) => {
  const checked = shares();
  checked.stored({ before: null, after: highHeld('one', cools) });
  normalBegins(checked);
  expect(checked.breaches.slice(0, 1)).toEqual(breaches);
});

test.each([
  ['', ['one'], []],
  [
    ', unless another order of it does',
    ['one', 'two'],
    ['R24 of 8 steps of paint, 0 were of high null'],
  ],
])(
  'a class of which an order waits for room in a limit by its key has no share%s',
  (_, orders, breaches) => {
    const checked = shares('one');
    for (const order of orders) checked.stored({ before: null, after: highHeld(order) });
    normalBegins(checked);
    expect(checked.breaches.slice(0, 1)).toEqual(breaches);
  },
);

test('a class has no share while the write that begins its only step is on its way', () => {
  const checked = shares();
  const one = highHeld('one');
  checked.stored({ before: null, after: one });
  const answered = checked.sent(begun(one));
  normalBegins(checked);
  checked.stored({ before: one, after: begun(one) });
  answered();
  normalBegins(checked);
  expect(checked.breaches).toEqual([]);
});

test('a class has its share while another order of it waits', () => {
  const checked = shares();
  const one = highHeld('one');
  for (const after of [one, highHeld('two')]) checked.stored({ before: null, after });
  checked.sent(begun(one));
  normalBegins(checked);
  expect(checked.breaches).not.toEqual([]);
});

test('a class has its share again when the write that begins its step was not stored', () => {
  const checked = shares();
  const one = highHeld('one');
  checked.stored({ before: null, after: one });
  const answered = checked.sent(begun(one));
  normalBegins(checked);
  answered();
  expect(checked.breaches).toEqual([]);
  normalBegins(checked);
  expect(checked.breaches).not.toEqual([]);
});

test('a class has its share while a write that leaves its step waiting is on its way', () => {
  const checked = shares();
  const one = highHeld('one');
  checked.stored({ before: null, after: one });
  checked.sent(one);
  normalBegins(checked);
  expect(checked.breaches).not.toEqual([]);
});

test('a class has no share while the write of its only step is on its way, though another write came before it', () => {
  const checked = shares();
  const one = highHeld('one');
  checked.stored({ before: null, after: one });
  checked.sent(begun(one));
  checked.stored({ before: one, after: { ...one, revision: one.revision + 1 } });
  normalBegins(checked);
  expect(checked.breaches).toEqual([]);
});

test.each([
  ['for as long as it has its slot', 10_000, 0],
  ['not longer than it has its slot', 10_001, 1],
])('a class has no share after its only order was nudged, %s', (_, ms, breaches) => {
  const checked = shares();
  checked.stored({ before: null, after: highHeld('one') });
  checked.nudged([highHeld('one').orderId]);
  checked.jump(ms - 1);
  normalBegins(checked);
  expect(checked.breaches.slice(0, 1)).toHaveLength(breaches);
});

test.each<[string, (checked: ShareChecker, one: ProcessRecord) => void]>([
  ['the nudge was handled', ({ handled }, { orderId }) => handled(orderId)],
  [
    'a write left its step waiting',
    ({ stored }, one) => stored({ before: one, after: { ...one, revision: one.revision + 1 } }),
  ],
])('a class has its share, as it was before its order was nudged, once %s', (_, happens) => {
  const checked = shares();
  const one = highHeld('one');
  checked.stored({ before: null, after: one });
  normalBegins(checked, 7);
  checked.nudged([one.orderId]);
  normalBegins(checked);
  expect(checked.breaches).toEqual([]);
  happens(checked, one);
  normalBegins(checked, 1);
  expect(checked.breaches).toEqual(['R24 of 8 steps of paint, 0 were of high null']);
});

test('a nudge that was handled ends no wait for a write', () => {
  const checked = shares();
  const one = highHeld('one');
  checked.stored({ before: null, after: one });
  checked.nudged([one.orderId]);
  checked.sent(begun(one));
  checked.handled(one.orderId);
  checked.jump(60_000);
  normalBegins(checked);
  expect(checked.breaches).toEqual([]);
});
