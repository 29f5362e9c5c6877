/** A webhook against a real HTTP server; the library of the specification verifies the signatures. */
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { type StatusMessage, statusMessage } from '#core/codec/status-message.ts';
import { changeOf } from '#core/model/change.ts';
import { ReeveError } from '#core/model/errors.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { webhook } from '#runtime/node/webhook.ts';
import { webhookSecrets } from '#runtime/node/webhook-signature.ts';
import { answeringServer } from '../support/answering-server.ts';
import { newOrder } from '../support/orders.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const newSecret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;

/** A receiver with the given answers; no error may contain its address. */
async function receiver(answer: (response: ServerResponse) => void) {
  const { received, url } = await answeringServer(answer);
  return { received, url: `${url}/hook?key=hidden` };
}

const newStatus = (): StatusMessage => {
  const found = changeOf(null, newOrder('one', Date.UTC(2026, 0, 1), 'shop', 'po-7').record);
  if (found === null) throw new Error('a new order is a change');
  return statusMessage(found);
};

const hook = (url: string, secrets = secret, clock = systemClock) =>
  webhook({
    name: 'shop',
    url,
    secrets: async () => webhookSecrets(secrets, 'the test'),
    fetch,
    clock,
  });

const answering =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, headers).end('what it says is nobody’s business');
  };

test('a status message arrives complete, with the signature of the specification', async () => {
  const { received, url } = await receiver(answering(204));
  await hook(url)(newStatus());
  const [{ method, headers, body } = {}] = received;
  expect(method).toBe('POST');
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'one-1' });
  const verified = new Webhook(secret).verify(body ?? '', { ...headers } as Record<string, string>);
  expect(verified).toMatchObject({
    version: 1,
    kind: 'status',
    orderId: 'one',
    sequence: 1,
    processState: 'Pending',
    correlationId: 'po-7',
  });
});

test('while a secret is replaced, a receiver with either secret can verify the signature', async () => {
  const { received, url } = await receiver(answering(200));
  await hook(url, `${newSecret} ${secret}`)(newStatus());
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  const given = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value)]),
  );
  for (const known of [secret, newSecret]) {
    expect(new Webhook(known).verify(body, given)).toMatchObject({ orderId: 'one' });
  }
  const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  expect(() => new Webhook(other).verify(body, given)).toThrow(/signature/);
  expect(() => new Webhook(secret).verify(`${body} `, given)).toThrow(/signature/);
});

test.each([
  [400, 'message'],
  [409, 'message'],
  [413, 'message'],
  [422, 'message'],
  [401, 'channel'],
  [403, 'channel'],
  [404, 'channel'],
  [408, 'channel'],
  [410, 'channel'],
  [425, 'channel'],
  [429, 'channel'],
  [500, 'channel'],
  [503, 'channel'],
])('an answer %i is the fault of the %s', async (status, of) => {
  const { url } = await receiver(answering(status));
  await expect(hook(url)(newStatus())).rejects.toMatchObject({
    code: 'webhook-refused',
    of,
    retryAfterMs: null,
    message: expect.stringContaining(`shop answered ${status}`),
  });
});

test('a redirect is not followed, so that a receiver cannot choose where a message goes', async () => {
  const other = await receiver(answering(200));
  const { url } = await receiver(answering(307, { location: other.url }));
  await expect(hook(url)(newStatus())).rejects.toMatchObject({ of: 'channel' });
  expect(other.received).toEqual([]);
});

test.each([
  ['120', 120_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', null],
])('an answer with Retry-After %s asks for that', async (header, retryAfterMs) => {
  const { url } = await receiver(answering(429, { 'retry-after': header }));
  await expect(hook(url, secret, virtualClock())(newStatus())).rejects.toMatchObject({
    retryAfterMs,
  });
});

test('a receiver that does not answer times out after ten seconds', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const { url } = await receiver(() => resolve());
  const clock = virtualClock();
  const delivery = hook(url, secret, clock)(newStatus());
  const outcome = expect(delivery).rejects.toMatchObject({
    code: 'webhook-unreachable',
    of: 'channel',
    message: expect.stringContaining('within 10 s'),
  });
  await asked;
  await clock.advance(10_000);
  await outcome;
});

test.each([204, 200, 302, 503])('the body of an answer %i is not kept unread', async (status) => {
  let cancelled = 0;
  const body = () =>
    new ReadableStream({
      cancel() {
        cancelled += 1;
      },
    });
  const answer = () => new Response(status === 204 ? null : body(), { status });
  const deliver = webhook({
    ...{ name: 'shop', url: 'https://shop.example', clock: systemClock },
    secrets: async () => webhookSecrets(secret, 'the test'),
    fetch: async () => answer(),
  });
  await deliver(newStatus()).catch(() => {});
  expect(cancelled).toBe(status === 204 ? 0 : 1);
});

test('no error contains the address or the secret', async () => {
  const { url } = await receiver((response) => response.destroy());
  await settled();
  const error: unknown = await hook(url)(newStatus()).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'webhook-unreachable' });
  expect(String(error)).not.toContain('hidden');
});

test.each([
  [''],
  ['hunter2'],
  ['whsec_'],
  ['whsec_c2hvcnQ='],
  [`whsec_${Buffer.alloc(65).toString('base64')}`],
  [`${secret} hunter2`],
  [secret.replace('=', '%')],
])('%j is not a valid secret, and the error does not contain it', (given) => {
  const read = () => webhookSecrets(given, 'The variable SHOP_SECRET');
  expect(read).toThrow(/SHOP_SECRET is no webhook secret/);
  const secrets = given.split(' ').filter((word) => word.length > 'whsec_'.length);
  for (const word of secrets.slice(-1)) expect(read).not.toThrow(word);
});

test.each([
  ['http://shop.example/status', 'must begin with https://'],
  ['https://user:hidden@shop.example/', 'must have no user and no password'],
  ['http://user@127.0.0.1/', 'must have no user and no password'],
  ['ftp://shop.example', 'must be a URL that begins with http:// or https://'],
  ['not a url', 'must be a URL that begins with http:// or https://'],
])('a channel to %s is refused when it is made, by a message without the address', (url, fault) => {
  const error = new ReeveError('channels-invalid', `Webhook shop: \`url\` ${fault}.`);
  expect(() => hook(url)).toThrow(error);
});

test.each(['http://127.0.0.1:4100/', 'http://[::1]/', 'http://localhost/', 'https://shop.example'])(
  'a channel to %s is made',
  (url) => {
    expect(hook(url)).toBeTypeOf('function');
  },
);
