/** What the instances of functions share, on DynamoDB. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toItem } from '#aws/store/attributes.ts';
import { dynamoAgentSettings } from '#aws/store/dynamo-agent-settings.ts';
import { dynamoBacklogReport } from '#aws/store/dynamo-backlog-report.ts';
import { dynamoHeldSteps } from '#aws/store/dynamo-held-steps.ts';
import { dynamoCircuits } from '#aws/store/health/dynamo-circuits.ts';
import { dynamoEjections } from '#aws/store/health/dynamo-ejections.ts';
import { dynamoReplyDelays } from '#aws/store/health/dynamo-reply-delays.ts';
import { agentSettingsContract } from '../contracts/agent-settings.ts';
import { backlogReportContract } from '../contracts/backlog-report.ts';
import { circuitsContract } from '../contracts/circuits.ts';
import { ejectionsContract } from '../contracts/ejections.ts';
import { heldStepsContract } from '../contracts/held-steps.ts';
import { replyDelaysContract } from '../contracts/reply-delays.ts';
import { answeringAws } from '../support/answering-aws.ts';
import {
  createTables,
  type DynamoServer,
  startDynoxide,
  testDynamoClient,
} from '../support/dynamo-server.ts';
import { heldUnderTest } from '../support/dynamo-under-test.ts';
import { testLog } from '../support/log.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

circuitsContract('DynamoDB (Dynoxide)', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoCircuits(server.client, coordination);
});
agentSettingsContract('DynamoDB (Dynoxide)', async () => {
  const { coordination } = await createTables(server.client);
  const open = () => dynamoAgentSettings(server.client, coordination, testLog());
  return { open };
});
ejectionsContract('DynamoDB (Dynoxide)', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoEjections(server.client, coordination);
});
replyDelaysContract('DynamoDB (Dynoxide)', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoReplyDelays(server.client, coordination);
});
backlogReportContract('DynamoDB (Dynoxide)', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoBacklogReport(server.client, coordination);
});
heldStepsContract('DynamoDB (Dynoxide)', () => heldUnderTest(server));

test('a change of a newer release says nothing, and is logged', async () => {
  const { coordination } = await createTables(server.client);
  const item = toItem({
    Name: 'agents',
    'drained:paint': 'soon',
    'paused:print': '{}',
    'weight:sand': '{"by":"olga","at":1,"value":3}',
  });
  await server.client.send(new PutItemCommand({ TableName: coordination, Item: item }));
  const log = testLog();
  const settings = await dynamoAgentSettings(server.client, coordination, log).read();
  expect([...settings]).toEqual([['sand', { weight: { by: 'olga', at: 1, value: 3 } }]]);
  expect(log.lines.map(({ event }) => event)).toEqual([
    'agent-setting-unreadable',
    'agent-setting-unreadable',
  ]);
});

test('circuits and ejections of one agent leave each other alone', async () => {
  const { coordination } = await createTables(server.client);
  const circuits = dynamoCircuits(server.client, coordination);
  const ejections = dynamoEjections(server.client, coordination);
  const ejection = { url: 'north', until: 5_000, count: 1 };
  await ejections.store('paint', ejection, 0);
  expect(await circuits.read('paint')).toBeNull();
  const goodRate = { perSecond: 1, isKnown: true };
  const open = { state: 'open', epoch: 1, since: 1, probeAt: 2, probes: 0, goodRate } as const;
  expect(await circuits.store('paint', open, 0)).toBe(true);
  expect(await ejections.read('paint')).toEqual([ejection]);
  expect(await circuits.read('paint')).toEqual(open);
});

test('an ejection of a newer release says nothing', async () => {
  const { coordination } = await createTables(server.client);
  const item = toItem({
    Name: 'circuit#paint',
    'EjectedUntil:north': 'soon',
    'Ejections:north': 1,
  });
  await server.client.send(new PutItemCommand({ TableName: coordination, Item: item }));
  expect(await dynamoEjections(server.client, coordination).read('paint')).toEqual([]);
});

test('a circuit of a newer release says nothing', async () => {
  const { coordination } = await createTables(server.client);
  const item = toItem({ Name: 'circuit#paint', Epoch: 3, State: 'ajar' });
  await server.client.send(new PutItemCommand({ TableName: coordination, Item: item }));
  expect(await dynamoCircuits(server.client, coordination).read('paint')).toBeNull();
});

test('a circuit of an earlier release has a known rate', async () => {
  const { coordination } = await createTables(server.client);
  const attributes = { Epoch: 3, State: 'recovering', Since: 1_000, From: 2_000, GoodRate: 12.5 };
  const item = toItem({ Name: 'circuit#paint', ...attributes });
  await server.client.send(new PutItemCommand({ TableName: coordination, Item: item }));
  expect(await dynamoCircuits(server.client, coordination).read('paint')).toMatchObject({
    goodRate: { perSecond: 12.5, isKnown: true },
  });
});

test.each([
  { At: 1, Classes: '[{"agent":"paint"}]' },
  { At: 1, Classes: 'none' },
  { At: 'now', Classes: '[]' },
])('a report of a newer release says nothing: %j', async (attributes) => {
  const { coordination } = await createTables(server.client);
  const item = toItem({ Name: 'admission', ...attributes });
  await server.client.send(new PutItemCommand({ TableName: coordination, Item: item }));
  expect(await dynamoBacklogReport(server.client, coordination).read()).toBeNull();
});

test('the orders of all pages of the index are counted', async () => {
  const pages = [['a#00000000000100'], ['a#00000000000200', 'b#00000000000300'], []];
  const { url, calls } = await answeringAws((_, number) => ({
    Items: (pages[number - 1] ?? []).map((turn) => ({ HeldTurn: { S: turn } })),
    ...(number < pages.length && { LastEvaluatedKey: { OrderID: { S: `o${number}` } } }),
  }));
  const heldSteps = dynamoHeldSteps(testDynamoClient(url), 'processes', testLog());
  expect(await heldSteps.count('paint', 'normal', 150)).toEqual([
    { flow: 'a', waiting: 2, early: 1 },
    { flow: 'b', waiting: 1, early: 0 },
  ]);
  expect(calls).toMatchObject([
    { operation: 'Query', input: { IndexName: 'Held' } },
    { input: { ExclusiveStartKey: { OrderID: { S: 'o1' } } } },
    { input: { ExclusiveStartKey: { OrderID: { S: 'o2' } } } },
  ]);
});
