/** When a channel counts as behind, and when it has caught up. */
import { expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { channelWatch } from '#in-process/channel-backlog.ts';
import { DeliveryError } from '#ports/publisher.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const quarterHour = 15 * 60_000;
const down = new DeliveryError('webhook-unreachable', 'It is down.', { of: 'channel' });
const refused = new DeliveryError('webhook-refused', 'No.', { of: 'message' });
const [one, two] = [orderId('one'), orderId('two')];

/** A channel with two undelivered messages. */
function watched() {
  const clock = virtualClock();
  const log = testLog();
  const watch = channelWatch({ name: 'shop', clock, log });
  watch.added();
  watch.added();
  return { watch, clock, events: () => log.lines.map(({ event }) => event) };
}

test('a channel is behind when it still fails a quarter of an hour after its first failure', () => {
  const { watch, clock, events } = watched();
  watch.failed(one, down);
  clock.jump(quarterHour - 1);
  watch.failed(one, down);
  expect(events()).toEqual([]);
  clock.jump(1);
  watch.failed(one, down);
  expect(events()).toEqual(['channel-behind']);
});

test('an outage that was too short for the log has no line at its end either', () => {
  const { watch, clock, events } = watched();
  watch.failed(one, down);
  clock.jump(quarterHour - 1);
  watch.delivered(one);
  expect(events()).toEqual([]);
  expect(watch.backlog()).toEqual({ name: 'shop', undelivered: 1, failingSince: null });
});

test('each outage of a channel has one line at its start and one at its end', () => {
  const { watch, clock, events } = watched();
  for (const order of [one, two]) {
    watch.failed(order, down);
    clock.jump(quarterHour);
    watch.failed(order, down);
    watch.delivered(order);
  }
  const outage = ['channel-behind', 'channel-caught-up'];
  expect(events()).toEqual([...outage, ...outage]);
});

test.each([
  ['was down', down, null],
  ['failed for an unknown reason', new Error('no'), null],
  ['refused a message', refused, Date.UTC(2026, 0, 1)],
])('a channel that %s, and then accepts the message of another order', (_, error, since) => {
  const { watch } = watched();
  watch.failed(one, error);
  watch.failed(two, down);
  watch.delivered(two);
  expect(watch.backlog()).toEqual({ name: 'shop', undelivered: 1, failingSince: since });
});
