/** Every function of a stack: exactly its resources, its limits, its variables and its log. */
import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { templateOf } from '../scenario.ts';
import { nameOf, resources, textOf, whole } from './whole-stack.ts';

const functionSchema = z.object({
  Description: z.string(),
  MemorySize: z.int(),
  Timeout: z.int(),
  ReservedConcurrentExecutions: z.int().optional(),
  RecursiveLoop: z.string().optional(),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});
const functions = [...resources('AWS::Lambda::Function').values()].map((one) =>
  functionSchema.parse(one),
);
const titleOf = (description: string) => description.replace('Reeve: ', '');

test('its memory, timeout, reserved concurrency, and whether Lambda lets it be part of a loop', () => {
  const found = functions.map((one) => [
    titleOf(one.Description),
    [
      `${one.MemorySize} MiB, ${one.Timeout} s`,
      ...(one.ReservedConcurrentExecutions === undefined
        ? []
        : [`${one.ReservedConcurrentExecutions} reserved`]),
      ...(one.RecursiveLoop === undefined ? [] : [`loop ${one.RecursiveLoop}`]),
    ].join(', '),
  ]);
  expect(Object.fromEntries(found)).toEqual({
    // Less than the 30 s for which API Gateway waits, and more than the calls of the SDK with their retries take.
    'front door': '256 MiB, 20 s',
    // A request, its reply and the next request are a loop, which Lambda stops otherwise.
    Scheduler: '256 MiB, 30 s, loop Allow',
    // The core for the recovery of a shard (docs/aws.md, "Recovery throughput"); a deadline check may send the next one.
    Supervisor: '1024 MiB, 60 s, 30 reserved, loop Allow',
    notifier: '256 MiB, 60 s, 20 reserved',
    // An agent may submit the next order by the queue, which submits the next one.
    'submission by queue': '256 MiB, 30 s, loop Allow',
    // A batch of messages of one order, ten seconds each.
    'webhook shop': '256 MiB, 120 s',
    'webhook crm': '256 MiB, 120 s',
    'agent payment': '512 MiB, 30 s, loop Allow',
    'agent shipping': '256 MiB, 600 s, loop Allow',
    'agent bank-east': '256 MiB, 30 s, loop Allow',
  });
});

/** What every function has: without `WARN`, a kilobyte of log per order costs more than the order. */
const every = {
  POWERTOOLS_LOG_LEVEL: 'WARN',
  POWERTOOLS_SERVICE_NAME: 'Reeve',
  REEVE_DEPLOYMENT: 'Reeve',
};
const store = {
  REEVE_ORDERS_TABLE: 'StateStoreOrders',
  REEVE_PROCESSES_TABLE: 'StateStoreProcesses',
  REEVE_SHARDS: '16',
  REEVE_SWEEP_SECONDS: '300',
  REEVE_KEEP_DAYS: '7',
};
const coordination = { REEVE_COORDINATION_TABLE: 'StateStoreCoordination' };
const tenants = { REEVE_TENANT_WEIGHTS: '{"inn":4}' };
/** The prefix of all queues, from the first one. */
const queues = { REEVE_QUEUES: 'part 0 of ReadyHighQueue by _' };
const nudges = { ...queues, REEVE_PRIORITIES: 'high,normal,low' };
const prompt = { REEVE_RECOVERY: 'prompt' };
const agents = { REEVE_AGENTS: 'payment,shipping,bank-east,bank-west,fraud' };
const sqs = 'https://sqs.eu-west-1.amazonaws.com/123456789012';
const responses = {
  REEVE_RESPONSE_CHANNELS: JSON.stringify({
    ...{ till: `${sqs}/till`, post: `${sqs}/post`, feed: 'events' },
    ...{ shop: 'webhook', crm: 'webhook' },
  }),
};
const webhook = (name: string) => ({
  REEVE_WEBHOOK: name,
  REEVE_WEBHOOK_URL: `https://${name}.example/hook`,
  REEVE_WEBHOOK_SECRET: `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${name}-AbCdEf`,
});
const agent = (id: string) => ({
  ...coordination,
  REEVE_QUEUES: `part 0 of Agent${id}RequestsHighQueue by _`,
  REEVE_REPLY_QUEUE: `Agent${id}RepliesQueue`,
});

