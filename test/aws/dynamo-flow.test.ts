/** What the instances of functions share, on DynamoDB. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toItem } from '#aws/store/attributes.ts';
import { dynamoCircuits } from '#aws/store/dynamo-circuits.ts';
import { circuitsContract } from '../contracts/circuits.ts';
import { heldStepsContract } from '../contracts/held-steps.ts';
import { createTables, type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { heldUnderTest } from '../support/dynamo-under-test.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

circuitsContract('DynamoDB (Dynoxide)', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoCircuits(server.client, coordination);
});
heldStepsContract('DynamoDB (Dynoxide)', () => heldUnderTest(server));

test('a circuit of a newer release says nothing', async () => {
  const { coordination } = await createTables(server.client);
  const item = toItem({ Name: 'circuit#paint', Epoch: 3, State: 'ajar' });
  await server.client.send(new PutItemCommand({ TableName: coordination, Item: item }));
  expect(await dynamoCircuits(server.client, coordination).read('paint')).toBeNull();
});
