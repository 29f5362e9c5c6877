/**
 * Data from AWS may have been written by any principal with rights on it: each decoder validates it, and fails with
 * one error.
 */
import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type StreamEntry, streamEntry } from '#aws/notifications/process-stream.ts';
import { deadLetterQueues } from '#aws/operator/dead-letter-queues.ts';
import { fromItem, type Item, toItem } from '#aws/store/attributes.ts';
import { dueCursor, listCursor } from '#aws/store/cursors.ts';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { CorruptDataError, ReeveError } from '#core/model/errors.ts';
import { claimed, newOrder } from '../support/orders.ts';
import { rubbish, spoiled } from '../support/spoiled.ts';
import { spoiledItem } from '../support/spoiled-item.ts';

const now = Date.UTC(2026, 0, 1);
const { record } = newOrder('one', now, 'shop');
const before = toItem({ ...encodeRecord(record), DueShard: 1 });
const after = toItem({ ...encodeRecord(claimed(record, now)), DueShard: 1 });

/** The decoded value; undefined for the only allowed error. */
function readOr<Value>(code: string, read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(code.endsWith('-corrupt') ? CorruptDataError : ReeveError);
    expect(error).toMatchObject({ code });
    return undefined;
  }
}

describe('a record of the change stream', () => {
  type Image = NonNullable<DynamoDBRecord['dynamodb']>['NewImage'];
  /** The SDK's items as the event has them. */
  const image = (item: Item): Image => JSON.parse(JSON.stringify(item));
  const entry = (code: string, old: Item, young: Item): StreamEntry | undefined =>
    readOr(code, () =>
      streamEntry({
        eventName: 'MODIFY',
        dynamodb: { OldImage: image(old) ?? {}, NewImage: image(young) ?? {} },
      }),
    );

  test('that is valid is a change', () => {
    expect(entry('', before, after)).toMatchObject({
      kind: 'changed',
      change: { orderId: 'one', previousState: 'Pending', processState: 'Processing' },
    });
  });

  test('with one attribute of the new image corrupted is a change, nothing, or corrupt', () => {
    fc.assert(
      fc.property(spoiledItem(after), (young) => {
        const read = entry('record-corrupt', before, young);
        if (read?.kind === 'changed') expect(read.change.orderId).toBe(young['OrderID']?.S);
        else expect(read?.kind).not.toBe('removed');
      }),
      { numRuns: 300 },
    );
  });

  test('that was removed is identified by its key, or is corrupt', () => {
    const removal = (dynamodb: NonNullable<DynamoDBRecord['dynamodb']>) =>
      readOr('stream-record-corrupt', () => streamEntry({ eventName: 'REMOVE', dynamodb }));
    expect(removal({ Keys: { OrderID: { S: 'one' } } })).toEqual({
      kind: 'removed',
      orderId: 'one',
      submittedAt: null,
      line: null,
    });
    const OldImage = { SubmittedAt: { N: '17' } };
    expect(removal({ Keys: { OrderID: { S: 'one' } }, OldImage })).toMatchObject({
      submittedAt: 17,
    });
    expect(removal({})).toBeUndefined();
    expect(removal({ Keys: { OrderID: { S: 'a copy' } } })).toBeUndefined();
    fc.assert(
      fc.property(spoiledItem({ OrderID: { S: 'one' } }), (keys) => {
        const read = removal({ Keys: image(keys) ?? {} });
        if (read !== undefined) expect(read).toMatchObject({ orderId: keys['OrderID']?.S });
      }),
    );
  });

  test.each<[string, DynamoDBRecord]>([
    [
      'The key of a deleted item is not an order id',
      { eventName: 'REMOVE', dynamodb: { Keys: { OrderID: { S: 'a copy' } } } },
    ],
    [
      'The image before a change has no process state',
      { eventName: 'MODIFY', dynamodb: { OldImage: {}, NewImage: image(after) ?? {} } },
    ],
  ])('that is corrupt has a reason and a remedy: %s', (reason, corrupt) => {
    expect(() => streamEntry(corrupt)).toThrow(
      expect.objectContaining({
        message: `${reason}. See the failure queue of the notifier.`,
        cause: expect.any(Error),
      }),
    );
  });

  test('with an attribute of a type that Reeve does not store lacks it, and is corrupt', () => {
    const Tenant = { BOOL: true };
    expect(entry('record-corrupt', before, { ...after, Tenant })).toBeUndefined();
  });

  test('with one attribute of the old image corrupted has its process state, or is corrupt', () => {
    fc.assert(
      fc.property(spoiledItem(before), (old) => {
        const read = entry('stream-record-corrupt', old, after);
        if (read === undefined) expect(old['ProcessState']).not.toEqual(before['ProcessState']);
        else if (read.kind === 'changed') {
          expect(read.change.previousState).toBe(old['ProcessState']?.S);
        } else expect(old['ProcessState']).toEqual(after['ProcessState']);
      }),
      { numRuns: 300 },
    );
  });
});

