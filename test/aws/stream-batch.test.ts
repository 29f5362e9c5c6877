import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StreamRecord } from '#aws/lambda-events.ts';
import { deliverStream, type StreamConsumer } from '#aws/notifications/stream-batch.ts';
import { type Item, toItem } from '#aws/store/attributes.ts';
import { encodeRecord } from '#core/codec/record-codec.ts';
import type { Change } from '#core/model/change.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { testLog } from '../support/log.ts';
import { claimed, newOrder, next, succeeded } from '../support/orders.ts';

const now = Date.UTC(2026, 0, 1);

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;

/** The SDK's items as the event has them. */
function image(item: Item): Image {
  return JSON.parse(JSON.stringify(item));
}

let sequence = 0;
function modified(before: ProcessRecord | null, after: ProcessRecord): DynamoDBRecord {
  sequence += 1;
  return {
    eventName: before === null ? 'INSERT' : 'MODIFY',
    dynamodb: {
      SequenceNumber: String(sequence),
      Keys: { OrderID: { S: after.orderId } },
      ...(before !== null && { OldImage: image(toItem({ ...encodeRecord(before) })) }),
      NewImage: image(toItem({ ...encodeRecord(after), DueShard: 1 })),
    },
  };
}
const removed = (id: string): DynamoDBRecord => {
  sequence += 1;
  return {
    eventName: 'REMOVE',
    dynamodb: { SequenceNumber: String(sequence), Keys: { OrderID: { S: id } } },
  };
};

/** The whole life of an order as stream records. */
function life(id: string): DynamoDBRecord[] {
  const revisions: ProcessRecord[] = [newOrder(id, now, 'shop').record];
  const step = (to: (record: ProcessRecord) => ProcessRecord) => {
    const last = revisions.at(-1);
    if (last !== undefined) revisions.push(to(last));
  };
  step((record) => claimed(record, now));
  for (const wall of ['east', 'west', 'roof']) step((record) => succeeded(record, wall, now + 1));
  return revisions.map((record, at) => modified(revisions[at - 1] ?? null, record));
}

/** @param keeps whether a change can be delivered or queued */
function consumer(keeps: (change: Change) => boolean = () => true) {
  const delivered: Change[] = [];
  const forgotten: string[] = [];
  const parked: string[] = [];
  const log = testLog();
  const of: StreamConsumer = {
    log,
    notifier: {
      async onChanges(changes) {
        const first = changes.findIndex((change) => !keeps(change));
        const settled = first < 0 ? changes.length : first;
        delivered.push(...changes.slice(0, settled));
        return settled;
      },
    },
    async forget(gone) {
      forgotten.push(
        ...gone.map(
          ({ orderId, submittedAt, line }) =>
            `${orderId}${submittedAt === null ? '' : ` at ${submittedAt}`}${line === null ? '' : ` of ${line}`}`,
        ),
      );
    },
    async park({ dynamodb }, reason) {
      parked.push(`${dynamodb?.SequenceNumber} ${reason}`);
    },
  };
  return { delivered, forgotten, parked, log, of };
}

test('the changes of process state in a life are delivered in order', async () => {
  const { delivered, of } = consumer();
  const { response, stopped } = await deliverStream({ Records: life('one') }, of);
  expect(
    delivered.map(({ sequence: number, previousState, processState }) => [
      number,
      previousState,
      processState,
    ]),
  ).toEqual([
    [1, null, 'Pending'],
    [2, 'Pending', 'Processing'],
    [5, 'Processing', 'Processed'],
  ]);
  expect(response).toEqual({ batchItemFailures: [] });
  expect(stopped).toEqual({ Processed: 1, Undone: 0, Error: 0 });
});

test('the stream continues at the first unsettled change', async () => {
  const records = [...life('good'), ...life('bad'), ...life('late')];
  const { delivered, of } = consumer(({ orderId }) => orderId !== 'bad');
  const { response, stopped } = await deliverStream({ Records: records }, of);
  expect(response.batchItemFailures).toEqual([
    { itemIdentifier: records[5]?.dynamodb?.SequenceNumber },
  ]);
  expect(delivered.map(({ orderId }) => orderId)).toEqual(['good', 'good', 'good']);
  // Changes that are delivered again are counted then.
  expect(stopped).toEqual({ Processed: 1, Undone: 0, Error: 0 });
});

