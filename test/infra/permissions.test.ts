import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { agentPoliciesOf, grantsOf, templateOf, templateWith } from './scenario.ts';

const secret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm-AbCdEf';
const template = templateOf({
  submissionQueue: true,
  responseQueues: { shop: 'arn:aws:sqs:eu-west-1:123456789012:shop' },
  webhooks: { crm: { url: 'https://crm.example/hook', secretArn: secret } },
});
const grants = grantsOf(template);

/** Actions by resource, as one readable line each. */
const linesOf = (name: string) =>
  (grants[name] ?? [])
    .flatMap(({ actions, on, keys }) =>
      on.map(
        (resource) => `${[resource, ...(keys ?? [])].join(' ')}: ${actions.toSorted().join(' ')}`,
      ),
    )
    .filter((line) => !line.includes('logs:'))
    .toSorted();

const consume =
  'sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:ReceiveMessage';

test('an agent receives its requests, replies by its own queue, and has no table but its circuit', () => {
  expect(linesOf('agent payment')).toEqual([
    'AgentpaymentRepliesQueue: sqs:SendMessage',
    'AgentpaymentRequestsDeadLetters: sqs:SendMessage',
    `AgentpaymentRequestsNormalQueue: ${consume}`,
    'StateStoreCoordination circuit#payment: dynamodb:GetItem dynamodb:UpdateItem',
  ]);
});

test('only its own agent may send to a reply queue', () => {
  const senders = Object.entries(grants).filter(([, own]) =>
    own.some(
      ({ actions, on }) =>
        actions.includes('sqs:SendMessage') && on.includes('AgentpaymentRepliesQueue'),
    ),
  );
  expect(senders.map(([name]) => name)).toEqual(['agent payment']);
});

test('an agent that runs elsewhere receives its requests and sends its replies, and nothing else', () => {
  const stack = templateOf({ priorities: ['high', 'normal'] }, ['billing']);
  expect(agentPoliciesOf(stack)).toEqual([
    {
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
      on: ['AgentbillingRequestsHighQueue', 'AgentbillingRequestsNormalQueue'],
    },
    { actions: ['sqs:SendMessage'], on: ['AgentbillingRepliesQueue'] },
  ]);
  const senders = Object.entries(grantsOf(stack)).filter(([, own]) =>
    own.some(
      ({ actions, on }) =>
        actions.includes('sqs:SendMessage') && on.includes('AgentbillingRepliesQueue'),
    ),
  );
  expect(senders).toEqual([]);
});

test('the front door creates, lists and nudges, and cannot start a step', () => {
  expect(linesOf('front door')).toMatchInlineSnapshot(`
    [
      "ReadyNormalQueue: sqs:SendMessage",
      "StateStoreCoordination admission: dynamodb:GetItem",
      "StateStoreCoordination agents: dynamodb:GetItem dynamodb:UpdateItem",
      "StateStoreCoordination circuit#*: dynamodb:GetItem",
      "StateStoreCoordination: dynamodb:BatchGetItem",
      "StateStoreOrders: dynamodb:BatchGetItem",
      "StateStoreOrders: dynamodb:PutItem",
      "StateStoreProcesses/Attention: dynamodb:Query",
      "StateStoreProcesses/Correlation: dynamodb:Query",
      "StateStoreProcesses/Held: dynamodb:Query",
      "StateStoreProcesses/Recent: dynamodb:Query",
      "StateStoreProcesses: dynamodb:BatchGetItem",
      "StateStoreProcesses: dynamodb:PutItem",
    ]
  `);
});

test('the Scheduler commits, sends requests and consumes nudges and replies', () => {
  expect(linesOf('Scheduler')).toMatchInlineSnapshot(`
    [
      "AgentpaymentRepliesQueue: sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:ReceiveMessage",
      "AgentpaymentReplyDeadLetters: sqs:SendMessage",
      "AgentpaymentRequestsNormalQueue: sqs:GetQueueAttributes sqs:SendMessage",
      "AgentshippingRepliesQueue: sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:ReceiveMessage",
      "AgentshippingReplyDeadLetters: sqs:SendMessage",
      "AgentshippingRequestsNormalQueue: sqs:GetQueueAttributes sqs:SendMessage",
      "ReadyDeadLetters: sqs:SendMessage",
      "ReadyNormalQueue: sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:ReceiveMessage",
      "ReadyNormalQueue: sqs:SendMessage",
      "StateStoreCoordination circuit#* agents: dynamodb:GetItem",
      "StateStoreCoordination replies#*: dynamodb:UpdateItem",
      "StateStoreOrders line#*: dynamodb:DeleteItem dynamodb:PutItem",
      "StateStoreOrders: dynamodb:BatchGetItem",
      "StateStoreProcesses/Held: dynamodb:Query",
      "StateStoreProcesses: dynamodb:BatchGetItem",
      "StateStoreProcesses: dynamodb:PutItem",
    ]
  `);
});

test('the Supervisor sweeps, commits, nudges, and may invoke itself', () => {
  expect(linesOf('Supervisor')).toMatchInlineSnapshot(`
    [
      "ReadyNormalQueue: sqs:SendMessage",
      "StateStoreCoordination: dynamodb:BatchGetItem dynamodb:GetItem dynamodb:PutItem dynamodb:UpdateItem",
      "StateStoreProcesses/Due: dynamodb:Query",
      "StateStoreProcesses/Held: dynamodb:Query",
      "StateStoreProcesses: dynamodb:BatchGetItem dynamodb:PutItem",
      "SupervisorFunction: lambda:InvokeFunction",
    ]
  `);
});

