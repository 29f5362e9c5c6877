/** The notifier without memory between invocations, as on AWS. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Change, changeOf, type Notification, notificationId } from '#core/model/change.ts';
import { orderId } from '#core/model/ids.ts';
import type { Publication } from '#ports/publisher.ts';
import { notifier } from '#roles/notifier.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';

const fault = {
  code: 'declined',
  message: 'No.',
  effect: 'none',
  step: null,
  action: null,
} as const;

function change(
  id: string,
  sequence: number,
  processState: Change['processState'],
  replyTo: string | null = 'shop',
): Change {
  const found = changeOf(null, newOrder('one', Date.UTC(2026, 0, 1)).record);
  if (found === null) throw new Error('a new order is a change');
  return {
    ...found,
    orderId: orderId(id),
    sequence,
    processState,
    replyTo,
    fault: processState === 'Error' ? fault : null,
  };
}

/** Channels or single deliveries that can fail, and a retry queue that can refuse; each call is a new process. */
function world() {
  const delivered: string[] = [];
  const kept: Notification[] = [];
  const down = new Set<string>();
  const log = testLog();
  const reason: unknown = new Error('it is down');
  const state = {
    refuses: false,
    publisherFails: false,
    answers: Number.POSITIVE_INFINITY,
    reason,
  };
  const sent: string[] = [];
  const channelOf = ({ audience, change: { replyTo } }: Notification) =>
    audience === 'operator' ? 'operators' : String(replyTo);
  const started = () =>
    notifier({
      log,
      publisher: {
        async publish(notifications) {
          sent.push(`publish ${notifications.length}`);
          if (state.publisherFails) throw new Error('nothing works');
          return notifications.slice(0, state.answers).map((one): Publication => {
            const isDown = down.has(channelOf(one)) || down.has(notificationId(one));
            if (isDown) return { kind: 'failed', error: state.reason };
            delivered.push(notificationId(one));
            return { kind: 'delivered' };
          });
        },
      },
      retries: {
        async send(notifications) {
          sent.push(`keep ${notifications.length}`);
          if (state.refuses) throw new Error('SQS is down');
          kept.push(...notifications);
        },
      },
    });
  return {
    delivered,
    kept,
    down,
    log,
    state,
    sent,
    onChanges: (...changes: readonly Change[]) => started().onChanges(changes),
    retry: (notification: Notification) => started().retry(notification),
  };
}

test('a change goes to its submitter, and one to Error to the operators as well', async () => {
  const { onChanges, delivered, kept } = world();
  const settled = await onChanges(
    change('a', 1, 'Pending'),
    change('b', 4, 'Error'),
    change('c', 1, 'Pending', null),
    change('d', 2, 'Error', null),
  );
  expect(settled).toBe(4);
  expect(delivered).toEqual(['a-1-submitter', 'b-4-submitter', 'b-4-operator', 'd-2-operator']);
  expect(kept).toEqual([]);
});

test('an order whose response channel is down raises one alert, however often the delivery is retried (R17)', async () => {
  const { onChanges, retry, delivered, kept, down } = world();
  down.add('shop');
  expect(await onChanges(change('a', 4, 'Error'))).toBe(1);
  for (let tries = 0; tries < 10; tries += 1) {
    for (const one of kept) await expect(retry(one)).rejects.toThrow('it is down');
  }
  expect(delivered).toEqual(['a-4-operator']);
  down.clear();
  for (const one of kept) await retry(one);
  expect(delivered).toEqual(['a-4-operator', 'a-4-submitter']);
});

test('an alert that cannot be delivered delays no status message, and a retry delivers it', async () => {
  const { onChanges, retry, delivered, kept, down } = world();
  down.add('operators');
  expect(await onChanges(change('a', 4, 'Error'), change('b', 1, 'Pending'))).toBe(2);
  expect(delivered).toEqual(['a-4-submitter', 'b-1-submitter']);
  expect(kept.map(notificationId)).toEqual(['a-4-operator']);
  down.clear();
  for (const one of kept) await retry(one);
  expect(delivered.at(-1)).toBe('a-4-operator');
});

test('a channel that is down delays neither another channel nor the stream', async () => {
  const { onChanges, delivered, kept, down, log } = world();
  down.add('desk');
  const settled = await onChanges(
    change('a', 1, 'Pending', 'desk'),
    change('b', 1, 'Pending', 'shop'),
    change('a', 2, 'Processing', 'desk'),
  );
  expect(settled).toBe(3);
  expect(delivered).toEqual(['b-1-submitter']);
  expect(kept.map(notificationId)).toEqual(['a-1-submitter', 'a-2-submitter']);
  expect(log.lines[0]).toEqual({
    event: 'notification-deferred',
    fields: { orderId: 'a', sequence: 1, channel: 'desk', error: 'it is down' },
  });
});