test('with several failures, the stream continues at the first', async () => {
  const poison = spoiled(life('poison').slice(0, 1));
  const records = [...life('good'), removed('gone'), ...poison, ...life('late')];
  const { delivered, of } = consumer();
  const failing = {
    ...of,
    forget: () => Promise.reject(new Error('throttled')),
    park: () => Promise.reject(new Error('no queue')),
  };
  const { response } = await deliverStream({ Records: records }, failing);
  expect(response.batchItemFailures).toEqual([
    { itemIdentifier: records[5]?.dynamodb?.SequenceNumber },
  ]);
  expect(delivered).toHaveLength(3);
});

test('each end is counted by its state', async () => {
  const undone = life('undone').map((record) => record);
  const last = undone.at(-1)?.dynamodb?.NewImage;
  if (last !== undefined) last['ProcessState'] = { S: 'Undone' };
  const { stopped } = await deliverStream({ Records: [...undone, ...life('two')] }, consumer().of);
  expect(stopped).toEqual({ Processed: 1, Undone: 1, Error: 0 });
});

test('an order in Error is counted as one', async () => {
  const { record } = newOrder('one', now);
  const running = claimed(record, now);
  const undoing = next(running, { type: 'cancel', by: 'test' }, now + 1);
  const { stopped } = await deliverStream(
    {
      Records: [
        modified(running, {
          ...undoing,
          processState: 'Error',
          lockedBy: null,
          fault: { code: 'x', message: 'y', effect: 'none', step: null, action: null },
        }),
      ],
    },
    consumer().of,
  );
  expect(stopped).toEqual({ Processed: 0, Undone: 0, Error: 1 });
});

test('orders of expired records are deleted together', async () => {
  const { forgotten, of } = consumer();
  const { response } = await deliverStream({ Records: [removed('a'), removed('b')] }, of);
  expect(forgotten.toSorted()).toEqual(['a', 'b']);
  expect(response.batchItemFailures).toEqual([]);
});

test('records whose orders were not deleted are delivered again', async () => {
  const { of, log } = consumer();
  const records = [...life('one'), removed('a'), ...life('two')];
  const failing = { ...of, forget: () => Promise.reject(new Error('throttled')) };
  const { response } = await deliverStream({ Records: records }, failing);
  expect(response.batchItemFailures).toEqual([
    { itemIdentifier: records[5]?.dynamodb?.SequenceNumber },
  ]);
  expect(log.lines).toEqual([
    { event: 'orders-not-deleted', fields: { orders: 1, error: 'throttled' } },
  ]);
});

test('without expired records, nothing is deleted', async () => {
  const { of } = consumer();
  const failing = { ...of, forget: () => Promise.reject(new Error('nothing to do')) };
  const { response } = await deliverStream({ Records: life('one') }, failing);
  expect(response.batchItemFailures).toEqual([]);
});

/** With steps that no version of Reeve wrote. */
function spoiled(records: readonly DynamoDBRecord[]): readonly DynamoDBRecord[] {
  for (const { dynamodb } of records) {
    if (dynamodb?.NewImage !== undefined) dynamodb.NewImage['Steps'] = { S: '?' };
  }
  return records;
}

test('a record that no version wrote is parked with the reason, and delays no other', async () => {
  const poison = spoiled(life('bad').slice(0, 1));
  const { delivered, parked, of } = consumer();
  const { response } = await deliverStream({ Records: [...poison, ...life('good')] }, of);
  expect(response.batchItemFailures).toEqual([]);
  expect(parked).toEqual([`${poison[0]?.dynamodb?.SequenceNumber} record-corrupt`]);
  expect(delivered).toHaveLength(3);
});

