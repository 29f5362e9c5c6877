/** The front door with events as API Gateway creates them. */
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { workflows } from '#workflows/shipped.ts';

vi.stubEnv('AWS_REGION', 'eu-central-1');
vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'front-door');
vi.stubEnv('REEVE_ORDERS_TABLE', 'orders');
vi.stubEnv('REEVE_PROCESSES_TABLE', 'processes');
vi.stubEnv('REEVE_COORDINATION_TABLE', 'coordination');
vi.stubEnv('REEVE_BACKLOG_MAX', '900');
vi.stubEnv('REEVE_SHARDS', '1');
vi.stubEnv('REEVE_SWEEP_SECONDS', '60');
vi.stubEnv('REEVE_KEEP_DAYS', '30');
vi.stubEnv('REEVE_QUEUES', 'https://sqs.eu-central-1.amazonaws.com/123456789012/reeve');
vi.stubEnv('REEVE_PRIORITIES', 'normal');
vi.stubEnv('REEVE_RESPONSE_CHANNELS', '{}');

const { frontDoorHandler } = await import('../../lambdas/front-door.ts');
const handler = frontDoorHandler({ workflows });

const answerSchema = z.object({ statusCode: z.int(), body: z.string() });

interface Sent {
  readonly method: 'GET' | 'POST';
  /** As API Gateway gives it: decoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
}

async function ask({ method, path, headers = {}, body = null, isBase64Encoded = false }: Sent) {
  const context = {
    awsRequestId: '1',
    functionName: 'front-door',
    functionVersion: '1',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:front-door',
    memoryLimitInMB: '512',
    logGroupName: 'front-door',
    logStreamName: '1',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => 10_000,
    done() {},
    fail() {},
    succeed() {},
  };
  const iam = {
    ...{ accessKey: '', accountId: '1', callerId: '', userId: '' },
    ...{ cognitoIdentity: null, principalOrgId: null },
    userArn: 'arn:aws:iam::123456789012:user/ada',
  };
  const http = { method, path, protocol: 'HTTP/1.1', sourceIp: '', userAgent: '' };
  const event = {
    ...{ version: '2.0', routeKey: `${method} ${path}`, rawPath: path, rawQueryString: '' },
    headers: { host: 'api.example', 'content-type': 'application/json', ...headers },
    requestContext: {
      authentication: null,
      ...{ accountId: '1', apiId: 'api', domainName: 'api.example', domainPrefix: 'api' },
      ...{
        requestId: '1',
        routeKey: `${method} ${path}`,
        stage: '$default',
        time: '',
        timeEpoch: 0,
      },
      http,
      authorizer: { iam },
    },
    body,
    isBase64Encoded,
  };
  const { statusCode, body: answer } = answerSchema.parse(await handler(event, context));
  return { statusCode, answer };
}

/** The status, and the code of the problem document. */
async function refused(sent: Sent) {
  const { statusCode, answer } = await ask(sent);
  return { statusCode, code: z.object({ code: z.string() }).parse(JSON.parse(answer)).code };
}

const submit = (body: string, isBase64Encoded: boolean, headers = {}) =>
  refused({ method: 'POST', path: '/orders', headers, body, isBase64Encoded });

const text = '{"workflow":"order-fulfilment","details":{"customer":"Andr\u00e9"}}';

test('bytes that are not UTF-8 are refused', async () => {
  const latin1 = Buffer.from(text, 'latin1').toString('base64');
  expect(await submit(latin1, true)).toEqual({ statusCode: 400, code: 'json-malformed' });
});

test('text in which API Gateway has replaced bytes is refused, and genuine text is not', async () => {
  const length = { 'content-length': String(Buffer.from(text, 'latin1').length) };
  const replaced = Buffer.from(text, 'latin1').toString('utf8');
  expect(await submit(replaced, false, length)).toEqual({
    statusCode: 400,
    code: 'json-malformed',
  });
  // Rejected for its details, which lack most fields, so the body was read.
  expect(await submit(text, false, { 'content-length': String(Buffer.byteLength(text)) })).toEqual({
    statusCode: 422,
    code: 'details-invalid',
  });
});

test('a field that occurs twice is refused', async () => {
  const twice = '{"workflow":"order-fulfilment","details":{},"details":{}}';
  expect(await submit(twice, false)).toEqual({ statusCode: 400, code: 'json-malformed' });
});

test.each(['ü', 'order ä', 'a,ü', '\u{1f600}'])(
  'the idempotency key %j is refused, as in one process',
  async (key) => {
    expect(await submit(text, false, { 'idempotency-key': key })).toEqual({
      statusCode: 400,
      code: 'header-invalid',
    });
  },
);

test('an idempotency key or a revision without a value is refused, as in one process', async () => {
  const answer = { statusCode: 400, code: 'header-invalid' };
  expect(await submit(text, false, { 'idempotency-key': '' })).toEqual(answer);
  const path = '/orders/01kdvdna0012vzf1k7ypyn20t7/cancel';
  expect(await refused({ method: 'POST', path, headers: { 'if-match': '' } })).toEqual(answer);
});

test('the body of a GET is ignored, as in one process', async () => {
  const sent = { method: 'GET', path: '/principal' } as const;
  const without = await ask(sent);
  expect(without).toMatchObject({ statusCode: 200 });
  expect(await ask({ ...sent, body: '{}' })).toEqual(without);
});

test.each([
  '/orders/../principal',
  '/orders/./../principal',
  '/orders/%2e%2E/principal',
  '/orders/.%2e/principal',
  '/orders/x/%2e./../principal',
  '/principal/.',
  '/./principal',
  '/principal/healthz/..',
])('a decoded dot segment leads to no other route: %s', async (path) => {
  expect(await refused({ method: 'GET', path })).toEqual({
    statusCode: 404,
    code: 'route-unknown',
  });
});

test.each(['#', '?', '\\', '\t', ' ', '\u{1f600}'])(
  'a decoded %j in a path leads to no other route',
  async (sign) => {
    expect(await refused({ method: 'GET', path: `/principal${sign}` })).toEqual({
      statusCode: 404,
      code: 'route-unknown',
    });
    // API Gateway has authorised the caller to cancel.
    const path = `/orders/batch${sign}/cancel`;
    expect(await refused({ method: 'POST', path, body: '{}' })).toEqual({
      statusCode: 404,
      code: 'order-id-malformed',
    });
  },
);
