/** What every function may do: exactly these actions on these resources, with every part of a stack in use. */
import { expect, test } from 'vitest';
import { agentPoliciesOf, type Grant, grantsOf } from '../scenario.ts';
import { whole } from './whole-stack.ts';

/** The actions on each resource, or on the items of a table whose keys begin so. */
function tableOf(grants: readonly Grant[]): Readonly<Record<string, string>> {
  const found = new Map<string, Set<string>>();
  for (const { actions, on, keys = [] } of grants) {
    for (const resource of on) {
      const name = [resource, ...keys].join(' ');
      found.set(name, new Set([...(found.get(name) ?? []), ...actions]));
    }
  }
  return Object.fromEntries(
    [...found].map(([name, actions]) => [name, [...actions].toSorted().join(' ')]),
  );
}

/** The same actions on each of these. */
const each = (actions: string, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, actions]));

const classes = ['High', 'Normal', 'Low'];
const readyQueues = classes.map((priority) => `Ready${priority}Queue`);
const requestsOf = (agent: string) =>
  classes.map((priority) => `Agent${agent}Requests${priority}Queue`);
const allAgents = ['payment', 'shipping', 'bankeast', 'bankwest', 'fraud'];

const log = (name: string) => each('logs:CreateLogStream logs:PutLogEvents', `${name}Log`);
// The function hides what it returns; Lambda deletes, and counts what is there to scale.
const consumed =
  'sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:ReceiveMessage';
const consumedAndSent = `${consumed} sqs:SendMessage`;
const send = 'sqs:SendMessage';
const read = 'dynamodb:BatchGetItem';
const readAndPut = 'dynamodb:BatchGetItem dynamodb:PutItem';
const query = 'dynamodb:Query';
const [get, update] = ['dynamodb:GetItem', 'dynamodb:UpdateItem'];
const indexes = (...names: readonly string[]) =>
  each(query, ...names.map((name) => `StateStoreProcesses/${name}`));
const shared = (key: string) => `StateStoreCoordination ${key}`;

const ofAgent = (id: string, name: string, limits: Readonly<Record<string, string>>) => ({
  ...log(`Agent${id}Agent`),
  ...each(consumed, ...requestsOf(id)),
  ...each(send, `Agent${id}RepliesQueue`, `Agent${id}RequestsDeadLetters`),
  // Its own circuit, and no other: an agent cannot open that of another one.
  ...each(`${get} ${update}`, shared(`circuit#${name}`)),
  ...limits,
});
const ofWebhook = (name: string) => ({
  ...log(`Webhook${name}Function`),
  ...each(consumed, `Webhook${name}Queue`),
  ...each(
    'secretsmanager:GetSecretValue',
    `"arn:aws:secretsmanager:eu-west-1:123456789012:secret:${name}-AbCdEf"`,
  ),
});

const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'front door': {
    ...log('FrontDoorFunction'),
    ...each(send, ...readyQueues),
    ...each(readAndPut, 'StateStoreOrders', 'StateStoreProcesses'),
    // Listings, and what waits for an agent that an operator lets take more. Sweeps alone read what is due.
    ...indexes('Attention', 'Correlation', 'Held', 'Recent'),
    // When the last sweep was.
    ...each(read, 'StateStoreCoordination'),
    ...each(get, shared('admission'), shared('circuit#*')),
    ...each(`${get} ${update}`, shared('agents')),
  },
  Scheduler: {
    ...log('SchedulerFunction'),
    ...each(consumedAndSent, ...readyQueues),
    ...each('sqs:GetQueueAttributes sqs:SendMessage', ...allAgents.flatMap(requestsOf)),
    ...each(consumed, ...allAgents.map((agent) => `Agent${agent}RepliesQueue`)),
    ...each(send, 'ChecksQueue', 'ReadyDeadLetters'),
    ...each(send, ...allAgents.map((agent) => `Agent${agent}ReplyDeadLetters`)),
    ...each(read, 'StateStoreOrders'),
    ...each('dynamodb:DeleteItem dynamodb:PutItem', 'StateStoreOrders line#*'),
    ...each(readAndPut, 'StateStoreProcesses'),
    ...indexes('Held'),
    ...each(get, shared('circuit#* agents')),
    ...each(update, shared('limit#*'), shared('replies#*')),
  },
  Supervisor: {
    ...log('SupervisorFunction'),
    ...each(send, ...readyQueues, 'CheckDeadLetters'),
    ...each(consumedAndSent, 'ChecksQueue'),
    ...each(readAndPut, 'StateStoreProcesses'),
    ...indexes('Due', 'Held'),
    ...each(
      'dynamodb:BatchGetItem dynamodb:GetItem dynamodb:PutItem dynamodb:UpdateItem',
      'StateStoreCoordination',
    ),
    ...each('lambda:InvokeFunction', 'SupervisorFunction'),
  },
  'submission by queue': {
    ...log('SubmissionFunction'),
    ...each(send, ...readyQueues, 'SubmissionDeadLetters'),
    ...each(consumed, 'SubmissionSubmissionsQueue'),
    ...each(readAndPut, 'StateStoreOrders', 'StateStoreProcesses'),
  },
  notifier: {
    ...log('NotificationsFunction'),
    ...each(consumedAndSent, 'NotificationsRetriesQueue'),
    ...each(send, 'NotificationsFailures', 'WebhookshopQueue', 'WebhookcrmQueue'),
    ...each(
      send,
      ...['till', 'post'].map((name) => `"arn:aws:sqs:eu-west-1:123456789012:${name}"`),
    ),
    ...each(
      'events:PutEvents',
      '{"Fn::Join":["",["arn:",{"Ref":"AWS::Partition"},":events:",{"Ref":"AWS::Region"},":",{"Ref":"AWS::AccountId"},":event-bus/orders"]]}',
    ),
    // It reads no record but by the stream, and deletes the details of those that have expired.
    ...each(
      'dynamodb:DescribeStream dynamodb:GetRecords dynamodb:GetShardIterator dynamodb:ListStreams',
      'StateStoreProcesses',
    ),
    ...each('dynamodb:ConditionCheckItem dynamodb:DeleteItem', 'StateStoreOrders'),
    ...each(
      'dynamodb:BatchGetItem dynamodb:DeleteItem dynamodb:PutItem',
      'StateStoreOrders line#*',
    ),
  },
  'webhook shop': ofWebhook('shop'),
  'webhook crm': ofWebhook('crm'),
  'agent payment': ofAgent(
    'payment',
    'payment',
    each(update, shared('limit#payment/per-tenant#*#rate')),
  ),
  // Its calls at once are counted by the Scheduler, and it has no rate.
  'agent shipping': ofAgent('shipping', 'shipping', {}),
  'agent bank-east': ofAgent(
    'bankeast',
    'bank-east',
    each(update, shared('limit#bank/whole#*#rate limit#bank-east/own#*#rate')),
  ),
};

const grants = grantsOf(whole);

test.each(Object.entries(expected))('%s', (name, allowed) => {
  expect(tableOf(grants[name] ?? [])).toEqual(allowed);
});

test('every function is above', () => {
  expect(Object.keys(grants).toSorted()).toEqual(Object.keys(expected).toSorted());
});

test('an agent that runs elsewhere takes its requests of every class, and sends its replies', () => {
  const taken = 'sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:ReceiveMessage';
  expect(tableOf(agentPoliciesOf(whole))).toEqual({
    ...each(taken, ...['bankwest', 'fraud'].flatMap(requestsOf)),
    ...each(send, 'AgentbankwestRepliesQueue', 'AgentfraudRepliesQueue'),
  });
});