test('the notifier reads the stream, notifies, and deletes expired orders', () => {
  expect(linesOf('notifier')).toMatchInlineSnapshot(`
    [
      ""arn:aws:sqs:eu-west-1:123456789012:shop": sqs:SendMessage",
      "NotificationsFailures: sqs:SendMessage",
      "NotificationsRetriesQueue: sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:ReceiveMessage",
      "NotificationsRetriesQueue: sqs:SendMessage",
      "StateStoreOrders line#*: dynamodb:BatchGetItem",
      "StateStoreOrders line#*: dynamodb:DeleteItem dynamodb:PutItem",
      "StateStoreOrders: dynamodb:ConditionCheckItem dynamodb:DeleteItem",
      "StateStoreProcesses: dynamodb:DescribeStream dynamodb:GetRecords dynamodb:GetShardIterator dynamodb:ListStreams",
      "WebhookcrmQueue: sqs:SendMessage",
      "{"Fn::Join":["",["arn:",{"Ref":"AWS::Partition"},":events:",{"Ref":"AWS::Region"},":",{"Ref":"AWS::AccountId"},":event-bus/default"]]}: events:PutEvents",
    ]
  `);
});

test('a webhook receives the messages of its receiver, and reads its own secret', () => {
  expect(linesOf('webhook crm')).toEqual([
    `"${secret}": secretsmanager:GetSecretValue`,
    `WebhookcrmQueue: ${consume}`,
  ]);
});

test('only the notifier and a redrive may send to the queue of a webhook', () => {
  const senders = Object.entries(grants).filter(([, own]) =>
    own.some(
      ({ actions, on }) => actions.includes('sqs:SendMessage') && on.includes('WebhookcrmQueue'),
    ),
  );
  expect(senders.map(([name]) => name)).toEqual(['notifier']);
});

test('the submission creates and nudges', () => {
  expect(linesOf('submission by queue')).toMatchInlineSnapshot(`
    [
      "ReadyNormalQueue: sqs:SendMessage",
      "StateStoreOrders: dynamodb:BatchGetItem",
      "StateStoreOrders: dynamodb:PutItem",
      "StateStoreProcesses: dynamodb:BatchGetItem",
      "StateStoreProcesses: dynamodb:PutItem",
      "SubmissionDeadLetters: sqs:SendMessage",
      "SubmissionSubmissionsQueue: sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:ReceiveMessage",
    ]
  `);
});

test('no function has a wildcard, in an action or as a resource', () => {
  const all = Object.values(grants).flat();
  expect(all.length).toBeGreaterThan(20);
  expect(all.flatMap(({ actions }) => actions).filter((action) => action.includes('*'))).toEqual(
    [],
  );
  expect(all.flatMap(({ on }) => on).filter((resource) => resource.includes('*'))).toEqual([]);
});

test('with prompt recovery, the Scheduler may send checks, and the Supervisor may send and consume them', () => {
  const template = templateOf({ recovery: 'prompt' });
  const on = (name: string) =>
    (grantsOf(template)[name] ?? [])
      .filter(({ on: resources }) => resources.some((one) => one.startsWith('Check')))
      .map(
        ({ actions, on: resources }) => `${resources.join(' ')}: ${actions.toSorted().join(' ')}`,
      );
  expect(on('Scheduler')).toEqual(['ChecksQueue: sqs:SendMessage']);
  expect(on('Supervisor').toSorted()).toEqual([
    'CheckDeadLetters: sqs:SendMessage',
    `ChecksQueue: ${consume}`,
    'ChecksQueue: sqs:SendMessage',
  ]);
  const others = Object.keys(grantsOf(template)).filter(
    (name) => name !== 'Scheduler' && name !== 'Supervisor',
  );
  expect(others.flatMap(on)).toEqual([]);
});

describe('in a stack whose agents have limits', () => {
  const handler = 'lambdas/agents/payment.ts';
  const names = ['payment', 'shipping', 'fraud', 'bank-east', 'bank-west'];
  const limited = templateWith(
    names.map((name) => ({ name, handler })),
    { submissionQueue: true },
    { workflows: 'test/infra/limited-workflows.ts' },
  );
  const leases = (template: Template) =>
    Object.entries(grantsOf(template)).flatMap(([name, own]) =>
      own.flatMap(({ actions, keys = [] }) => {
        const leased = keys.filter((key) => key.startsWith('limit#'));
        return leased.length === 0 ? [] : [`${name}: ${actions.join(' ')} ${leased.join(' ')}`];
      }),
    );

  test('the Scheduler leases in all, an agent only in the rates of its calls, and no other function', () => {
    expect(leases(limited).toSorted()).toEqual([
      'Scheduler: dynamodb:UpdateItem limit#*',
      'agent bank-east: dynamodb:UpdateItem limit#bank/whole#*#rate limit#bank-east/own#*#rate',
      'agent bank-west: dynamodb:UpdateItem limit#bank/whole#*#rate',
      'agent payment: dynamodb:UpdateItem limit#payment/per-tenant#*#rate',
    ]);
  });

  test('without limits there is no such grant, and the variables are the same', () => {
    const same = templateWith(
      names.map((name) => ({ name, handler })),
      { submissionQueue: true },
    );
    expect(leases(same)).toEqual([]);
    const variables = (template: Template) =>
      Object.values(template.findResources('AWS::Lambda::Function')).map(
        ({ Properties }) => Properties.Environment.Variables,
      );
    expect(variables(limited)).toEqual(variables(same));
  });
});
