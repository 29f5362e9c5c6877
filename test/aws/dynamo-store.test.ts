import { afterAll, beforeAll } from 'vitest';
import { editedStoreContract } from '../contracts/edited-store.ts';
import { linesContract } from '../contracts/lines.ts';
import { stateStoreContract } from '../contracts/state-store.ts';
import { storeRace } from '../contracts/store-race.ts';
import { storedFormatsContract } from '../contracts/stored-formats.ts';
import { type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { dynamoUnderTest } from '../support/dynamo-under-test.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

stateStoreContract('DynamoDB (Dynoxide)', () => dynamoUnderTest(server));
linesContract('DynamoDB (Dynoxide)', () => dynamoUnderTest(server), 5);
editedStoreContract('DynamoDB (Dynoxide)', () => dynamoUnderTest(server));
storedFormatsContract('DynamoDB (Dynoxide)', () => dynamoUnderTest(server));
storeRace('DynamoDB (Dynoxide)', () => dynamoUnderTest(server));
