/**
 * The instants of a rate that are reserved ahead of its next one: sets of numbers in its item, each of the instants of a period.
 * A write adds to one of them without knowing the others, and removes those whose instants are past.
 */
import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { type Advance, reserveAheadMs, reservedForMs } from '#ports/limit-items.ts';
import { type Item, toItem } from '../attributes.ts';
import { expiryAttribute, expiryOf } from '../tables.ts';

/** Of the instants of one set, ms. */
const periodMs = 500;
/** More than the periods that may have instants: those between the earliest that is known and the latest that may be reserved. */
const sets = 16;
const aheadPeriods = Math.ceil(reserveAheadMs / periodMs) + 1;
const pastPeriods = Math.ceil(reservedForMs / periodMs) + 1;

const setName = (period: number) => `Reserved${period % sets}`;

/** The write that reserves an instant. It gives the attributes before it. */
export function reserveUpdate({
  reserved,
  nowMs,
  after,
  keepUntil,
}: Extract<Advance, { kind: 'reserve' }>): Omit<UpdateItemCommandInput, 'TableName' | 'Key'> {
  const period = Math.floor(nowMs / periodMs);
  const past = Array.from(
    { length: sets - aheadPeriods - pastPeriods },
    (_, at) => period + aheadPeriods + 1 + at,
  ).map(setName);
  return {
    ReturnValues: 'ALL_OLD',
    UpdateExpression: `SET #expiry = :expiry ADD #own :own REMOVE ${past.join(', ')}`,
    ConditionExpression:
      'NOT contains(#own, :at) AND (attribute_not_exists(NextAt) OR NextAt <= :at OR NextAt > :after)',
    ExpressionAttributeNames: {
      '#expiry': expiryAttribute,
      '#own': setName(Math.floor(reserved / periodMs)),
    },
    ExpressionAttributeValues: {
      ...toItem({ ':expiry': expiryOf(keepUntil), ':at': reserved, ':after': after }),
      ':own': { NS: [String(reserved)] },
    },
  };
}

/** The reserved instants of an item. */
export const reservedIn = (found: Item): readonly number[] =>
  Array.from({ length: sets }, (_, at) => found[setName(at)]?.NS ?? [])
    .flat()
    .map(Number);
