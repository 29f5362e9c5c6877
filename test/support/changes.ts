/** Changes of orders as their submitter receives them, and a receiver that rejects them. */
import type { DynamoDBRecord } from 'aws-lambda';
import { toItem } from '#aws/store/attributes.ts';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { type Change, changeOf } from '#core/model/change.ts';
import { orderId } from '#core/model/ids.ts';
import { DeliveryError } from '#ports/publisher.ts';
import { claimed, newOrder, next } from './orders.ts';

export function changeFor(id: string, sequence: number): Change {
  const found = changeOf(null, newOrder('one', Date.UTC(2026, 0, 1), 'shop', 'po-7').record);
  if (found === null) throw new Error('a new order is a change');
  return { ...found, orderId: orderId(id), sequence };
}

export const down = new DeliveryError('webhook-refused', 'Webhook shop answered 503.', {
  of: 'channel',
});

export const textOf = ({ orderId: id, sequence }: Change) => `${id} ${sequence}`;

/** The change of an order to Error, as the stream reports it. */
export function changeToError() {
  const now = Date.UTC(2026, 0, 1);
  const { record: pending } = newOrder('one', now, 'shop');
  const undoing = next(claimed(pending, now), { type: 'cancel', by: 'test' }, now + 1);
  const fault = { code: 'x', message: 'y', effect: 'none', step: null, action: null } as const;
  const stopped = { ...undoing, processState: 'Error', lockedBy: null, fault } as const;
  const change = changeOf('Processing', stopped);
  if (change === null) throw new Error('it is one');
  const NewImage: NonNullable<DynamoDBRecord['dynamodb']>['NewImage'] = JSON.parse(
    JSON.stringify(toItem({ ...encodeRecord(stopped) })),
  );
  const record = {
    eventName: 'MODIFY',
    dynamodb: {
      Keys: { OrderID: { S: 'one' } },
      NewImage: NewImage ?? {},
      OldImage: { ProcessState: { S: 'Processing' }, Steps: { S: 'large' } },
      SequenceNumber: '7',
    },
  } as const;
  return { change, record };
}
