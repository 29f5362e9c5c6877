/**
 * Permissions on AWS: every cell of the table in docs/access.md, through what the synthesised template lets API
 * Gateway do, and then through the front door's own handler.
 */
import { readFileSync } from 'node:fs';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import type { Template } from 'aws-cdk-lib/assertions';
import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { queueNames } from '#aws/queues/queue-names.ts';
import type { Role } from '#core/access/principal.ts';
import { workflows } from '#workflows/shipped.ts';
import { frontDoorHandler } from '../../lambdas/front-door.ts';
import {
  type AccessRow,
  accessTable,
  cases,
  ours,
  requestOf,
  wordOf,
} from '../support/access-table.ts';
import { createTables, type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { type SqsServer, startSqs } from '../support/sqs-server.ts';
import { templateWith } from './scenario.ts';

const issuer = 'https://id.example.com';
const words = { viewer: 'shop-view', submitter: 'shop-submit', operator: 'shop-operate' };
const jwt = { issuer, audience: ['reeve'], roles: words, tenantClaim: 'tenant' };
const templates = {
  iam: templateWith([]),
  scopes: templateWith([], { jwt }),
  groups: templateWith([], { jwt: { ...jwt, rolesClaim: 'cognito:groups' } }),
};
type Mode = keyof typeof templates;
const modes: readonly Mode[] = ['iam', 'scopes', 'groups'];

const routeSchema = z.object({
  RouteKey: z.string(),
  AuthorizationType: z.string(),
  AuthorizationScopes: z.array(z.string()).optional(),
});
const routesIn = (template: Template) =>
  Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) =>
    routeSchema.parse(Properties),
  );

const policySchema = z.object({
  Description: z.string(),
  PolicyDocument: z.object({
    Statement: z.array(
      z.object({
        Effect: z.literal('Allow'),
        Action: z.literal('execute-api:Invoke'),
        Resource: z.array(z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) })),
      }),
    ),
  }),
});
const policyIds = { viewer: 'ReeveView', submitter: 'ReeveSubmit', operator: 'ReeveOperate' };

/** The method and path of each resource that the role's policy allows, after the stage. */
function allowedBy(role: Role): readonly string[] {
  const found = Object.entries(templates.iam.findResources('AWS::IAM::ManagedPolicy')).find(
    ([id]) => id.includes(policyIds[role]),
  );
  const { PolicyDocument } = policySchema.parse(found?.[1]['Properties']);
  return PolicyDocument.Statement.flatMap(({ Resource }) =>
    Resource.map(({ 'Fn::Join': [, parts] }) => String(parts.at(-1)).replace('/$default/', '')),
  );
}

/** As IAM matches: an asterisk is any text including slashes; these paths contain no other special characters. */
const matches = (pattern: string, name: string) =>
  new RegExp(`^${pattern.split('*').join('.*')}$`).test(name);

/** What API Gateway does with the request before it invokes the function. */
function atGateway(mode: Mode, row: AccessRow, role: Role | null, name: string) {
  const route = routesIn(templates[mode]).find(({ RouteKey }) => RouteKey === row.route);
  if (route === undefined) return '404';
  if (route.AuthorizationType === 'NONE') return 'invoked';
  if (role === null) return '401';
  if (mode === 'iam') {
    return allowedBy(role).some((pattern) => matches(pattern, name)) ? 'invoked' : '403';
  }
  const { AuthorizationScopes: scopes } = route;
  return scopes === undefined || scopes.includes(words[role]) ? 'invoked' : '403';
}

function authorizerOf(mode: Mode, role: Role, tenant: string | null) {
  if (mode === 'iam') {
    return {
      iam: {
        accessKey: 'A',
        accountId: '123456789012',
        callerId: 'C',
        cognitoIdentity: null,
        principalOrgId: null,
        userArn: `arn:aws:sts::123456789012:assumed-role/${role}/ada`,
        userId: 'U',
      },
    };
  }
  const claim =
    mode === 'scopes'
      ? { scope: `openid ${words[role]}` }
      : { 'cognito:groups': `[staff ${words[role]}]` };
  return { jwt: { claims: { sub: `user-${role}`, tenant: tenant ?? '*', ...claim }, scopes: [] } };
}

