import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { secretReader } from '#aws/secret-reader.ts';
import { answeringServer } from '../support/answering-server.ts';
import { testCredentials } from '../support/dynamo-server.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf';

/** A Secrets Manager with this state. */
async function manager() {
  const state = { secret: 'whsec_first', status: 200 };
  const { received: asked, url: endpoint } = await answeringServer((response) => {
    response.writeHead(state.status).end(JSON.stringify({ SecretString: state.secret }));
  });
  const clock = virtualClock();
  const { config } = new SQSClient({ region: 'eu-west-1', credentials: testCredentials });
  return { asked, state, clock, read: secretReader({ arn, config, fetch, clock, endpoint }) };
}

test('a secret is asked for once, by its ARN and with a signature', async () => {
  const { asked, read } = await manager();
  expect(await read()).toBe('whsec_first');
  expect(await read()).toBe('whsec_first');
  expect(asked).toHaveLength(1);
  const [request] = asked;
  expect(JSON.parse(request?.body ?? '')).toEqual({ SecretId: arn });
  expect(request?.headers['x-amz-target']).toBe('secretsmanager.GetSecretValue');
  expect(request?.headers.authorization).toMatch(/\/eu-west-1\/secretsmanager\/aws4_request/);
});

test('those who want it at once ask once, and after a failure once more', async () => {
  const { asked, state, read } = await manager();
  state.status = 400;
  const outcomes = await Promise.allSettled([read(), read()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toHaveLength(1);
  state.status = 200;
  expect(await Promise.all([read(), read()])).toEqual(['whsec_first', 'whsec_first']);
  expect(asked).toHaveLength(2);
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
    message: expect.stringContaining(`${arn} cannot be read`),
    cause: { code: 'secret-refused', message: 'Secrets Manager answered 400.' },
  });
});

test.each(['{}', '{"SecretBinary":"eA=="}', 'no JSON'])(
  'a secret that is no text (%s) is unread',
  async (answer) => {
    const send: typeof fetch = async () => new Response(answer);
    const { config } = new SQSClient({ region: 'us-east-1', credentials: testCredentials });
    const read = secretReader({ arn, config, fetch: send, clock: virtualClock() });
    await expect(read()).rejects.toMatchObject({ code: 'secret-unread' });
  },
);

test('the call is a post of JSON that follows no redirect and is waited for three seconds', async () => {
  const asked: (RequestInit | undefined)[] = [];
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => timeout.mockRestore());
  const cancelled: unknown[] = [];
  const send: typeof fetch = async (_, init) => {
    asked.push(init);
    const body = new ReadableStream({ cancel: (reason) => void cancelled.push(reason) });
    return new Response(body, { status: 503 });
  };
  const { config } = new SQSClient({ region: 'us-east-1', credentials: testCredentials });
  await expect(
    secretReader({ arn, config, fetch: send, clock: virtualClock() })(),
  ).rejects.toMatchObject({ code: 'secret-unread' });
  expect(asked).toMatchObject([
    {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'secretsmanager.GetSecretValue',
      },
    },
  ]);
  expect(timeout.mock.calls).toEqual([[3_000]]);
  expect(asked[0]?.signal).toBe(timeout.mock.results[0]?.value);
  // What is not read of an answer would keep its connection.
  expect(cancelled).toHaveLength(1);
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
