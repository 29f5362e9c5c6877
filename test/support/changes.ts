/** Changes of orders as their submitter is told of them, and a receiver that does not take them. */
import { type Change, changeOf } from '#core/change.ts';
import { orderId } from '#core/ids.ts';
import { NotTold } from '#ports/publisher.ts';
import { newOrder } from './orders.ts';

export function changeFor(id: string, sequence: number): Change {
  const found = changeOf(null, newOrder('one', Date.UTC(2026, 0, 1), 'shop', 'po-7').record);
  if (found === null) throw new Error('a new order is a change');
  return { ...found, orderId: orderId(id), sequence };
}

export const down = new NotTold('webhook-refused', 'Webhook shop answered 503.', { of: 'channel' });

export const textOf = ({ orderId: id, sequence }: Change) => `${id} ${sequence}`;