test('an item of texts, numbers and nulls is unchanged after a round trip; other types are rejected', () => {
  fc.assert(
    fc.property(spoiledItem(after), (item) => {
      const read = readOr('attribute-unknown', () => fromItem(item));
      const isKnown = Object.values(item).every(({ S, N, NULL: none }) => S ?? N ?? none);
      if (read === undefined) expect(isKnown).toBe(false);
      else expect(fromItem(toItem(read))).toEqual(read);
    }),
  );
});

test('an attribute of a type that Reeve does not store is named in the error', () => {
  expect(() => fromItem({ Steps: { BOOL: true } })).toThrow(
    'Attribute Steps has a type that Reeve does not store.',
  );
});

describe('a cursor', () => {
  const packed = (text: string) => Buffer.from(text).toString('base64url');
  const position = [now, '0af'];
  const place = ['2', String(now), 'one'];
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    rubbish.map(packed),
    spoiled(position).map(packed),
    spoiled(place).map(packed),
    fc.stringMatching(/^[A-Za-z0-9_-]{0,60}$/),
  );

  test('is read back', () => {
    expect(listCursor.decode(packed(JSON.stringify(position)))).toEqual({ at: now, from: '0af' });
    expect(dueCursor.decode(packed(JSON.stringify(place)))).toEqual({
      DueShard: { N: '2' },
      DueAt: { N: String(now) },
      OrderID: { S: 'one' },
    });
  });

  test('that was not issued is rejected, or names the same place after another round trip', () => {
    fc.assert(
      fc.property(text, (cursor) => {
        const listed = readOr('cursor-invalid', () => listCursor.decode(cursor));
        if (listed !== undefined) {
          const again = listCursor.decode(listCursor.encode(listed));
          // Compared as text, because JSON does not distinguish 0 and -0.
          expect(JSON.stringify(again)).toBe(JSON.stringify(listed));
        }
        const due = readOr('cursor-invalid', () => dueCursor.decode(cursor));
        if (due !== undefined) expect(dueCursor.decode(dueCursor.encode(due))).toEqual(due);
      }),
      { numRuns: 500 },
    );
  });
});

test('the queues of dead letters are those that the output names, or it is refused', () => {
  const output = {
    queues: 'https://sqs.eu-west-1.amazonaws.com/123456789012/reeve-prod',
    priorities: ['high', 'normal'],
    agents: ['payment'],
    webhooks: ['shop'],
    submission: true,
    mail: true,
  };
  expect(Object.keys(deadLetterQueues(JSON.stringify(output)))).toEqual([
    'Ready',
    'Agent-payment-Requests',
    'Agent-payment-Replies',
    'Webhook-shop',
    'Submission',
    'Notifications',
    'Changes',
    'Alerts',
    'Mail',
  ]);
  fc.assert(
    fc.property(fc.oneof(spoiled(output), rubbish), (text) => {
      const queues = readOr('outputs-unknown', () => deadLetterQueues(text)) ?? {};
      for (const { dead } of Object.values(queues)) {
        expect(dead.startsWith(`${JSON.parse(text).queues}_dead_`)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});
