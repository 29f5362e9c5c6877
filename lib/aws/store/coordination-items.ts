/** Items of the Coordination table, each by its name. */
import {
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
  type UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { unavailable } from '#aws/failure.ts';
import { type Attributes, fromItem, toItem } from './attributes.ts';
import { ifCondition } from './if-condition.ts';
import { coordinationKey } from './tables.ts';

/** Without the key, which {@link CoordinationItems} adds. */
export type ItemUpdate = Omit<UpdateItemCommandInput, 'TableName' | 'Key'>;

/** Every method may throw {@link UnavailableError}. */
export interface CoordinationItems {
  /** Null when there is none. It may be some seconds old. */
  read(name: string): Promise<Attributes | null>;
  /** Null when its condition failed. */
  update(name: string, update: ItemUpdate): Promise<UpdateItemCommandOutput | null>;
}

export function coordinationItems(client: DynamoDBClient, table: string): CoordinationItems {
  const keyOf = (name: string) => ({
    TableName: table,
    Key: toItem({ [coordinationKey.name]: name }),
  });
  return {
    async read(name) {
      const { Item: item } = await client
        .send(new GetItemCommand(keyOf(name)))
        .catch((error: unknown) => {
          throw unavailable('DynamoDB', error);
        });
      return item === undefined ? null : fromItem(item);
    },
    update: (name, update) =>
      ifCondition(() => client.send(new UpdateItemCommand({ ...keyOf(name), ...update }))),
  };
}