const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'front door': {
    ...{ ...store, ...coordination, ...tenants, ...nudges, ...responses },
    ...{ REEVE_BACKLOG_MAX: '60', REEVE_CORS_ORIGINS: 'https://shop.example.com' },
  },
  Scheduler: {
    ...{ ...store, ...coordination, ...tenants, ...nudges, ...prompt, ...agents },
    REEVE_LIMITED_AGENTS: 'payment',
  },
  Supervisor: {
    ...{ ...store, ...coordination, ...tenants, ...nudges, ...prompt, ...agents },
    REEVE_RECOVERY_PER_SECOND: '500',
  },
  // It accepts whatever comes, so it neither shares among tenants nor knows a backlog.
  'submission by queue': { ...store, ...nudges, ...responses },
  notifier: {
    ...{ ...queues, ...responses, REEVE_ORDERS_TABLE: 'StateStoreOrders' },
    ...{ REEVE_EVENT_BUS: 'orders', REEVE_COMMAND: 'npx reeve --stack Reeve' },
  },
  'webhook shop': webhook('shop'),
  'webhook crm': webhook('crm'),
  'agent payment': { ...agent('payment'), REEVE_SERVICE_URL: 'https://payment.example.com' },
  'agent shipping': { ...agent('shipping'), DEPOT: 'north' },
  // A variable of its own counts more than that of every function: to see what it logs while it is looked into.
  'agent bank-east': { ...agent('bankeast'), POWERTOOLS_LOG_LEVEL: 'INFO' },
};

test.each(Object.entries(environments))('the variables of %s', (title, variables) => {
  const own = functions.find(({ Description }) => titleOf(Description) === title);
  const found = Object.entries(own?.Environment.Variables ?? {}).map(([name, value]) => [
    name,
    textOf(value),
  ]);
  expect(Object.fromEntries(found)).toEqual({ ...every, ...variables });
});

test('the variables of every function are stated above', () => {
  const titles = functions.map(({ Description }) => titleOf(Description));
  expect(titles.toSorted()).toEqual(Object.keys(environments).toSorted());
});

test('every function is of Node 24 on ARM, which costs a fifth less, and is traced only where that is asked for', () => {
  for (const one of resources('AWS::Lambda::Function').values()) {
    const { Architectures, Runtime, Handler, TracingConfig, VpcConfig } = one;
    expect({ Architectures, Runtime, Handler, TracingConfig, VpcConfig }).toEqual({
      ...{ Architectures: ['arm64'], Runtime: 'nodejs24.x', Handler: 'index.handler' },
      ...{ TracingConfig: undefined, VpcConfig: undefined },
    });
  }
});

const logs = (of = whole) =>
  Object.entries(of.findResources('AWS::Logs::LogGroup')).map(
    ([id, { Properties, DeletionPolicy, UpdateReplacePolicy }]) => [
      nameOf(id),
      `${Properties.RetentionInDays} days, ${DeletionPolicy}, ${UpdateReplacePolicy}`,
    ],
  );

test('a log for each function, and one of access to the API: kept when the stack is deleted in prod, and deleted with it in dev', () => {
  const parts = ['FrontDoor', 'Scheduler', 'Supervisor', 'Submission', 'Notifications'];
  const names = [...parts, 'Webhookshop', 'Webhookcrm'].map((part) => `${part}FunctionLog`);
  const ofAgents = ['payment', 'shipping', 'bankeast'].map((name) => `Agent${name}AgentLog`);
  const all = ['FrontDoorAccessLog', ...names, ...ofAgents];
  expect(Object.fromEntries(logs())).toEqual(
    Object.fromEntries(all.map((name) => [name, '14 days, Delete, Delete'])),
  );
  const prod = templateOf();
  expect(new Set(logs(prod).map(([, kept]) => kept))).toEqual(new Set(['30 days, Retain, Retain']));
  prod.resourcePropertiesCountIs('AWS::Lambda::Function', { LoggingConfig: Match.anyValue() }, 6);
});
