/** Reads records of the Processes table's change stream. */

import * as z from 'zod';
import type { StreamImage, StreamRecord } from '#aws/lambda-events.ts';
import { fromItem, type Item } from '#aws/store/attributes.ts';
import type { RemovedOrder } from '#aws/store/forget-orders.ts';
import { recordOfAttributes } from '#aws/store/record-item.ts';
import { type Change, changeOf } from '#core/model/change.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import { type LineName, lineName, type OrderId, orderId } from '#core/model/ids.ts';
import { processStates } from '#core/model/record.ts';

export type StreamEntry =
  /** The process state changed. */
  | { readonly kind: 'changed'; readonly change: Change }
  /** DynamoDB deleted the record when it expired, and the order has other items. */
  | ({ readonly kind: 'removed' } & RemovedOrder)
  | { readonly kind: 'nothing' };

const stateSchema = z.object({ ProcessState: z.enum(processStates) });

/**
 * @throws {CorruptDataError} when no version of Reeve wrote it
 * @throws {NewerDataError} `record-newer`
 */
export function streamEntry({ eventName, dynamodb }: StreamRecord): StreamEntry {
  if (eventName === 'REMOVE') return removed(dynamodb);
  const stored = recordOfAttributes(plain(dynamodb?.NewImage));
  const before = dynamodb?.OldImage;
  const previousState = before === undefined ? null : stateOf(before);
  const change = changeOf(previousState, stored);
  return change === null ? { kind: 'nothing' } : { kind: 'changed', change };
}

/** The document of an order without items of its own was a part of the item. Another order may have its id by now. */
function removed({ Keys, OldImage }: NonNullable<StreamRecord['dynamodb']> = {}): StreamEntry {
  const line = lineOf(OldImage);
  return OldImage?.['Details'] !== undefined && line === null
    ? { kind: 'nothing' }
    : { kind: 'removed', orderId: keyOf(Keys), submittedAt: submittedAtOf(OldImage), line };
}

function keyOf(keys: StreamImage = {}): OrderId {
  try {
    return orderId(keys['OrderID']?.S ?? '');
  } catch (cause) {
    throw corrupt('The key of a deleted item is not an order id', cause);
  }
}

/** Null for a record that Reeve did not write as it was. */
function submittedAtOf(image: StreamImage = {}): number | null {
  const submittedAt = Number(image['SubmittedAt']?.N);
  return Number.isSafeInteger(submittedAt) ? submittedAt : null;
}

/** Null for a record without a singleton key. */
function lineOf(image: StreamImage = {}): LineName | null {
  const line = image['Line']?.S;
  try {
    return line === undefined ? null : lineName(line);
  } catch (cause) {
    throw corrupt('A deleted item names no line', cause);
  }
}

function stateOf(image: StreamImage) {
  const parsed = stateSchema.safeParse(plain(image));
  if (parsed.success) return parsed.data.ProcessState;
  throw corrupt('The image before a change has no process state', parsed.error);
}

function corrupt(what: string, cause: unknown): CorruptDataError {
  return new CorruptDataError(
    'stream-record-corrupt',
    `${what}. See the failure queue of the notifier.`,
    { cause },
  );
}

function plain(image: StreamImage = {}): Record<string, string | number | null> {
  const item: Item = {};
  for (const [name, { S, N, NULL: isNull }] of Object.entries(image)) {
    if (S !== undefined) item[name] = { S };
    else if (N !== undefined) item[name] = { N };
    else if (isNull === true) item[name] = { NULL: true };
  }
  return fromItem(item);
}
