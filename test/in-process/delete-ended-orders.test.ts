/** Ended orders are deleted periodically while Reeve runs. */
import { expect, onTestFinished, test } from 'vitest';
import { retention } from '#in-process/delete-ended-orders.ts';
import { accepted, ended, opened } from '../support/stored-data.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const keepMs = 60_000;

function running() {
  const clock = virtualClock();
  const { store, log } = opened(':memory:');
  const stop = retention({ store, keepMs, clock, log });
  onTestFinished(stop);
  return { clock, store, log, stop };
}

test('ended orders are deleted at the first pass after their retention, and the log gives their number', async () => {
  const { clock, store, log } = running();
  await accepted(store, 'live');
  for (const id of ['one', 'two']) await ended(store, id, clock.now());
  // It ended a millisecond later, so at the pass after a minute it is not older than a minute.
  await clock.advance(69_999);
  expect(log.lines).toEqual([]);
  await clock.advance(1);
  const forgotten = { event: 'ended-orders-deleted', fields: { orders: 2 } };
  expect(log.lines).toEqual([forgotten]);
  await ended(store, 'three', clock.now());
  await clock.advance(600_000);
  expect(log.lines).toEqual([forgotten, { ...forgotten, fields: { orders: 1 } }]);
});

test('as many orders are deleted as end, also where thousands end in a second', async () => {
  const { clock, store, log } = running();
  await accepted(store, 'live');
  for (let at = 0; at < 1_600; at += 1) await ended(store, `old-${at}`, clock.now());
  await clock.advance(70_000);
  await clock.advance(100);
  const deleted = log.lines.map(({ fields }) => Number(fields['orders']));
  expect(deleted).toEqual([499, 500, 500, 101]);
});

test('a clock that jumps ahead by a month deletes no order within a day, and none after it was set right', async () => {
  const { clock, store, log } = running();
  await ended(store, 'one', clock.now());
  await clock.advance(30_000);
  clock.jump(30 * 24 * 3_600_000);
  // The timers that are overdue run.
  await clock.advance(1);
  expect(log.lines).toMatchObject([{ event: 'clock-jumped' }]);
  clock.jump(-30 * 24 * 3_600_000);
  await clock.advance(20_000);
  expect(log.lines.length).toBe(1);
});

test('a clock that remains ahead is followed after a day', async () => {
  const { clock, store, log } = running();
  await clock.advance(10_000);
  clock.jump(30 * 24 * 3_600_000);
  await ended(store, 'new', clock.now() - 29 * 24 * 3_600_000);
  await clock.advance(24 * 3_600_000 - 20_000);
  expect(log.lines.map(({ event }) => event)).toEqual(['clock-jumped']);
  await clock.advance(20_000);
  expect(log.lines.map(({ event }) => event)).toEqual(['clock-jumped', 'ended-orders-deleted']);
});

test('a clock that jumps again just before it would be followed is not followed within an hour', async () => {
  const hourMs = 3_600_000;
  const clock = virtualClock();
  const { store, log } = opened(':memory:');
  onTestFinished(retention({ store, keepMs: 7 * 24 * hourMs, clock, log }));
  await clock.advance(10_000);
  clock.jump(1_200_000);
  await clock.advance(24 * hourMs - 1_800_000);
  await ended(store, 'one', clock.now());
  clock.jump(365 * 24 * hourMs);
  await clock.advance(hourMs - 30_000);
  expect(log.lines.map(({ event }) => event)).toEqual(['clock-jumped']);
  clock.jump(-365 * 24 * hourMs);
  await clock.advance(24 * hourMs);
  expect(log.lines.map(({ event }) => event)).toEqual(['clock-jumped']);
});

test('a start with a clock that is a month ahead deletes by the time of the newest order for a day', async () => {
  const clock = virtualClock();
  const { store, log } = opened(':memory:');
  await ended(store, 'one', clock.now());
  clock.jump(30 * 24 * 3_600_000);
  onTestFinished(retention({ store, keepMs: 7 * 24 * 3_600_000, clock, log }));
  await clock.advance(23 * 3_600_000);
  expect(log.lines).toEqual([]);
  await clock.advance(3_600_000);
  expect(log.lines.map(({ event }) => event)).toEqual(['ended-orders-deleted']);
});

test('a failed deletion is logged and retried', async () => {
  const { clock, store, log } = running();
  store.close();
  await clock.advance(29_999);
  const failed = {
    event: 'retention-failed',
    fields: { error: 'The state store :memory: is closed.' },
  };
  expect(log.lines).toEqual([failed, failed]);
});

test('after a stop there is no deletion, and no failure is logged', async () => {
  const { clock, store, log, stop } = running();
  await ended(store, 'one', clock.now() - 2 * keepMs);
  stop();
  await clock.advance(60_000);
  expect(log.lines).toEqual([]);
});

test.each([
  ['fails', async () => Promise.reject(new Error('closed'))],
  ['forgets something', async () => ({ deleted: 1, hasMore: true })],
])('after a stop during a look that then %s there is no other', async (_, end) => {
  const clock = virtualClock();
  const { store, log } = opened(':memory:');
  const { promise, resolve } = Promise.withResolvers<void>();
  let looks = 0;
  const waiting = {
    ...store,
    async deleteEnded() {
      looks += 1;
      await promise;
      return end();
    },
  };
  const stop = retention({ store: waiting, keepMs, clock, log });
  await clock.advance(10_000);
  stop();
  resolve();
  await clock.advance(60_000);
  expect([looks, clock.pending()]).toEqual([1, 0]);
  expect(log.lines.filter(({ event }) => event === 'retention-failed')).toEqual([]);
});

test('a deletion that throws a value other than an Error is logged too', async () => {
  const clock = virtualClock();
  const { store, log } = opened(':memory:');
  const failing = { ...store, deleteEnded: () => Promise.reject('no') };
  onTestFinished(retention({ store: failing, keepMs, clock, log }));
  await clock.advance(10_000);
  expect(log.lines).toEqual([{ event: 'retention-failed', fields: { error: 'unknown' } }]);
});
