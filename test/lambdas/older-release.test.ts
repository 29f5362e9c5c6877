/** A function of an older release meets an order that is one item, as during a deployment: it must change nothing and lose nothing. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { streamEntry } from '#aws/notifications/process-stream.ts';
import { toItem } from '#aws/store/attributes.ts';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { NewerDataError } from '#core/model/errors.ts';
import { schedulerId } from '#core/model/ids.ts';
import { deliveryOf } from '#roles/event-delivery.ts';
import { transitions } from '#roles/transitions/transitions.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { dynamoUnderTest } from '../support/dynamo-under-test.ts';
import { house, newOrder } from '../support/orders.ts';

// The latest version that the release before one-item orders reads. It wrote none, so nothing else of it matters here.
vi.mock('#core/model/extension.ts', async (original) => ({
  ...(await original<typeof import('#core/model/extension.ts')>()),
  formatVersion: 4,
}));

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

const now = Date.UTC(2026, 0, 1);

test('its Scheduler gives the message back, and the order stays as it is', async () => {
  const { store, log, attributes } = await dynamoUnderTest(server);
  const { order, record } = newOrder('one', now);
  await store.create(order, record);
  const before = await attributes(order.orderId);
  const clock = { now: () => now + 1_000, after: systemClock.after };
  const older = transitions({
    store,
    channels: { nudges: { send: async () => {} }, requests: { send: async () => {} } },
    clock,
    ids: systemIds(clock, 'older-release'),
    random: systemRandom,
    log,
    registry: workflowRegistry([house]),
  });
  const claim = { type: 'claim', by: schedulerId('older-release') } as const;
  const [outcome] = await older.apply([{ orderId: order.orderId, event: () => claim }]);
  expect(outcome).toMatchObject({ kind: 'failed', error: expect.any(NewerDataError) });
  expect(outcome && deliveryOf(outcome, log)).toEqual({ kind: 'retry' });
  expect(await attributes(order.orderId)).toEqual(before);
});

test('its notifier leaves the change in the stream for a newer one', () => {
  const { order, record } = newOrder('one', now, 'shop');
  const { details, digest } = order;
  const item = toItem({ ...encodeRecord({ ...record, document: { details, digest } }) });
  const NewImage = JSON.parse(JSON.stringify(item));
  const change = { eventName: 'INSERT', dynamodb: { Keys: {}, NewImage } } as const;
  expect(() => streamEntry(change)).toThrow(NewerDataError);
});
