/** The limits that all instances share: one item for each rate, and for each number of calls at once, in the Coordination table. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { unavailable } from '#aws/failure.ts';
import type {
  Advance,
  Advanced,
  Holders,
  LimitItems,
  Occupation,
  Occupied,
} from '#ports/limit-items.ts';
import { type Item, toItem } from '../attributes.ts';
import { coordinationKey, expiryAttribute, expiryOf, limitKey } from '../tables.ts';
import { reservedIn, reserveUpdate } from './reserved-instants.ts';

type Update = Omit<UpdateItemCommandInput, 'TableName' | 'Key'>;

/** @param table the name of the Coordination table */
export function dynamoLimitItems(client: DynamoDBClient, table: string): LimitItems {
  /** `found`: the attributes after the write, or those that do not meet its condition. */
  async function write(name: string, update: Update) {
    const command = new UpdateItemCommand({
      TableName: table,
      Key: toItem({ [coordinationKey.name]: limitKey(name) }),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ...update,
    });
    try {
      const { Attributes: found = {} } = await client.send(command);
      return { isDone: true, found };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw unavailable('DynamoDB', error);
      return { isDone: false, found: error.Item ?? {} };
    }
  }

  async function begin(name: string, { come, max, keepUntil }: Occupation): Promise<Occupied> {
    if (come.size > max) return { isDone: false, holders: new Map() };
    const { isDone, found } = await write(name, {
      UpdateExpression: 'SET Holders = :holders, #expiry = :expiry',
      ConditionExpression: 'attribute_not_exists(Holders)',
      ExpressionAttributeNames: { '#expiry': expiryAttribute },
      ExpressionAttributeValues: {
        ...toItem({ ':expiry': expiryOf(keepUntil) }),
        ':holders': { M: toItem(Object.fromEntries(come)) },
      },
    });
    return { isDone, holders: holdersOf(found) };
  }

  return {
    async advance(name, change) {
      const { isDone, found } = await write(name, advanceUpdate(change));
      return advancedOf(change, isDone, found);
    },
    async occupy(name, change) {
      const { isDone, found } = await write(name, occupyUpdate(change));
      // The first holder needs a map to be in.
      if (!isDone && found['Holders'] === undefined && change.gone.size === 0)
        return begin(name, change);
      return { isDone, holders: holdersOf(found) };
    },
    async extend(name, holder, { until, keepUntil }) {
      const { isDone } = await write(name, {
        UpdateExpression: 'SET Holders.#holder = :until, #expiry = :expiry',
        ConditionExpression: 'attribute_exists(Holders.#holder)',
        ExpressionAttributeNames: { '#holder': holder, '#expiry': expiryAttribute },
        ExpressionAttributeValues: toItem({ ':until': until, ':expiry': expiryOf(keepUntil) }),
      });
      return isDone;
    },
  };
}

function advanceUpdate(change: Advance): Update {
  if (change.kind === 'reserve') return reserveUpdate(change);
  const values = { ':expiry': expiryOf(change.keepUntil), ':from': change.from };
  const names = { '#at': 'NextAt', '#expiry': expiryAttribute };
  return change.kind === 'move'
    ? {
        UpdateExpression: 'SET #at = #at + :by, #expiry = :expiry',
        ConditionExpression: '#at >= :from AND #at < :before',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: toItem({
          ...values,
          ':by': change.byMs,
          ':before': change.before,
        }),
      }
    : {
        UpdateExpression: 'SET #at = :to, #expiry = :expiry',
        ConditionExpression: 'attribute_not_exists(#at) OR #at < :from OR #at > :after',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: toItem({ ...values, ':to': change.to, ':after': change.after }),
      };
}

function advancedOf(change: Advance, isMoved: boolean, found: Item): Advanced {
  const stored = found['NextAt']?.N;
  const at = Number(stored) - (isMoved && change.kind === 'move' ? change.byMs : 0);
  return { isMoved, at: stored === undefined ? null : at, reserved: reservedIn(found) };
}

function occupyUpdate({ come, gone, left, max, keepUntil }: Occupation): Update {
  const holders = [...new Set([...come.keys(), ...gone.keys(), ...left])];
  const nameOf = new Map(holders.map((holder, at) => [holder, `#h${at}`]));
  const path = (holder: string) => `Holders.${nameOf.get(holder) ?? ''}`;
  const value = (kind: 'come' | 'gone', holder: string) =>
    `:${kind}${nameOf.get(holder)?.slice(1) ?? ''}`;
  const set = [...come.keys()].map((holder) => `${path(holder)} = ${value('come', holder)}`);
  // One that comes again is set: an expression names each holder once.
  const remove = [...gone.keys(), ...left].filter((holder) => !come.has(holder)).map(path);
  const isThere = [...gone.keys()].map((holder) => `${path(holder)} = ${value('gone', holder)}`);
  return {
    UpdateExpression: [
      `SET ${[...set, '#expiry = :expiry'].join(', ')}`,
      ...(remove.length > 0 ? [`REMOVE ${remove.join(', ')}`] : []),
    ].join(' '),
    ConditionExpression: [
      'attribute_exists(Holders)',
      // A write that only lets holders go needs no room.
      ...(come.size > 0 ? ['size(Holders) <= :size'] : []),
      ...isThere,
    ].join(' AND '),
    ExpressionAttributeNames: Object.fromEntries([
      ['#expiry', expiryAttribute],
      ...holders.map((holder) => [nameOf.get(holder) ?? '', holder]),
    ]),
    ExpressionAttributeValues: toItem({
      ':expiry': expiryOf(keepUntil),
      ...(come.size > 0 && { ':size': max - come.size + gone.size }),
      ...valuesOf('come', come),
      ...valuesOf('gone', gone),
    }),
  };

  function valuesOf(kind: 'come' | 'gone', of: Holders): Record<string, number> {
    return Object.fromEntries([...of].map(([holder, until]) => [value(kind, holder), until]));
  }
}

const holdersOf = (found: Item): Holders =>
  new Map(
    Object.entries(found['Holders']?.M ?? {}).map(([holder, until]) => [holder, Number(until.N)]),
  );