let dynamo: DynamoServer;
let sqs: SqsServer;
beforeAll(async () => {
  [dynamo, sqs] = await Promise.all([startDynoxide(), startSqs()]);
});
afterAll(async () => {
  await Promise.all([dynamo.close(), sqs.close()]);
});

/** The front door as deployed, with the access settings of the template. */
async function frontDoor(mode: Mode) {
  const functions = Object.values(templates[mode].findResources('AWS::Lambda::Function'));
  const properties = functions.map(({ Properties }) => Properties);
  const own = properties.find(({ Description }) => Description === 'Reeve: front door');
  const environment = z.record(z.string(), z.unknown()).parse(own?.Environment.Variables);
  const tables = await createTables(dynamo.client);
  const queue = new CreateQueueCommand({ QueueName: queueNames.ready('reeve', 'normal') });
  await sqs.client().send(queue);
  const variables = {
    REEVE_JWT:
      environment['REEVE_JWT'] === undefined ? undefined : String(environment['REEVE_JWT']),
    REEVE_ORDERS_TABLE: tables.orders,
    REEVE_PROCESSES_TABLE: tables.processes,
    REEVE_COORDINATION_TABLE: tables.coordination,
    REEVE_SHARDS: '1',
    REEVE_SWEEP_SECONDS: '60',
    REEVE_KEEP_DAYS: '30',
    REEVE_BACKLOG_MAX: '900',
    REEVE_QUEUES: `${sqs.endpoint}/000000000000/reeve`,
    REEVE_PRIORITIES: 'normal',
    REEVE_RESPONSE_CHANNELS: '{}',
    AWS_LAMBDA_FUNCTION_NAME: 'front-door',
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const handler = frontDoorHandler({ workflows });
  const context: Context = {
    callbackWaitsForEmptyEventLoop: false,
    functionName: 'front-door',
    functionVersion: '1',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:front-door',
    memoryLimitInMB: '256',
    awsRequestId: 'r',
    logGroupName: 'g',
    logStreamName: 's',
    getRemainingTimeInMillis: () => 20_000,
    done() {},
    fail() {},
    succeed() {},
  };
  return async (
    { method, path, body }: ReturnType<typeof requestOf>,
    authorizer: object,
  ): Promise<{ readonly status: number; readonly body: string }> => {
    const event = {
      version: '2.0',
      routeKey: `${method} ${path}`,
      rawPath: path,
      rawQueryString: '',
      headers: {
        host: 'abc.execute-api.us-east-1.amazonaws.com',
        ...(body !== null && { 'content-type': 'application/json' }),
      },
      body,
      isBase64Encoded: false,
      requestContext: {
        accountId: '123456789012',
        apiId: 'abc',
        authentication: null,
        authorizer,
        domainName: 'abc.execute-api.us-east-1.amazonaws.com',
        domainPrefix: 'abc',
        http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
        requestId: 'r',
        routeKey: `${method} ${path}`,
        stage: '$default',
        time: '01/Jan/2026:00:00:00 +0000',
        timeEpoch: 0,
      },
    };
    const answer = z
      .object({ statusCode: z.int(), body: z.string() })
      .parse(await handler(event, context));
    return { status: answer.statusCode, body: answer.body };
  };
}

const { workflow, details } = z
  .object({ workflow: z.string(), details: z.looseObject({}) })
  .parse(JSON.parse(readFileSync('examples/order.json', 'utf8')));

test('API Gateway has the routes that the table has on AWS, each authorised, and no other', () => {
  const expected = accessTable()
    .filter((row) => row['on AWS'] === 'yes')
    .map(({ route }) => route);
  for (const mode of modes) {
    const found = routesIn(templates[mode]);
    expect(found.map(({ RouteKey }) => RouteKey).toSorted()).toEqual(expected.toSorted());
    const types = new Set(found.map(({ AuthorizationType }) => AuthorizationType));
    expect([...types]).toEqual([mode === 'iam' ? 'AWS_IAM' : 'JWT']);
  }
});

describe.each(modes)('by %s', (mode) => {
  let ask: Awaited<ReturnType<typeof frontDoor>>;
  let order: string;
  beforeAll(async () => {
    ask = await frontDoor(mode);
    const submit = accessTable().find(({ route }) => route === 'POST /orders');
    if (submit === undefined) throw new Error('the table has no submission');
    const answer = await ask(
      requestOf(submit, '', workflow, details),
      authorizerOf(mode, 'operator', null),
    );
    order = z.object({ orderId: z.string() }).parse(JSON.parse(answer.body)).orderId;
  });

  // IAM has no tenants.
  const own = cases.filter(
    ({ row, tenant }) => row['on AWS'] === 'yes' && (mode !== 'iam' || tenant === null),
  );

  // With IAM the function cannot know what a policy allowed.
  const ofFunction = own.filter(({ role }) => mode !== 'iam' && role !== null);

  test.each(own)('$row.route by $asker: $expected', async ({ row, role, tenant, expected }) => {
    const request = requestOf(row, order, workflow, details);
    const gateway = atGateway(mode, row, role, `${request.method}${request.path}`);
    if (role === null) return expect(gateway).toBe('401');
    // API Gateway knows neither groups nor tenants, so the function decides on what it lets through.
    if (gateway !== 'invoked') return expect(gateway).toBe(expected);
    const answer = await ask(request, authorizerOf(mode, role, tenant));
    expect(wordOf(answer.status, expected)).toBe(expected);
    if (expected === 'its own') expect(answer.body).not.toContain(order);
  });

  test.each(ofFunction)(
    'the function alone says the same: $row.route by $asker',
    async ({ row, role, tenant, expected }) => {
      const request = requestOf(row, order, workflow, details);
      // API Gateway guards the health route, which has no order data.
      const answer = await ask(request, authorizerOf(mode, role ?? 'viewer', tenant));
      expect(wordOf(answer.status, expected)).toBe(expected);
    },
  );

  test('an event without an authorizer is rejected, so that a route left open by mistake stays closed', async () => {
    const list = { method: 'GET', path: '/orders', body: null };
    expect((await ask(list, {})).status).toBe(401);
  });

  test('the history has the name of the submitter', async () => {
    const answer = await ask(
      { method: 'GET', path: `/orders/${order}`, body: null },
      authorizerOf(mode, 'viewer', null),
    );
    const { history, tenant } = z
      .object({ tenant: z.string(), history: z.array(z.object({ by: z.string().optional() })) })
      .parse(JSON.parse(answer.body));
    expect(tenant).toBe(ours);
    expect(history[0]?.by).toBe(mode === 'iam' ? 'assumed-role/operator/ada' : 'user-operator');
  });
});

test('a bearer without a role, or without the tenant claim, is rejected everywhere', async () => {
  const ask = await frontDoor('scopes');
  const list = { method: 'GET', path: '/orders', body: null };
  for (const claims of [{ scope: 'openid', tenant: 'inn' }, { scope: 'shop-operate' }]) {
    const answer = await ask(list, { jwt: { claims: { sub: 'user', ...claims }, scopes: [] } });
    expect(answer.status).toBe(403);
  }
});

test('a policy names methods and paths: none exceeds its role, and none is a wildcard for everything', () => {
  expect(allowedBy('viewer').every((name) => name.startsWith('GET/'))).toBe(true);
  expect(allowedBy('submitter').filter((name) => name.startsWith('POST/'))).toEqual([
    'POST/orders',
    'POST/orders/batch',
  ]);
  expect(
    allowedBy('operator')
      .filter((name) => name.includes('*'))
      .toSorted(),
  ).toEqual([
    'GET/orders/*',
    'POST/agents/*',
    'POST/orders/*/cancel',
    'POST/orders/*/reprioritise',
    'POST/orders/*/resubmit',
  ]);
});

test('the access log has path and principal, and neither the query nor an address', () => {
  for (const mode of modes) {
    const [stage] = Object.values(templates[mode].findResources('AWS::ApiGatewayV2::Stage'));
    const format = z.string().parse(stage?.['Properties'].AccessLogSettings.Format);
    expect(JSON.parse(format)).toMatchObject({
      path: '$context.path',
      principal: mode === 'iam' ? '$context.identity.userArn' : '$context.authorizer.claims.sub',
    });
    expect(format).not.toMatch(/query|sourceIp/i);
  }
});