test('changes after a record that could not be parked are not delivered yet', async () => {
  const poison = spoiled(life('bad').slice(0, 1));
  const { delivered, log, of } = consumer();
  const failing = { ...of, park: () => Promise.reject(new Error('no queue')) };
  const { response } = await deliverStream({ Records: [...poison, ...life('good')] }, failing);
  expect(response.batchItemFailures).toEqual([
    { itemIdentifier: poison[0]?.dynamodb?.SequenceNumber },
  ]);
  expect(delivered).toEqual([]);
  expect(log.lines).toEqual([
    {
      event: 'parking-failed',
      fields: { orderId: 'bad', reason: 'record-corrupt', error: 'no queue' },
    },
  ]);
});

test('a record that the stream delivers again is not parked yet: each delivery would park it once more', async () => {
  const poison = spoiled(life('bad').slice(0, 1));
  const last = spoiled(life('worse').slice(0, 1));
  const newer = consumer();
  const before = ofNewer(life('newer').slice(0, 1));
  await deliverStream({ Records: [...poison, ...before, ...last] }, newer.of);
  expect(newer.parked).toEqual([`${poison[0]?.dynamodb?.SequenceNumber} record-corrupt`]);
  const kept = consumer();
  const failing = { ...kept.of, forget: () => Promise.reject(new Error('throttled')) };
  await deliverStream({ Records: [removed('a'), ...last] }, failing);
  expect(kept.parked).toEqual([]);
  const tried: unknown[] = [];
  const park = ({ dynamodb }: StreamRecord) => {
    tried.push(dynamodb?.SequenceNumber);
    return Promise.reject(new Error('no queue'));
  };
  await deliverStream({ Records: [...poison, ...last] }, { ...kept.of, park });
  expect(tried).toEqual([poison[0]?.dynamodb?.SequenceNumber]);
});

test('an error without a message, for a record without a key, is logged as unknown', async () => {
  const { log, of } = consumer();
  const failing = { ...of, park: () => Promise.reject('no error') };
  const nameless = { eventName: 'INSERT', dynamodb: { SequenceNumber: '7' } } as const;
  const { response } = await deliverStream({ Records: [nameless] }, failing);
  expect(response.batchItemFailures).toEqual([{ itemIdentifier: '7' }]);
  expect(log.lines.map(({ fields }) => fields)).toEqual([
    { orderId: '', reason: 'record-corrupt', error: 'unknown' },
  ]);
});

/** Records as a newer release writes them. */
function ofNewer(records: readonly DynamoDBRecord[]): readonly DynamoDBRecord[] {
  for (const { dynamodb } of records) {
    if (dynamodb?.NewImage !== undefined) dynamodb.NewImage['Format'] = { N: '1000' };
  }
  return records;
}

test('a record that a newer release wrote is left to it, with all that follows', async () => {
  const newer = ofNewer(life('newer').slice(0, 2));
  const records = [...life('good'), ...newer, ...life('late')];
  const { delivered, parked, log, of } = consumer();
  const { response } = await deliverStream({ Records: records }, of);
  expect(response.batchItemFailures).toEqual([
    { itemIdentifier: newer[0]?.dynamodb?.SequenceNumber },
  ]);
  expect(new Set(delivered.map(({ orderId }) => orderId))).toEqual(new Set(['good']));
  expect(parked).toEqual([]);
  expect(log.lines).toEqual([{ event: 'change-newer', fields: { changes: 7 } }]);
});

test('a record of a newer release at the beginning of a batch leaves the whole batch unsettled', async () => {
  const newer = ofNewer(life('newer').slice(0, 1));
  const { delivered, of } = consumer();
  const { response } = await deliverStream({ Records: [...newer, ...life('late')] }, of);
  expect(response.batchItemFailures).toEqual([
    { itemIdentifier: newer[0]?.dynamodb?.SequenceNumber },
  ]);
  expect(delivered).toEqual([]);
});

test('an end that is not settled is not counted', async () => {
  const { of } = consumer(({ processState }) => processState !== 'Processed');
  const { stopped } = await deliverStream({ Records: life('one') }, of);
  expect(stopped).toEqual({ Processed: 0, Undone: 0, Error: 0 });
});

test('an empty batch is answered', async () => {
  const { response, stopped } = await deliverStream({ Records: [] }, consumer().of);
  expect(response).toEqual({ batchItemFailures: [] });
  expect(stopped).toEqual({ Processed: 0, Undone: 0, Error: 0 });
});

