import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dynamoLimitItems } from '#aws/store/limits/dynamo-limit-items.ts';
import { limitItemsContract } from '../contracts/limit-items.ts';
import { createTables, type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

limitItemsContract('DynamoDB (Dynoxide)', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoLimitItems(server.client, coordination);
});

test('each write says until when the item is kept, in whole seconds, and no earlier', async () => {
  const { coordination: TableName } = await createTables(server.client);
  const items = dynamoLimitItems(server.client, TableName);
  const expires = async (name: string) => {
    const command = new GetItemCommand({ TableName, Key: { Name: { S: `limit#${name}` } } });
    return Number((await server.client.send(command)).Item?.['ExpiresAt']?.N);
  };
  const now = Date.UTC(2026, 0, 1);
  const seconds = now / 1_000;
  const begin = { kind: 'restart', to: now, from: 0, after: now, keepUntil: now + 1 } as const;
  await items.advance('rate', begin);
  expect(await expires('rate')).toBe(seconds + 1);
  const move = { kind: 'move', byMs: 1, from: 0, before: now + 9, keepUntil: now + 2_000 } as const;
  await items.advance('rate', move);
  expect(await expires('rate')).toBe(seconds + 2);
  const reserve = { kind: 'reserve', reserved: now + 5, nowMs: now, after: now + 9 } as const;
  await items.advance('rate', { ...reserve, keepUntil: now + 2_500 });
  expect(await expires('rate')).toBe(seconds + 3);
  const one = { come: new Map([['one', now]]), gone: new Map(), left: [], max: 2 };
  await items.occupy('calls', { ...one, keepUntil: now + 3_000 });
  expect(await expires('calls')).toBe(seconds + 3);
  await items.occupy('calls', { ...one, come: new Map([['two', now]]), keepUntil: now + 4_000 });
  expect(await expires('calls')).toBe(seconds + 4);
  await items.extend('calls', 'one', { until: now + 1, keepUntil: now + 5_000 });
  expect(await expires('calls')).toBe(seconds + 5);
  await items.extend('calls', 'stranger', { until: now + 1, keepUntil: now + 6_000 });
  expect(await expires('calls')).toBe(seconds + 5);
});
