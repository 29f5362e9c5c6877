/** The dashboard of a stack: exactly its widgets, where they are, and their metrics and queries. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { resources, textOf } from './whole-stack.ts';

const bodySchema = z.object({
  start: z.string(),
  widgets: z.array(
    z.object({
      ...{ x: z.int(), y: z.int(), width: z.int(), height: z.int() },
      properties: z.object({
        title: z.string(),
        alarms: z.array(z.string()).default([]),
        metrics: z.array(z.array(z.unknown())).default([]),
        query: z.string().default(''),
      }),
    }),
  ),
});
const options = z.object({
  label: z.string().default(''),
  stat: z.string(),
  yAxis: z.enum(['left', 'right']).default('left'),
});

/** As `right Sum Reeve OrdersPastDue service Reeve`, with the label that is not the name of the metric. */
function lineOf(metric: readonly unknown[]): string {
  const { label, stat, yAxis } = options.parse(metric.at(-1));
  const name = metric.slice(0, -1).map(String).join(' ').replace('.QueueName', '');
  return [yAxis, stat, name, ...(label === '' ? [] : [`as ${label}`])].join(' ');
}

const [board] = resources('AWS::CloudWatch::Dashboard').values();
const { start, widgets } = bodySchema.parse(JSON.parse(textOf(board?.['DashboardBody'])));
const widget = (title: string) => {
  const found = widgets.find(({ properties }) => properties.title.startsWith(title));
  return found?.properties ?? { title, alarms: [], metrics: [], query: '' };
};
const linesOf = (title: string) => widget(title).metrics.map(lineOf);

const own = (name: string, stat = 'Sum') => `${stat} Reeve ${name} service Reeve`;
const classes = ['High', 'Normal', 'Low'];
const agents = ['payment', 'shipping', 'bank-east', 'bank-west', 'fraud'];
const inFunctions = { payment: 'payment', shipping: 'shipping', 'bank-east': 'bankeast' };

test('the last three hours, in rows as wide as a screen', () => {
  expect(start).toBe('-PT3H');
  const places = widgets.map(
    ({ x, y, width, properties }) => `${y}: ${x}-${x + width} ${properties.title.split(':')[0]}`,
  );
  expect(places).toEqual([
    '0: 0-24 What needs an operator',
    '3: 0-8 Orders',
    '3: 8-16 Steps',
    '3: 16-24 Refused requests by status',
    '9: 0-12 Failed calls by agent and error',
    '9: 12-24 Backlog',
    '15: 0-12 Sweeps, and how long orders wait for an agent (s)',
    '15: 12-24 What costs',
  ]);
});

test('it has every alarm, also those of agents', () => {
  expect(new Set(widget('What needs').alarms)).toEqual(
    new Set(resources('AWS::CloudWatch::Alarm').keys()),
  );
});

test('how orders ended, and how many requests came', () => {
  expect(linesOf('Orders')).toEqual([
    ...['OrdersProcessed', 'OrdersUndone', 'OrdersInError'].map((name) => `left ${own(name)}`),
    'right SampleCount AWS/ApiGateway Count ApiId FrontDoorApi as API requests',
  ]);
});

test('how long the slowest calls of each agent take', () => {
  expect(linesOf('Steps')).toEqual(
    Object.entries(inFunctions).map(
      ([name, id]) => `left p99 AWS/Lambda Duration FunctionName Agent${id}Agent as ${name}`,
    ),
  );
});

test('which requests were refused, and which calls failed', () => {
  expect(widget('Refused').query.split('\n')).toEqual([
    // 503: too many orders wait. 429: those of one tenant do, or API Gateway limits the rate.
    `SOURCE 'FrontDoorAccessLog' | filter status in ["429", "503"]`,
    '| stats count(*) as requests by status, method, path',
    '| sort requests desc',
  ]);
  const logs = Object.values(inFunctions).map((id) => `SOURCE 'Agent${id}AgentLog' | `);
  expect(widget('Failed').query.split('\n')).toEqual([
    `${logs.join('')}filter message = "call-failed"`,
    '| stats count(*) as calls by agent, error, code',
    '| sort calls desc',
  ]);
});

test('the oldest message of every queue, and what keeps failing', () => {
  const oldest = (queue: string, label: string) =>
    `left Maximum AWS/SQS ApproximateAgeOfOldestMessage QueueName ${queue} as ${label}`;
  expect(linesOf('Backlog')).toEqual([
    ...classes.map((name) => oldest(`Ready${name}Queue`, `Ready-${name}`)),
    oldest('ChecksQueue', 'Checks'),
    oldest('SubmissionSubmissionsQueue', 'Submission-Submissions'),
    ...agents.flatMap((agent) => {
      const id = `Agent${agent.replace('-', '')}`;
      return [
        ...classes.map((name) =>
          oldest(`${id}Requests${name}Queue`, `Agent-${agent}-Requests-${name}`),
        ),
        oldest(`${id}RepliesQueue`, `Agent-${agent}-Replies`),
      ];
    }),
    `left ${own('UndeliveredAge', 'Maximum')}`,
    ...['shop', 'crm'].map(
      (name) =>
        `left ${own('UndeliveredAge', 'Maximum')} webhook ${name} as UndeliveredAge ${name}`,
    ),
    `right ${own('MessageReceives', 'Maximum')}`,
  ]);
});

test('sweeps, and what they find', () => {
  expect(linesOf('Sweeps')).toEqual([
    'left Sum AWS/Lambda Invocations FunctionName SupervisorFunction as sweeps',
    'left Sum AWS/Lambda Errors FunctionName SupervisorFunction as failed',
    `right ${own('OrdersPastDue')}`,
    `right ${own('OrdersInterrupted')}`,
    `right ${own('SweepLag', 'Maximum')}`,
    `right ${own('HeldAge', 'Maximum')}`,
    `right ${own('AgentsUnavailable')}`,
  ]);
});

test('what costs: the units of the table that every change writes, and the invocations of every function', () => {
  const units = (kind: string) =>
    `left Sum AWS/DynamoDB Consumed${kind}CapacityUnits TableName StateStoreProcesses`;
  const invoked = (name: string, worker: string) =>
    `right Sum AWS/Lambda Invocations FunctionName ${worker} as ${name}`;
  expect(linesOf('What costs')).toEqual([
    `${units('Write')} as write units`,
    `${units('Read')} as read units`,
    invoked('front-door', 'FrontDoorFunction'),
    invoked('scheduler', 'SchedulerFunction'),
    invoked('supervisor', 'SupervisorFunction'),
    invoked('notifier', 'NotificationsFunction'),
    invoked('webhook-shop', 'WebhookshopFunction'),
    invoked('webhook-crm', 'WebhookcrmFunction'),
    invoked('submission', 'SubmissionFunction'),
    ...Object.entries(inFunctions).map(([name, id]) => invoked(name, `Agent${id}Agent`)),
  ]);
});
