/** The store on a DynamoDB-compatible server, in the form of its contract. */
import { DeleteItemCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { fromItem, toItem } from '#aws/store/attributes.ts';
import { dynamoHeldSteps } from '#aws/store/dynamo-held-steps.ts';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import type { EditableStore } from '../contracts/edited-store.ts';
import type { HeldUnderTest } from '../contracts/held-steps.ts';
import { createTables, type DynamoServer } from './dynamo-server.ts';
import { testLog } from './log.ts';

const kept = { shards: 3, sweepPeriodMs: 60_000, keepEndedMs: 3_600_000 };
const waits = { clock: systemClock, random: systemRandom };

/** A store with the index of held orders. */
export async function heldUnderTest({ client }: DynamoServer): Promise<HeldUnderTest> {
  const tables = await createTables(client);
  const log = testLog();
  return {
    store: dynamoStore({ client, tables, log, ...kept, ...waits }),
    heldSteps: dynamoHeldSteps(client, tables.processes, log),
  };
}

export async function dynamoUnderTest({ client }: DynamoServer): Promise<EditableStore> {
  const tables = await createTables(client);
  const log = testLog();
  const store = { client, tables, log, ...kept, ...waits };
  const open = (): EditableStore => ({
    store: dynamoStore(store),
    log,
    async edited(orderId, changes) {
      const key = { TableName: tables.processes, Key: { OrderID: { S: orderId } } };
      const { Item: item } = await client.send(new GetItemCommand(key));
      await client.send(new DeleteItemCommand(key));
      const edited = { ...item, ...toItem(changes) };
      await client.send(new PutItemCommand({ TableName: tables.processes, Item: edited }));
      return open();
    },
    async rewritten(orderId, attributes) {
      const key = { TableName: tables.processes, Key: { OrderID: { S: orderId } } };
      const { Item: before = {} } = await client.send(new GetItemCommand(key));
      const { DueShard = { NULL: true }, DueAt = { NULL: true } } = before;
      const { Details, Digest, SubmittedAt } = before;
      if (Details !== undefined && Digest !== undefined && SubmittedAt !== undefined) {
        // The other release stored the order as an item of its own.
        const order = { OrderID: { S: orderId }, Details, Digest, SubmittedAt };
        await client.send(new PutItemCommand({ TableName: tables.orders, Item: order }));
      }
      const item = { ...toItem(attributes), DueShard, DueAt };
      await client.send(new PutItemCommand({ TableName: tables.processes, Item: item }));
      return open();
    },
    async attributes(orderId) {
      const key = { TableName: tables.processes, Key: { OrderID: { S: orderId } } };
      return fromItem((await client.send(new GetItemCommand(key))).Item ?? {});
    },
    // The store keeps no state in the process.
    reopen: async () => open(),
    close: async () => {},
  });
  return open();
}
