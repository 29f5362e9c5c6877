/** The deployed front door: what its environment and the reports of other functions decide, in the units that they have. */
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { heldFlowOf } from '#aws/store/held-key.ts';
import { workflows } from '#workflows/shipped.ts';
import { accepted, answeringAws } from '../support/answering-aws.ts';
import { lambdaContext } from '../support/lambda-poller.ts';

const order = z
  .looseObject({ workflow: z.string() })
  .parse(JSON.parse(readFileSync('examples/order.json', 'utf8')));
const key = z.object({ Key: z.object({ Name: z.object({ S: z.string() }) }) });

/** The answer of a front door to one request, where the Coordination table has these items. */
async function answerTo(
  method: 'GET' | 'POST',
  path: string,
  body: object | null,
  items: Readonly<Record<string, object>> = {},
): Promise<number> {
  const aws = await answeringAws((call) => {
    const { data } = key.safeParse(call.input);
    const Item = data === undefined ? undefined : items[data.Key.Name.S];
    if (call.operation === 'GetItem') return Item === undefined ? {} : { Item };
    const { sweep } = items;
    if (call.operation !== 'BatchGetItem') return accepted(call);
    return { Responses: { coordination: sweep === undefined ? [] : [sweep] } };
  });
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL: aws.url,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    REEVE_ORDERS_TABLE: 'orders',
    REEVE_PROCESSES_TABLE: 'processes',
    REEVE_COORDINATION_TABLE: 'coordination',
    REEVE_BACKLOG_MAX: '900',
    REEVE_SHARDS: '1',
    REEVE_SWEEP_SECONDS: '60',
    REEVE_KEEP_DAYS: '30',
    REEVE_QUEUES: `${aws.url}/000000000000/test`,
    REEVE_PRIORITIES: 'normal',
    REEVE_RESPONSE_CHANNELS: '{"shop":"events"}',
  })) {
    vi.stubEnv(name, value);
  }
  // Imported here, because a function reads its environment when it is loaded.
  const { frontDoorHandler } = await import('../../lambdas/front-door.ts');
  const iam = {
    ...{ accessKey: '', accountId: '1', callerId: '', userId: '' },
    ...{ cognitoIdentity: null, principalOrgId: null },
    userArn: 'arn:aws:iam::123456789012:user/ada',
  };
  const event = {
    ...{ version: '2.0', routeKey: `${method} ${path}`, rawPath: path, rawQueryString: '' },
    headers: { host: 'api.example', 'content-type': 'application/json' },
    requestContext: {
      ...{ authentication: null, accountId: '1', apiId: 'api', domainName: 'api.example' },
      ...{ domainPrefix: 'api', requestId: '1', routeKey: path, stage: '$default', time: '' },
      ...{ timeEpoch: 0, authorizer: { iam } },
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '', userAgent: '' },
    },
    body: body === null ? null : JSON.stringify(body),
    isBase64Encoded: false,
  };
  const answer = await frontDoorHandler({ workflows })(event, lambdaContext());
  return z.object({ statusCode: z.int() }).parse(answer).statusCode;
}

const agoMs = (ms: number) => ({ N: String(Date.now() - ms) });

test('an order is refused that would wait for longer than the bound of 900 s, and no other', async () => {
  const withBacklog = (waiting: number) => {
    const counted = { agent: 'fraud', priority: 'normal', isUnavailable: false, perSecond: 1 };
    const counts = { waiting, flows: 1, largest: [{ flow: '-', waiting }] };
    const classes = [{ ...counted, ...counts, from: Date.now(), waitingFrom: waiting }];
    const admission = { At: agoMs(0), Classes: { S: JSON.stringify(classes) } };
    return answerTo('POST', '/orders', order, { admission });
  };
  expect(await withBacklog(500)).toBe(202);
  expect(await withBacklog(2_000)).toBeGreaterThanOrEqual(429);
});

test('a tenant with a greater weight may have more orders wait than another one', async () => {
  const waiting = 500;
  const flows = ['inn', 'bar'].map((tenant) => ({ flow: heldFlowOf(tenant), waiting }));
  const counted = { agent: 'fraud', priority: 'normal', isUnavailable: false, perSecond: 1 };
  const counts = { waiting: 2 * waiting, flows: 2, largest: flows };
  const classes = [{ ...counted, ...counts, from: Date.now(), waitingFrom: 2 * waiting }];
  const submitted = (tenant: string) => {
    const admission = { At: agoMs(0), Classes: { S: JSON.stringify(classes) } };
    return answerTo('POST', '/orders', { ...order, tenant }, { admission });
  };
  // Half of an order a second is 1,000 s for 500, and four fifths are 625 s, of 900 s.
  expect(await submitted('inn')).toBeGreaterThanOrEqual(429);
  vi.stubEnv('REEVE_TENANT_WEIGHTS', '{"inn":4}');
  expect(await submitted('inn')).toBe(202);
  expect(await submitted('bar')).toBeGreaterThanOrEqual(429);
});

test('its health says that sweeps are late after three periods', async () => {
  const health = (sweptMs: number) =>
    answerTo('GET', '/healthz', null, { sweep: { Name: { S: 'sweep' }, SweptAt: agoMs(sweptMs) } });
  expect(await health(120_000)).toBe(200);
  expect(await health(240_000)).toBe(503);
});

test('an order may name a registered response channel, and no other', async () => {
  expect(await answerTo('POST', '/orders', { ...order, replyTo: 'shop' })).toBe(202);
  expect(await answerTo('POST', '/orders', { ...order, replyTo: 'elsewhere' })).toBe(422);
});
