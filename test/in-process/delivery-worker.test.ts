/** The deliveries to one audience, change by change; the test settles each delivery. */
import { expect, test } from 'vitest';
import { type Change, changeOf } from '#core/model/change.ts';
import { deliveryWorker } from '#in-process/delivery-worker.ts';
import type { StoredChange } from '#ports/outbox.ts';
import { DeliveryError } from '#ports/publisher.ts';
import { newOrder } from '../support/orders.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

function stored(id: string, sequence: number): StoredChange {
  const change = changeOf(null, newOrder(id, 0, 'shop').record);
  if (change === null) throw new Error('A new order with a response channel is a change.');
  return { seq: sequence, change: { ...change, sequence }, audience: 'submitter' };
}

function under(atOnce = 16) {
  const clock = virtualClock();
  const deliveries: {
    what: string;
    at: number;
    answer: () => void;
    fail: (error: unknown) => void;
  }[] = [];
  const failed: [Change, unknown][] = [];
  const { add, stop } = deliveryWorker({
    atOnce,
    deliver({ change: { orderId, sequence } }) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const what = `${orderId} ${sequence}`;
      deliveries.push({ what, at: clock.now(), answer: resolve, fail: reject });
      return promise;
    },
    failed: (change, error) => failed.push([change, error]),
    settled() {},
    clock,
  });
  return {
    clock,
    stop,
    deliveries,
    failed,
    add: (id: string, sequence: number) => add(stored(id, sequence)),
    delivered: () => deliveries.map(({ what }) => what),
  };
}

const down = new Error('down');
const refusal = new DeliveryError('webhook-refused', 'No.', { of: 'message', retryAfterMs: null });

test('a later change of an order without a backlog is delivered too', async () => {
  const { add, deliveries, delivered } = under();
  add('one', 1);
  deliveries[0]?.answer();
  await settled();
  add('one', 2);
  await settled();
  expect(delivered()).toEqual(['one 1', 'one 2']);
});

test('concurrent failures of a channel count as one', async () => {
  const { add, clock, deliveries, delivered } = under();
  const ids = ['one', 'two', 'three', 'four'];
  for (const id of ids) add(id, 1);
  for (const { fail } of deliveries) fail(down);
  await clock.advance(499);
  expect(delivered()).toHaveLength(4);
  await clock.advance(1);
  expect(delivered().slice(4)).toEqual(['one 1']);
  // The second failure in a row.
  deliveries[4]?.fail(down);
  await clock.advance(999);
  expect(delivered()).toHaveLength(5);
  await clock.advance(1);
  expect(delivered().slice(5)).toEqual(['two 1']);
});

test('at most the allowed number of orders is in flight, and one after a failure of the channel', async () => {
  const { add, clock, deliveries, delivered } = under(2);
  for (const id of ['one', 'two', 'three']) add(id, 1);
  expect(delivered()).toEqual(['one 1', 'two 1']);
  deliveries[0]?.fail(down);
  await clock.advance(500);
  // The other is still in flight.
  expect(delivered()).toEqual(['one 1', 'two 1']);
  deliveries[1]?.answer();
  await settled();
  expect(delivered().slice(2)).toEqual(['three 1', 'one 1']);
});

test.each([
  ['of the channel', down],
  ['of the message', refusal],
])('after a stop a failure (%s) is not logged, and no timer is left', async (_, error) => {
  const { add, clock, failed, stop, deliveries, delivered } = under();
  for (const id of ['one', 'two']) add(id, 1);
  deliveries[0]?.fail(error);
  await settled();
  expect(clock.pending()).toBe(1);
  expect(failed).toEqual([[stored('one', 1).change, error]]);
  stop();
  expect(clock.pending()).toBe(0);
  deliveries[1]?.fail(error);
  await settled();
  expect(clock.pending()).toBe(0);
  await clock.advance(7 * 86_400_000);
  expect([failed.length, delivered()]).toEqual([1, ['one 1', 'two 1']]);
});

test('after a stop no further change is delivered, except the one in flight', async () => {
  const { add, clock, stop, deliveries, delivered } = under();
  add('one', 1);
  add('one', 2);
  stop();
  deliveries[0]?.answer();
  add('two', 1);
  await clock.advance(86_400_000);
  expect(delivered()).toEqual(['one 1']);
});

test('the waits of a rejected message grow to an hour, and start again after it is accepted', async () => {
  const { add, clock, deliveries } = under();
  add('one', 1);
  add('one', 2);
  const waits: number[] = [];
  for (let tries = 0; tries < 16; tries += 1) {
    deliveries.at(-1)?.fail(refusal);
    const { length } = deliveries;
    await clock.advance(3_600_000);
    waits.push((deliveries.at(-1)?.at ?? 0) - (deliveries[length - 1]?.at ?? 0));
    clock.jump((deliveries.at(-1)?.at ?? 0) - clock.now());
  }
  expect(waits.slice(0, 3)).toEqual([500, 1_000, 2_000]);
  expect(waits.slice(-3)).toEqual([3_600_000, 3_600_000, 3_600_000]);
  deliveries.at(-1)?.answer();
  await settled();
  const at = deliveries.at(-1)?.at ?? 0;
  deliveries.at(-1)?.fail(refusal);
  await clock.advance(500);
  expect((deliveries.at(-1)?.at ?? 0) - at).toBe(500);
});
