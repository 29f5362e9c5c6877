import { expect, test } from 'vitest';
import {
  CorruptDataError,
  ReeveError,
  RefusedError,
  UnavailableError,
} from '#core/model/errors.ts';
import { type OrderId, orderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { eventAfter, expired, recoverPage } from '#roles/recovery/recover-page.ts';
import { claimed, newOrder } from '../../support/orders.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { type RoleScenario, roleScenario } from '../scenario.ts';

const second = 1_000;
const failing = (errors: Readonly<Record<string, unknown>>) => (store: StateStore) => ({
  ...store,
  commit(record: ProcessRecord) {
    const error = errors[record.orderId];
    return error === undefined ? store.commit(record) : Promise.reject(error);
  },
});

/** Orders with two calls past complete-by. */
async function overdue(world: RoleScenario, names: readonly string[]): Promise<OrderId[]> {
  for (const name of names) await world.createClaimed(name);
  world.clock.jump(12 * second);
  return names.map((name) => orderId(name));
}

const saidOf = (error: unknown) => {
  if (error instanceof ReeveError) return 'y';
  return error instanceof RangeError ? 'RangeError' : 'unknown';
};

test.each<[string, Record<string, unknown>, object]>([
  ['none', {}, { found: 3, recovered: 3, unwritten: 0 }],
  [
    'the store was away for one',
    { b: new UnavailableError('store-unavailable', 'y') },
    { found: 3, recovered: 2, unwritten: 1 },
  ],
  [
    'the store will never take one',
    { b: new RefusedError('store-refused', 'y') },
    { found: 2, recovered: 2, unwritten: 0 },
  ],
  [
    'one cannot be read',
    { b: new CorruptDataError('row-damaged', 'y') },
    { found: 3, recovered: 2, unwritten: 0 },
  ],
  [
    'code of an author threw, whose message may quote details',
    { b: new RangeError('card 4711') },
    { found: 3, recovered: 2, unwritten: 0 },
  ],
  ['something thrown that is no error', { b: 'y' }, { found: 3, recovered: 2, unwritten: 0 }],
])('a page is counted by what became of its orders: %s', async (_, errors, counts) => {
  const world = roleScenario(failing(errors));
  const page = await overdue(world, ['a', 'b', 'c']);
  const recovered = await recoverPage(world, page, () => expired);
  expect(recovered).toEqual({
    ...counts,
    interrupted: 0,
    lagMs: 2 * second - 1,
    waitingFrom: null,
  });
  const told = world.log.lines.filter(({ event }) => event === 'recovery-failed');
  const lines = Object.entries(errors).map(([id, error]) => ({
    event: 'recovery-failed',
    fields: { orderId: id, error: saidOf(error) },
  }));
  expect(told).toEqual(lines);
});

test('an order with unreadable details is recovered too, because the recovery does not read them', async () => {
  const world = roleScenario((store) => ({
    ...store,
    orders: () => Promise.reject(new CorruptDataError('row-damaged', 'The details were changed.')),
  }));
  const page = await overdue(world, ['a']);
  expect(await recoverPage(world, page, () => expired)).toMatchObject({ recovered: 1 });
});

test('an order counts as interrupted by the event that was written, not by the first decision', async () => {
  let conflicts = 1;
  const world = roleScenario((store) => ({
    ...store,
    async commit(record, replaced) {
      if (record.orderId === 'a' && conflicts-- > 0) return 'conflict';
      return store.commit(record, replaced);
    },
  }));
  const page = await overdue(world, ['a', 'b']);
  const seen = new Set<string>();
  const recovered = await recoverPage(world, page, (record) => {
    const isFirst = !seen.has(record.orderId);
    seen.add(record.orderId);
    const steps = record.steps.map(({ name }) => name);
    return isFirst
      ? { type: 'interrupted', reason: 'outage', notBefore: world.clock.now(), steps }
      : expired;
  });
  expect(recovered).toMatchObject({ recovered: 2, interrupted: 1 });
  const failures = page.map(async (id) => (await world.record(id)).failureCount);
  expect(await Promise.all(failures)).toEqual([2, 0]);
});

const outageAfterMs = 30 * second;
const clock = virtualClock();
const begun = clock.now();
/** It began with the orders below, and has lasted for an hour. */
const gap = { from: begun, until: begun + 3_600 * second };
const pending = newOrder('one', begun).record;
const running = claimed(pending, begun);
/** Pending again before the replies to its calls. */
const draining: ProcessRecord = {
  ...pending,
  steps: running.steps,
  notBefore: begun,
  history: running.history,
};

test.each<[string, ProcessRecord, number, 'interrupted' | 'expired']>([
  ['a call that ran out of time', running, 10 * second + 1, 'interrupted'],
  ['a call that is just in time', running, 10 * second, 'expired'],
  ['an order that nobody claimed', pending, 10 * second, 'interrupted'],
  [
    'an order that waits past its own deadline',
    { ...pending, notBefore: begun + 60 * second, deadline: { lateAt: begun, onLate: 'undo' } },
    0,
    'expired',
  ],
  [
    'a call that ran out of time, of an order past its own deadline',
    { ...running, deadline: { lateAt: begun, onLate: 'undo' } },
    10 * second + 1,
    'interrupted',
  ],
  ['an order that may still be claimed', pending, 10 * second - 1, 'expired'],
  ['an order that waits, with a call that is just in time', draining, 10 * second, 'interrupted'],
  [
    'an order that has ended',
    {
      ...running,
      processState: 'Error',
      completeBy: null,
      lockedBy: null,
      fault: { code: 'x', message: 'y', effect: 'none', step: null, action: null },
      steps: pending.steps,
    },
    60 * second,
    'expired',
  ],
])(
  'after an outage the attempts that it delayed are interrupted: %s',
  (_, record, afterMs, type) => {
    clock.jump(begun + afterMs - clock.now());
    const event = eventAfter(() => [gap], clock, outageAfterMs)(record);
    expect(event.type).toBe(type);
    if (event.type === 'interrupted')
      expect(event).toMatchObject({ reason: 'outage', notBefore: clock.now() });
    expect(eventAfter(() => [], clock, outageAfterMs)(record)).toEqual(expired);
  },
);

test('a waiting order with a call that is late for another reason has a failure counted, and no nudge', () => {
  clock.jump(begun + 60 * second - clock.now());
  const later = { from: begun + 50 * second, until: begun + 55 * second };
  const steps = draining.steps.map((step, at) =>
    at === 0 && step.progress.state === 'Running'
      ? { ...step, progress: { ...step.progress, completeBy: begun + second } }
      : step,
  );
  const others = steps.map((step, at) => (at === 0 ? step : (pending.steps[at] ?? step)));
  const event = eventAfter(() => [later], clock, outageAfterMs)({ ...draining, steps: others });
  expect(event).toEqual(expired);
});
