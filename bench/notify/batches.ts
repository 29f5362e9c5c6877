/** Batches of the change stream: complete orders in sequence, as the stream's filters pass them. */
import type { DynamoDBRecord } from 'aws-lambda';
import { toItem } from '#aws/store/attributes.ts';
import { encodeRecord } from '#core/codec/record-codec.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { claimed, newOrder, succeeded } from '../../test/support/orders.ts';

/** The batch size of lib/infra/operations/notifications.ts. */
const batchSize = 100;
const now = Date.UTC(2026, 0, 1);

export interface Batch {
  readonly Records: readonly DynamoDBRecord[];
  /** The number of status messages for its changes. */
  readonly delivered: number;
}

let orders = 0;

/** A batch of new orders, all with this response channel. */
export function batch(channel: string): Batch {
  const records: DynamoDBRecord[] = [];
  let delivered = 0;
  while (records.length < batchSize) {
    orders += 1;
    const life = lifeOf(`order-${orders}`, channel);
    for (const [at, record] of life.entries()) {
      const before = life[at - 1] ?? null;
      records.push(streamed(before, record, records.length));
      if (before?.processState !== record.processState) delivered += 1;
    }
  }
  return { Records: records, delivered };
}

/** Three steps without a failure: five revisions, three of which change the process state. */
function lifeOf(id: string, channel: string): readonly ProcessRecord[] {
  const revisions: ProcessRecord[] = [newOrder(id, now, channel).record];
  let last: ProcessRecord = claimed(newOrder(id, now, channel).record, now);
  revisions.push(last);
  for (const step of ['east', 'west', 'roof']) {
    last = succeeded(last, step, now + 1);
    revisions.push(last);
  }
  return revisions;
}

function streamed(
  before: ProcessRecord | null,
  after: ProcessRecord,
  place: number,
): DynamoDBRecord {
  return {
    eventName: before === null ? 'INSERT' : 'MODIFY',
    dynamodb: {
      SequenceNumber: String(place),
      Keys: { OrderID: { S: after.orderId } },
      ...(before !== null && { OldImage: image(before) }),
      NewImage: image(after),
    },
  };
}

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;

/** Converts the SDK's items to the form of the event. */
function image(record: ProcessRecord): Image {
  return JSON.parse(JSON.stringify(toItem({ ...encodeRecord(record), DueShard: 1 })));
}
