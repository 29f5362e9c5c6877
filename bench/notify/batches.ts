/** Batches of the change stream: whole lives of orders, one after the other, as the stream's filters let them through. */
import type { DynamoDBRecord } from 'aws-lambda';
import { toItem } from '#aws/store/attributes.ts';
import { encodeRecord } from '#core/codec/record-codec.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { claimed, newOrder, succeeded } from '../../test/support/orders.ts';

/** As lib/infra/operations/notifications.ts asks for them. */
const batchSize = 100;
const now = Date.UTC(2026, 0, 1);

export interface Batch {
  readonly Records: readonly DynamoDBRecord[];
  /** Status messages that its changes are. */
  readonly told: number;
}

let orders = 0;

/** Of new orders, each of whose submitters is told by this channel. */
export function batch(channel: string): Batch {
  const records: DynamoDBRecord[] = [];
  let told = 0;
  while (records.length < batchSize) {
    orders += 1;
    const life = lifeOf(`order-${orders}`, channel);
    for (const [at, record] of life.entries()) {
      const before = life[at - 1] ?? null;
      records.push(streamed(before, record, records.length));
      if (before?.processState !== record.processState) told += 1;
    }
  }
  return { Records: records, told };
}

/** Three steps that go well: five revisions, of which three are a change of process state. */
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

/** The SDK's items as the event has them. */
function image(record: ProcessRecord): Image {
  return JSON.parse(JSON.stringify(toItem({ ...encodeRecord(record), DueShard: 1 })));
}
