/** Parameters of a deployment without effect on orders: limits, logs, bus, concurrency, origins, names. */
import type { Template } from 'aws-cdk-lib/assertions';
import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { grantsOf, templateOf } from './scenario.ts';

const resources = (template: Template, type: string) =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

const functionNamed = (template: Template, description: string) =>
  resources(template, 'AWS::Lambda::Function').find((one) => one.Description === description);

const standard = templateOf();

test.each([
  ['as ever', {}, { ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 2_000 }],
  [
    'as given',
    { throttle: { rate: 50, burst: 80 } },
    { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 80 },
  ],
  [
    'in part',
    { throttle: '{"rate":50}' },
    { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 2_000 },
  ],
])('the front door is throttled %s', (_, context, DefaultRouteSettings) => {
  templateOf(context).hasResourceProperties('AWS::ApiGatewayV2::Stage', { DefaultRouteSettings });
});

test.each([
  [{}, '900'],
  [{ backlogMaxSeconds: '60' }, '60'],
])('with %j the front door accepts what can begin in %s s', (context, seconds) => {
  const frontDoor = functionNamed(templateOf(context), 'Reeve: front door');
  expect(frontDoor.Environment.Variables).toMatchObject({ REEVE_BACKLOG_MAX: seconds });
});

test.each([
  [{}, undefined],
  [{ tenantWeights: '{"inn":4}' }, '{"inn":4}'],
  [{ tenantWeights: JSON.parse('{"__proto__":2,"bar":0.5}') }, '{"__proto__":2,"bar":0.5}'],
])('with %j the functions that share among tenants have the weights %s', (context, weights) => {
  const template = templateOf(context);
  for (const name of ['Reeve: front door', 'Reeve: Scheduler', 'Reeve: Supervisor']) {
    const { Variables } = functionNamed(template, name).Environment;
    expect(Variables.REEVE_TENANT_WEIGHTS).toBe(weights);
  }
});

test.each([
  [{}, 30],
  [{ logDays: '365' }, 365],
])('with %j every log group keeps its lines for %i days', (context, days) => {
  const kept = resources(templateOf(context), 'AWS::Logs::LogGroup').map(
    ({ RetentionInDays }) => RetentionInDays,
  );
  expect(kept.length).toBeGreaterThan(5);
  expect(new Set(kept)).toEqual(new Set([days]));
});

