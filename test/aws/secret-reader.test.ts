import { expect, onTestFinished, test, vi } from 'vitest';
import { secretsClient } from '#aws/clients/secrets-client.ts';
import { secretReader } from '#aws/secret-reader.ts';
import { answeringServer } from '../support/answering-server.ts';

const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-AbCdEf';

/** A Secrets Manager with one secret, and a reader of it. */
async function manager(answer: object = { SecretString: 'whsec_first' }) {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });
  const state = { answer, status: 200 };
  const { received, url: endpoint } = await answeringServer((response) => {
    response.writeHead(state.status).end(JSON.stringify(state.answer));
  });
  return { received, state, read: secretReader(arn, secretsClient(arn, { endpoint })) };
}

test('a secret is requested once, by its ARN and signed for the region of the client', async () => {
  const { received, read } = await manager();
  expect(await read()).toBe('whsec_first');
  expect(await read()).toBe('whsec_first');
  expect(received).toHaveLength(1);
  const [request] = received;
  expect(JSON.parse(request?.body ?? '')).toEqual({ SecretId: arn });
  expect(request?.headers['x-amz-target']).toBe('secretsmanager.GetSecretValue');
  expect(request?.headers.authorization).toMatch(/\/eu-west-1\/secretsmanager\/aws4_request/);
});

test('concurrent readers share a request, also after a failure', async () => {
  const { received, state, read } = await manager();
  state.status = 400;
  const outcomes = await Promise.allSettled([read(), read()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(received).toHaveLength(1);
  state.status = 200;
  expect(await Promise.all([read(), read()])).toEqual(['whsec_first', 'whsec_first']);
  expect(received).toHaveLength(2);
});

test('a replaced secret is noticed after five minutes', async () => {
  const { state, read } = await manager();
  await read();
  state.answer = { SecretString: 'whsec_second' };
  vi.advanceTimersByTime(299_000);
  expect(await read()).toBe('whsec_first');
  vi.advanceTimersByTime(2_000);
  expect(await read()).toBe('whsec_second');
});

test('a failed renewal keeps the last value, and the next one replaces it', async () => {
  const { state, read } = await manager();
  await read();
  state.status = 400;
  vi.advanceTimersByTime(301_000);
  expect(await read()).toBe('whsec_first');
  Object.assign(state, { status: 200, answer: { SecretString: 'whsec_second' } });
  expect(await read()).toBe('whsec_second');
});

test('without a value, the error names the secret, and the next read tries again', async () => {
  const { state, read } = await manager();
  state.status = 400;
  await expect(read()).rejects.toMatchObject({
    code: 'secret-unread',
    message: expect.stringContaining(`${arn} cannot be read`),
    cause: expect.any(Error),
  });
  state.status = 200;
  expect(await read()).toBe('whsec_first');
});

test.each([{}, { SecretBinary: 'eA==' }])(
  'a secret without text (%j) is unread',
  async (answer) => {
    const { read } = await manager(answer);
    await expect(read()).rejects.toMatchObject({ code: 'secret-unread' });
  },
);