const down = () => Promise.reject(new Error('no queue'));

test('a failure without a sequence number fails the batch', async () => {
  const [first] = life('bad');
  const nameless = { ...first, dynamodb: { ...first?.dynamodb } };
  delete nameless.dynamodb.SequenceNumber;
  const { of } = consumer(() => false);
  await expect(deliverStream({ Records: [nameless] }, of)).rejects.toMatchObject({
    code: 'stream-record-corrupt',
    message: expect.stringContaining('See the failure queue of the notifier.'),
  });
  const { dynamodb: _, ...bare } = nameless;
  await expect(deliverStream({ Records: [bare] }, { ...of, park: down })).rejects.toMatchObject({
    code: 'stream-record-corrupt',
  });
});

const attributeValue = fc.oneof(
  fc.record({ S: fc.string() }),
  fc.record({ N: fc.oneof(fc.integer().map(String), fc.string()) }),
  fc.record({ NULL: fc.boolean() }),
  fc.record({ BOOL: fc.boolean() }),
);
const sound = life('sound').at(1)?.dynamodb?.NewImage ?? {};

test('for every image the batch is answered, and unreadable records are parked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(sound)),
      attributeValue,
      fc.boolean(),
      async (name, value, isGone) => {
        const { [name]: _, ...rest } = sound;
        const edited: DynamoDBRecord = {
          eventName: 'INSERT',
          dynamodb: {
            SequenceNumber: '7',
            Keys: { OrderID: { S: 'sound' } },
            NewImage: isGone ? rest : { ...rest, [name]: value },
          },
        };
        const { delivered, parked, of } = consumer();
        const { response } = await deliverStream({ Records: [edited] }, of);
        expect(response.batchItemFailures).toEqual([]);
        expect(parked.length + delivered.length).toBe(1);
      },
    ),
  );
});

test('a deleted record with the details of its order leaves nothing to delete', async () => {
  const { forgotten, parked, of } = consumer();
  const record = removed('small');
  const OldImage = { Details: { S: '{}' }, Digest: { S: '' } };
  const whole = { ...record, dynamodb: { ...record.dynamodb, OldImage } };
  const { response } = await deliverStream({ Records: [whole, removed('large')] }, of);
  expect(response.batchItemFailures).toEqual([]);
  expect([forgotten, parked]).toEqual([['large'], []]);
});

test('a change tells nobody the details of its order, which its images have', async () => {
  const { order, record } = newOrder('one', now, 'shop');
  const { digest } = order;
  const whole = { ...record, document: { details: { name: 'Ada Example' }, digest } };
  const { delivered, of } = consumer();
  await deliverStream(
    { Records: [modified(null, whole), modified(whole, claimed(whole, now))] },
    of,
  );
  expect(delivered.map(({ processState }) => processState)).toEqual(['Pending', 'Processing']);
  expect(JSON.stringify(delivered)).not.toMatch(/Ada|digest/);
});

test('a deleted record with a singleton key names its line', async () => {
  const { forgotten, of } = consumer();
  const line = 'a'.repeat(40);
  const record = removed('gone');
  const { dynamodb } = record;
  const keyed = { ...record, dynamodb: { ...dynamodb, OldImage: { Line: { S: line } } } };
  const odd = { ...record, dynamodb: { ...dynamodb, OldImage: { Line: { S: 'odd' } } } };
  await deliverStream({ Records: [removed('plain'), keyed, odd] }, of);
  expect(forgotten).toEqual(['plain', `gone of ${line}`]);
});

test('a deleted record names the instant of its submission, unless it is damaged', async () => {
  const { forgotten, of } = consumer();
  const record = removed('gone');
  const { dynamodb } = record;
  const submitted = (SubmittedAt: { N: string } | { S: string }) => ({
    ...record,
    dynamodb: { ...dynamodb, OldImage: { SubmittedAt } },
  });
  const Records = [submitted({ N: '7' }), submitted({ N: '1e400' }), submitted({ S: '7' })];
  await deliverStream({ Records }, of);
  expect(forgotten).toEqual(['gone at 7', 'gone', 'gone']);
});
