import { createHash } from 'node:crypto';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { expect, test } from 'vitest';
import { signedFetch } from '#aws/signed-fetch.ts';

const client = (sessionToken?: string) =>
  new CloudFormationClient({
    region: 'eu-west-1',
    credentials: {
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'secret',
      ...(sessionToken !== undefined && { sessionToken }),
    },
  });

/** What would leave this machine. */
async function sent(url: string, init: RequestInit, sessionToken?: string) {
  const requests: Request[] = [];
  const send: typeof fetch = async (input, options) => {
    requests.push(new Request(input, options));
    return new Response('{}');
  };
  await signedFetch(client(sessionToken).config, 'eu-west-1', send)(url, init);
  const [request] = requests;
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

const url = 'https://abc123.execute-api.eu-west-1.amazonaws.com/orders?limit=2&state=Error';

test('a request is signed for the API of its region, host and body hash included', async () => {
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

test('another path is another signature', async () => {
  const signatures = await Promise.all(
    [url, url.replace('limit=2', 'limit=3')].map(async (one) => {
      const { headers } = await sent(one, { method: 'GET' });
      return headers.get('authorization')?.split('Signature=')[1];
    }),
  );
  expect(new Set(signatures).size).toBe(2);
});
