import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { secretReader } from '#aws/secret-reader.ts';
import { testCredentials } from '../support/dynamo-server.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf';

/** A Secrets Manager that answers as it is told. */
async function manager() {
  const asked: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const state = { secret: 'whsec_first', status: 200 };
  const server = createServer(async (request, response) => {
    asked.push({ headers: request.headers, body: await text(request) });
    response.writeHead(state.status).end(JSON.stringify({ SecretString: state.secret }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const clock = virtualClock();
  const { config } = new SQSClient({ region: 'eu-west-1', credentials: testCredentials });
  const endpoint = `http://127.0.0.1:${port}/`;
  return { asked, state, clock, read: secretReader({ arn, config, fetch, clock, endpoint }) };
}

test('a secret is asked for once, by its ARN and with a signature', async () => {
  const { asked, read } = await manager();
  expect(await read()).toBe('whsec_first');
  expect(await read()).toBe('whsec_first');
  expect(asked).toHaveLength(1);
  const [{ headers, body } = { headers: {}, body: '' }] = asked;
  expect(JSON.parse(body)).toEqual({ SecretId: arn });
  expect(headers['x-amz-target']).toBe('secretsmanager.GetSecretValue');
  expect(headers.authorization).toMatch(/\/eu-west-1\/secretsmanager\/aws4_request/);
});

test('a secret that was replaced is known after five minutes', async () => {
  const { state, clock, read } = await manager();
  await read();
  state.secret = 'whsec_second';
  await clock.advance(299_999);
  expect(await read()).toBe('whsec_first');
  await clock.advance(1);
  expect(await read()).toBe('whsec_second');
});

test('where it cannot be asked for again, the one that is known is still good', async () => {
  const { state, clock, read } = await manager();
  await read();
  state.status = 500;
  await clock.advance(300_000);
  expect(await read()).toBe('whsec_first');
});

test('without any, the error names the secret and not what it says', async () => {
  const { state, read } = await manager();
  state.status = 400;
  await expect(read()).rejects.toMatchObject({
    code: 'secret-unread',
    message: expect.stringContaining(arn),
  });
});

test('the call goes to the secret’s own region', async () => {
  const urls: string[] = [];
  const { config } = new SQSClient({ region: 'us-east-1', credentials: testCredentials });
  const send: typeof fetch = async (url) => {
    urls.push(String(url));
    return Response.json({ SecretString: 'whsec_x' });
  };
  await secretReader({ arn, config, fetch: send, clock: virtualClock() })();
  expect(urls).toEqual(['https://secretsmanager.eu-west-1.amazonaws.com/']);
});
