import { afterAll, beforeAll } from 'vitest';
import { dynamoBacklogReport } from '#aws/store/dynamo-backlog-report.ts';
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { dynamoCircuits } from '#aws/store/health/dynamo-circuits.ts';
import { dynamoEjections } from '#aws/store/health/dynamo-ejections.ts';
import { dynamoReplyDelays } from '#aws/store/health/dynamo-reply-delays.ts';
import { dynamoLimitItems } from '#aws/store/limits/dynamo-limit-items.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { backlogReportContract } from '../contracts/backlog-report.ts';
import { circuitsContract } from '../contracts/circuits.ts';
import { coordinationContract } from '../contracts/coordination.ts';
import { editedStoreContract } from '../contracts/edited-store.ts';
import { ejectionsContract } from '../contracts/ejections.ts';
import { heldStepsContract } from '../contracts/held-steps.ts';
import { limitItemsContract } from '../contracts/limit-items.ts';
import { linesContract } from '../contracts/lines.ts';
import { replyDelaysContract } from '../contracts/reply-delays.ts';
import { stateStoreContract } from '../contracts/state-store.ts';
import { stateStoreModel } from '../contracts/state-store-model.ts';
import { storeRace } from '../contracts/store-race.ts';
import { storedFormatsContract } from '../contracts/stored-formats.ts';
import { createTables, type DynamoServer } from '../support/dynamo-server.ts';
import { dynamoUnderTest, heldUnderTest } from '../support/dynamo-under-test.ts';
import { startDynamoDbLocal } from './start.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynamoDbLocal();
});
afterAll(() => server?.close());

stateStoreContract('DynamoDB Local', () => dynamoUnderTest(server));
linesContract('DynamoDB Local', () => dynamoUnderTest(server), 3);
editedStoreContract('DynamoDB Local', () => dynamoUnderTest(server));
storedFormatsContract('DynamoDB Local', () => dynamoUnderTest(server));
storeRace('DynamoDB Local', () => dynamoUnderTest(server));
stateStoreModel('DynamoDB Local', () => dynamoUnderTest(server), 60);
coordinationContract('DynamoDB Local', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoCoordination(server.client, coordination, {
    clock: systemClock,
    random: systemRandom,
  });
});
circuitsContract('DynamoDB Local', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoCircuits(server.client, coordination);
});
ejectionsContract('DynamoDB Local', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoEjections(server.client, coordination);
});
replyDelaysContract('DynamoDB Local', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoReplyDelays(server.client, coordination);
});
backlogReportContract('DynamoDB Local', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoBacklogReport(server.client, coordination);
});
limitItemsContract('DynamoDB Local', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoLimitItems(server.client, coordination);
});
heldStepsContract('DynamoDB Local', () => heldUnderTest(server));
