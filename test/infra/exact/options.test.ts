/** Options that depend on one another, and parts of which an application gives several. */
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { expect, test } from 'vitest';
import { shippedAgent } from '#infra/agents/shipped-agent.ts';
import { stackWith } from '../scenario.ts';
import { reeveWith } from './reeve-with.ts';
import { resources, textOf, whole } from './whole-stack.ts';

test('the notifier may use the key of every response queue that has one', () => {
  const { stack: own } = reeveWith((scope) => {
    const queueOf = (name: string) =>
      new Queue(scope, name, {
        encryption: QueueEncryption.KMS,
        encryptionMasterKey: new Key(scope, `KeyOf${name}`),
      });
    return { responseQueues: { till: queueOf('Till'), post: queueOf('Post') } };
  });
  const policies = [...resources('AWS::IAM::Policy', Template.fromStack(own))].filter(([id]) =>
    id.startsWith('OrdersNotifications'),
  );
  for (const key of ['KeyOfTill', 'KeyOfPost']) expect(JSON.stringify(policies)).toContain(key);
});

test('with a batch window, a message is old when it has waited for as long after its batch was gathered', () => {
  const { stack: own } = reeveWith(() => ({ batchWindowSeconds: 300 }));
  const { Threshold } =
    resources('AWS::CloudWatch::Alarm', Template.fromStack(own)).get(
      'OrdersObservabilityAlarmsReadyNormalOld',
    ) ?? {};
  // Its messages are delayed by up to 15 minutes.
  expect(Threshold).toBe(300 + 900 + 300 + 30);
});

test('environments may not be started beyond the concurrency that is reserved for their function', () => {
  const started = (supervisor: number) => () =>
    reeveWith(() => ({
      reservedConcurrency: { supervisor: 12 },
      release: { provisionedConcurrency: { supervisor } },
    }));
  expect(started(12)).not.toThrow();
  expect(started(13)).toThrow(
    '`release.provisionedConcurrency.supervisor` must be 12 or less, which is reserved for the function',
  );
});

test('the functions of the shipped agents run for as long as each of their steps may take', () => {
  const agents = ['fraud', 'inventory', 'payment', 'shipping'];
  const own = stackWith(
    agents.map((name) => shippedAgent(name)),
    { stage: 'dev' },
    { workflows: 'lib/workflows/shipped.ts' },
  );
  Template.fromStack(own);
  expect(Annotations.fromStack(own).findWarning('*', Match.anyValue())).toEqual([]);
});

test('the outputs have what callers, operators and agents elsewhere need, and no other', () => {
  const found = Object.entries(whole.findOutputs('*')).map(([name, { Value }]) => {
    const text = textOf(Value);
    return [name, text.startsWith('{') ? JSON.parse(text) : text];
  });
  const classes = { high: 'High', normal: 'Normal', low: 'Low' };
  const elsewhere = (id: string) => ({
    requests: Object.fromEntries(
      Object.entries(classes).map(([at, name]) => [at, `Agent${id}Requests${name}Queue`]),
    ),
    ...{ replies: `Agent${id}RepliesQueue`, policy: `Agent${id}Policy` },
  });
  expect(Object.fromEntries(found)).toEqual({
    ApiUrl: 'FrontDoorApi.ApiEndpoint',
    OperatorTopic: 'NotificationsOperators',
    DeadLetters: {
      ...{ queues: 'part 0 of ReadyHighQueue by _', priorities: Object.keys(classes) },
      agents: ['payment', 'shipping', 'bank-east', 'bank-west', 'fraud'],
      ...{ webhooks: ['shop', 'crm'], checks: true, submission: true, mail: true },
    },
    SubmissionQueueUrl: 'SubmissionSubmissionsQueue',
    CallerPolicies: Object.fromEntries(
      ['ReeveView', 'ReeveSubmit', 'ReeveOperate'].map((name) => [name, `FrontDoor${name}`]),
    ),
    AgentBankWest: elsewhere('bankwest'),
    AgentFraud: elsewhere('fraud'),
  });
});
