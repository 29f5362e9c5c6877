/**
 * The lines of the orders with a singleton key: items of the Orders table, because the transaction that stores an order changes
 * its line. No order id has the form of their keys. An item is written as a whole, on condition that it is as it was read.
 */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  TransactionConflictException,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { againOnConflict, type Waits } from '#aws/failure.ts';
import { decodeLine, encodeLine } from '#core/flow/line.ts';
import type { LineName } from '#core/model/ids.ts';
import type { LineChange, StateStore } from '#ports/state-store.ts';
import { toItem } from './attributes.ts';
import { batchGet } from './batch-get.ts';
import { lineKey, orderKey } from './tables.ts';

const keyOf = (name: LineName) => toItem({ [orderKey.name]: lineKey(name) });

/** The condition that the line is as it was read. */
function ifAsRead({ before }: LineChange) {
  return before.length === 0
    ? { ConditionExpression: `attribute_not_exists(${orderKey.name})` }
    : {
        ConditionExpression: 'OrderIDs = :before',
        ExpressionAttributeValues: toItem({ ':before': encodeLine(before) }),
      };
}

const itemOf = ({ name, after }: LineChange) => ({
  ...keyOf(name),
  ...toItem({ OrderIDs: encodeLine(after) }),
});

/** The part of a transaction that changes a line. */
export const lineWrite = (table: string, change: LineChange): TransactWriteItem =>
  change.after.length === 0
    ? { Delete: { TableName: table, Key: keyOf(change.name), ...ifAsRead(change) } }
    : { Put: { TableName: table, Item: itemOf(change), ...ifAsRead(change) } };

/** Options of {@link dynamoLines}. */
export interface LineOptions extends Waits {
  readonly client: DynamoDBClient;
  /** The table of orders. */
  readonly table: string;
}

/** Reads and changes lines. */
export function dynamoLines(options: LineOptions): Pick<StateStore, 'line' | 'changeLine'> {
  const { client, table } = options;
  return {
    async line(name) {
      const wanted = { Keys: [keyOf(name)], ConsistentRead: true };
      const [item] = await batchGet(client, options, table, wanted);
      return item === undefined ? [] : decodeLine(item['OrderIDs']?.S);
    },
    changeLine(change) {
      const send = () =>
        change.after.length === 0
          ? client.send(
              new DeleteItemCommand({
                TableName: table,
                Key: keyOf(change.name),
                ...ifAsRead(change),
              }),
            )
          : client.send(
              new PutItemCommand({ TableName: table, Item: itemOf(change), ...ifAsRead(change) }),
            );
      return againOnConflict(options, isConflict, async () => {
        try {
          await send();
          return true;
        } catch (error) {
          if (error instanceof ConditionalCheckFailedException) return false;
          throw error;
        }
      });
    },
  };
}

const isConflict = (error: unknown) => error instanceof TransactionConflictException;