test('a change whose message can be neither delivered nor kept is left to the stream, and not alerted yet', async () => {
  const { onChanges, delivered, down, state, log } = world();
  down.add('desk');
  state.refuses = true;
  const settled = await onChanges(
    change('a', 4, 'Error', 'shop'),
    change('b', 4, 'Error', 'desk'),
    change('c', 4, 'Error', 'shop'),
  );
  expect(settled).toBe(1);
  expect(delivered).toEqual(['a-4-submitter', 'c-4-submitter', 'a-4-operator']);
  expect(log.lines.at(-1)).toEqual({
    event: 'notifications-not-kept',
    fields: { notifications: 1, error: 'SQS is down' },
  });
});

test('an alert that can be neither delivered nor kept is left to the stream', async () => {
  const { onChanges, down, state } = world();
  down.add('operators');
  state.refuses = true;
  expect(await onChanges(change('a', 1, 'Pending'), change('b', 4, 'Error'))).toBe(1);
});

test('after an alert that can be neither delivered nor kept no later one is sent, which the stream would repeat', async () => {
  const { onChanges, delivered, down, state } = world();
  down.add('b-4-operator');
  state.refuses = true;
  const changes = ['a', 'b', 'c'].map((id) => change(id, 4, 'Error', null));
  expect(await onChanges(...changes)).toBe(1);
  expect(delivered).toEqual(['a-4-operator']);
});

test('when an alert is kept, the later ones are kept with it, in one call', async () => {
  const { onChanges, delivered, kept, down } = world();
  down.add('b-4-operator');
  const changes = ['a', 'b', 'c'].map((id) => change(id, 4, 'Error', null));
  expect(await onChanges(...changes)).toBe(3);
  expect(delivered).toEqual(['a-4-operator']);
  expect(kept.map(notificationId)).toEqual(['b-4-operator', 'c-4-operator']);
});

test('a publisher that fails as a whole loses nothing', async () => {
  const { onChanges, retry, kept, state } = world();
  state.publisherFails = true;
  expect(await onChanges(change('a', 4, 'Error'))).toBe(1);
  expect(kept.map(notificationId)).toEqual(['a-4-submitter', 'a-4-operator']);
  for (const one of kept) await expect(retry(one)).rejects.toThrow('nothing works');
});

test('the log has the channel and the reason of each deferred notification; alerts have no channel', async () => {
  const { onChanges, down, state, log } = world();
  down.add('operators');
  state.reason = 'a text';
  await onChanges(change('a', 4, 'Error', 'shop'));
  state.publisherFails = true;
  await onChanges(change('b', 1, 'Pending'));
  const lines = [
    { orderId: 'a', sequence: 4, channel: null, error: 'unknown' },
    { orderId: 'b', sequence: 1, channel: 'shop', error: 'nothing works' },
  ];
  expect(log.lines).toEqual(lines.map((fields) => ({ event: 'notification-deferred', fields })));
});

test('without notifications no port is called, and a delivered notification is not kept', async () => {
  const { onChanges, sent } = world();
  expect(await onChanges(change('a', 1, 'Pending', null))).toBe(1);
  expect(sent).toEqual([]);
  await onChanges(change('b', 1, 'Pending'));
  expect(sent).toEqual(['publish 1']);
});

test('a notification without a result of the publisher is kept', async () => {
  const { onChanges, kept, state } = world();
  state.answers = 1;
  expect(await onChanges(change('a', 1, 'Pending'), change('b', 1, 'Pending'))).toBe(2);
  expect(kept.map(notificationId)).toEqual(['b-1-submitter']);
});

const states = ['Pending', 'Processing', 'Error', 'Processed'] as const;

test('with any combination of outages, each notification is delivered or kept once, or its change comes again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          order: fc.constantFrom('a', 'b'),
          state: fc.constantFrom(...states),
          replyTo: fc.constantFrom('shop', 'desk', null),
          alertFails: fc.boolean(),
        }),
        { maxLength: 8 },
      ),
      fc.subarray(['shop', 'desk', 'operators']),
      fc.boolean(),
      async (drawn, downNow, refuses) => {
        const { onChanges, delivered, kept, down, state } = world();
        for (const channel of downNow) down.add(channel);
        state.refuses = refuses;
        const changes = drawn.map(({ order, state: to, replyTo, alertFails }, at) => {
          if (alertFails) down.add(`${order}-${at + 1}-operator`);
          return change(order, at + 1, to, replyTo);
        });
        const settled = await onChanges(...changes);
        const handled = [...delivered, ...kept.map(notificationId)];
        expect(new Set(handled).size).toBe(handled.length);
        for (const [place, { orderId: id, sequence, processState, replyTo }] of changes.entries()) {
          const has = (audience: string) => handled.includes(`${id}-${sequence}-${audience}`);
          if (place < settled && replyTo !== null) expect(has('submitter')).toBe(true);
          if (place < settled && processState === 'Error') expect(has('operator')).toBe(true);
          // Otherwise each redelivery by the stream would alert once more.
          if (place > settled) expect(has('operator')).toBe(false);
        }
      },
    ),
  );
});
