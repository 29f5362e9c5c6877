import { createHash, createHmac } from 'node:crypto';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { expect, test } from 'vitest';
import { signedFetch } from '#aws/signed-fetch.ts';
import { answeringServer, type Received } from '../support/answering-server.ts';

const client = (sessionToken?: string) =>
  new CloudFormationClient({
    region: 'eu-west-1',
    credentials: {
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'secret',
      ...(sessionToken !== undefined && { sessionToken }),
    },
  });

const api = { service: 'execute-api', region: 'eu-west-1' };

/** The request that would be sent. */
async function sent(url: string, init: RequestInit, sessionToken?: string) {
  const requests: Request[] = [];
  const send: typeof fetch = async (input, options) => {
    requests.push(new Request(input, options));
    return new Response('{}');
  };
  await signedFetch(client(sessionToken).config, api, send)(url, init);
  const [request] = requests;
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

const url = 'https://abc123.execute-api.eu-west-1.amazonaws.com/orders?limit=2&state=Error';

test('a request is signed for the API of its region, including host and body hash', async () => {
  const body = '{"workflow":"house"}';
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'k1' };
  const request = await sent(url, { method: 'POST', headers, body });
  const authorization = request.headers.get('authorization') ?? '';
  expect(authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/execute-api\/aws4_request, SignedHeaders=[a-z0-9;-]+, Signature=[0-9a-f]{64}$/,
  );
  for (const name of ['host', 'content-type', 'idempotency-key', 'x-amz-date']) {
    expect(authorization).toMatch(new RegExp(`SignedHeaders=[^,]*\\b${name}\\b`));
  }
  expect(request.headers.get('x-amz-content-sha256')).toBe(
    createHash('sha256').update(body).digest('hex'),
  );
  expect(await request.text()).toBe(body);
  expect(request.url).toBe(url);
});

test('temporary credentials send their session token', async () => {
  const request = await sent(url, { method: 'GET' }, 'session');
  expect(request.headers.get('x-amz-security-token')).toBe('session');
});

test('a request without a method is a GET', async () => {
  const { received, url: base } = await answeringServer((response) => response.end('{}'));
  await signedFetch(client().config, api, fetch)(`${base}/orders`, {});
  const [request] = received;
  if (request === undefined) throw new Error('nothing arrived');
  expect(request.method).toBe('GET');
  expect(request.headers.authorization).toContain(`Signature=${expectedSignature(request)}`);
});

test('another path has another signature', async () => {
  const signatures = await Promise.all(
    [url, url.replace('limit=2', 'limit=3')].map(async (one) => {
      const { headers } = await sent(one, { method: 'GET' });
      return headers.get('authorization')?.split('Signature=')[1];
    }),
  );
  expect(new Set(signatures).size).toBe(2);
});

const sha256 = (data: string) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) =>
  createHmac('sha256', key).update(data).digest();

/** The signature that AWS computes from the received request (SigV4). */
function expectedSignature({ method, url: target = '', headers, body }: Received) {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const [path = '', query = ''] = target.split('?');
  const lines = names.split(';').map((name) => `${name}:${headers[name]}\n`);
  const canonical = [method, path, query, lines.join(''), names, sha256(body)].join('\n');
  const time = String(headers['x-amz-date']);
  const scope = [time.slice(0, 8), 'eu-west-1', 'execute-api', 'aws4_request'];
  const key = scope.reduce<string | Buffer>(hmac, 'AWS4secret');
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n');
  return hmac(key, toSign).toString('hex');
}

test.each([
  ['a question', { method: 'GET', headers: { accept: 'application/json' } }],
  [
    'a document',
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"ä":1}' },
  ],
])('%s arrives as it was signed, including the host', async (_, init) => {
  const { received, url: base } = await answeringServer((response) => response.end('{}'));
  const signed = signedFetch(client('session').config, api, fetch);
  // Of a name that occurs twice, both values are signed.
  await signed(`${base}/orders?limit=2&state=Error&tag=a&tag=b`, init);
  const [request] = received;
  if (request === undefined) throw new Error('nothing arrived');
  expect(request.body).toBe('body' in init ? init.body : '');
  expect(request.headers.host).toBe(new URL(base).host);
  expect(request.headers['x-amz-content-sha256']).toBe(sha256(request.body));
  expect(request.headers['x-amz-security-token']).toBe('session');
  expect(request.headers.authorization).toMatch(/SignedHeaders=[^,]*\bhost\b/);
  expect(request.headers.authorization).toContain(`Signature=${expectedSignature(request)}`);
});
