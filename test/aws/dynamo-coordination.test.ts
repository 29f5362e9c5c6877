import { afterAll, beforeAll } from 'vitest';
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { coordinationContract } from '../contracts/coordination.ts';
import { createTables, type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

coordinationContract('DynamoDB (Dynoxide)', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoCoordination(server.client, coordination, {
    clock: systemClock,
    random: systemRandom,
  });
});