test('alerts and event channels go to the configured bus, and the notifier may put events on no other', () => {
  const template = templateOf({ eventBus: 'orders' });
  template.hasResourceProperties('AWS::Events::Rule', {
    EventBusName: 'orders',
    EventPattern: Match.objectLike({ 'detail-type': ['Order in Error'] }),
  });
  const notifier = functionNamed(template, 'Reeve: notifier');
  expect(notifier?.Environment.Variables).toMatchObject({ REEVE_EVENT_BUS: 'orders' });
  const puts = grantsOf(template)['notifier']?.filter(({ actions }) =>
    actions.includes('events:PutEvents'),
  );
  expect(puts?.map(({ on }) => on.map((arn) => /event-bus\/[^"]+/.exec(arn)?.[0]))).toEqual([
    ['event-bus/orders'],
  ]);
  // Only the default bus has schedules.
  template.hasResourceProperties('AWS::Events::Rule', {
    ScheduleExpression: 'rate(1 minute)',
    EventBusName: Match.absent(),
  });
});

test('Supervisor and notifier have the concurrency that is reserved for them, and by default none', () => {
  const reserved = (template: Template) =>
    resources(template, 'AWS::Lambda::Function').flatMap((one) =>
      one.ReservedConcurrentExecutions === undefined
        ? []
        : [[one.Description, one.ReservedConcurrentExecutions]],
    );
  expect(reserved(standard)).toEqual([]);
  const given = templateOf({ reservedConcurrency: { supervisor: 9, notifier: 11 } });
  expect(Object.fromEntries(reserved(given))).toEqual({
    'Reeve: Supervisor': 9,
    'Reeve: notifier': 11,
  });
});

const corsSchema = z.object({
  AllowCredentials: z.boolean(),
  AllowHeaders: z.array(z.string()),
  AllowMethods: z.array(z.string()),
  AllowOrigins: z.array(z.string()),
  ExposeHeaders: z.array(z.string()),
});
const corsOf = (template: Template) =>
  resources(template, 'AWS::ApiGatewayV2::Api').map(({ CorsConfiguration }) => CorsConfiguration);

test('only pages of configured origins may call', () => {
  expect(corsOf(standard)).toEqual([undefined]);
  const standardDoor = functionNamed(standard, 'Reeve: front door');
  expect(standardDoor?.Environment.Variables).not.toHaveProperty('REEVE_CORS_ORIGINS');

  const corsOrigins = ['https://shop.example.com', 'http://localhost:5173'];
  const jwt = { issuer: 'https://id.example.com', audience: ['reeve'] };
  const template = templateOf({ corsOrigins, jwt });
  expect(corsOf(template).map((one) => corsSchema.parse(one))).toEqual([
    {
      AllowCredentials: false,
      AllowHeaders: [
        'authorization',
        'content-type',
        'idempotency-key',
        'if-match',
        'if-none-match',
      ],
      AllowMethods: ['POST', 'GET'],
      AllowOrigins: corsOrigins,
      ExposeHeaders: ['etag', 'location', 'retry-after'],
    },
  ]);
  const door = functionNamed(template, 'Reeve: front door');
  expect(door?.Environment.Variables.REEVE_CORS_ORIGINS).toBe(corsOrigins.join(','));
});

test('a page that signs for IAM may also send the headers of its signature', () => {
  const [given] = corsOf(templateOf({ corsOrigins: ['https://shop.example.com'] }));
  expect(corsSchema.parse(given).AllowHeaders).toEqual(
    expect.arrayContaining(['x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256']),
  );
});

test('every role is bounded by the configured policy', () => {
  const permissionsBoundary = 'arn:aws:iam::123456789012:policy/bounds/orders';
  const roles = (template: Template) =>
    resources(template, 'AWS::IAM::Role').map((role) => role.PermissionsBoundary);
  expect(new Set(roles(standard))).toEqual(new Set([undefined]));
  expect(new Set(roles(templateOf({ permissionsBoundary })))).toEqual(
    new Set([permissionsBoundary]),
  );
});

test('tags are on every kind of resource that holds data, runs code or costs money', () => {
  const template = templateOf({ tags: { team: 'orders', 'cost-centre': '4711' } });
  const list = [
    { Key: 'cost-centre', Value: '4711' },
    { Key: 'team', Value: 'orders' },
  ];
  const types = {
    'AWS::Lambda::Function': list,
    'AWS::SQS::Queue': list,
    'AWS::SNS::Topic': list,
    'AWS::Logs::LogGroup': list,
    'AWS::IAM::Role': list,
    'AWS::CloudWatch::Alarm': list,
    'AWS::ApiGatewayV2::Api': { team: 'orders', 'cost-centre': '4711' },
  };
  for (const [type, tags] of Object.entries(types)) {
    for (const resource of resources(template, type)) {
      expect({ type, tags: resource.Tags }).toEqual({ type, tags });
    }
  }
  for (const table of resources(template, 'AWS::DynamoDB::GlobalTable')) {
    expect(table.Replicas).toMatchObject([{ Tags: list }]);
  }
});

test.each([
  ['throttle', { throttle: { rate: 0 } }],
  ['throttle', { throttle: { limit: 5 } }],
  ['backlogMaxSeconds', { backlogMaxSeconds: 0 }],
  ['backlogMaxSeconds', { backlogMaxSeconds: 86_401 }],
  ['tenantWeights', { tenantWeights: '[4]' }],
  ['tenantWeights.inn', { tenantWeights: { inn: 0 } }],
  ['tenantWeights.inn', { tenantWeights: { inn: '4' } }],
  ['logDays', { logDays: '31' }],
  ['eventBus', { eventBus: 'arn:aws:events:eu-west-1:123456789012:event-bus/orders' }],
  [
    '`reservedConcurrency.supervisor` must be 9 or more',
    { reservedConcurrency: { supervisor: 8 } },
  ],
  ['reservedConcurrency.notifier', { reservedConcurrency: { notifier: 10 } }],
  ['reservedConcurrency', { reservedConcurrency: { scheduler: 10 } }],
  ['corsOrigins.0', { corsOrigins: ['*'] }],
  ['corsOrigins.0', { corsOrigins: ['https://shop.example.com/'] }],
  ['corsOrigins.0', { corsOrigins: ['http://shop.example.com'] }],
  ['corsOrigins.0', { corsOrigins: ['https://shop.example.com:443'] }],
  ['corsOrigins.0', { corsOrigins: ['https://shop.example.com:70000'] }],
  ['corsOrigins.0', { corsOrigins: ['http://localhost:80'] }],
  ['kmsKey', { kmsKey: 'arn:aws:kms:eu-west-1:123456789012:alias/orders' }],
  ['permissionsBoundary', { permissionsBoundary: 'bounds' }],
  ['tags.aws:team', { tags: { 'aws:team': 'orders' } }],
  ['tags.team', { tags: { team: '<b>' } }],
  ['tags.team', { tags: { team: 'x'.repeat(257) } }],
  [
    '`tags` must be 50 at most',
    { tags: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`t${at}`, 'x'])) },
  ],
])('an invalid setting is named: %s', (named, context) => {
  expect(() => templateOf(context)).toThrow(named);
});
