import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { idempotencyKey, orderId, stepName } from '#core/model/ids.ts';
import { type Call, PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import { httpService } from '#workflows/http-service.ts';
import { orderAgents } from '#workflows/order-agents.ts';

const call: Call = {
  orderId: 'one',
  idempotencyKey: idempotencyKey(orderId('one'), stepName('charge'), 'perform', 1),
  attempt: 1,
  endpoint: '',
  signal: new AbortController().signal,
  heartbeat() {},
};

const service = (answer: () => Promise<Response>) => httpService('http://pay.example', answer);

test('a call carries the key, the signal and the body', async () => {
  let sent: [unknown, RequestInit | undefined] | undefined;
  const { post } = httpService('http://pay.example', async (url, init) => {
    sent = [url, init];
    return Response.json({ chargeId: 'ch' });
  });
  expect(await post('/perform', { amountCents: 5 }, call)).toEqual({ chargeId: 'ch' });
  const [url, init] = sent ?? [];
  expect(url).toBe('http://pay.example/perform');
  expect(init).toMatchObject({ method: 'POST', body: '{"amountCents":5}', signal: call.signal });
  expect(new Headers(init?.headers).get('idempotency-key')).toBe('one/charge');
});

test.each([408, 425, 429, 500, 502, 503, 504])('%i may get better', async (status) => {
  const { post } = service(async () => Response.json({ code: 'x' }, { status }));
  await expect(post('/perform', {}, call)).rejects.toThrow(TransientFault);
});

test('a service that cannot be reached may get better', async () => {
  const { post } = service(() => Promise.reject(new TypeError('fetch failed')));
  await expect(post('/perform', {}, call)).rejects.toMatchObject({ code: 'unreachable' });
});

test.each([
  ['none', 'none'],
  ['possible', 'possible'],
  [undefined, 'possible'],
])('a refusal that says of its effect %s is for good, effect %s', async (said, effect) => {
  const answer = { code: 'declined', message: 'no', ...(said !== undefined && { effect: said }) };
  const { post } = service(async () => Response.json(answer, { status: 422 }));
  const refused = post('/perform', {}, call);
  await expect(refused).rejects.toThrow(PermanentFault);
  await expect(refused).rejects.toMatchObject({ code: 'declined', message: 'no', effect });
});

test.each([
  ['JSON of another kind', () => Response.json({ hello: 1 }, { status: 404 })],
  ['no JSON', () => new Response('<html>', { status: 404 })],
])('a refusal with %s excludes no effect', async (_, answer) => {
  const { post } = service(async () => answer());
  await expect(post('/perform', {}, call)).rejects.toMatchObject({
    code: 'http-404',
    effect: 'possible',
  });
});

/** A service on this machine. */
async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return `http://127.0.0.1:${port}`;
}

test.each([200, 409])('an answer with %i that is cut may get better', async (status) => {
  const url = await listening((_, response) => {
    response.writeHead(status, { 'content-length': '100' });
    response.write('{"code":"declined","message":"no","effect":"none"', () => response.destroy());
  });
  const cut = httpService(url, fetch).post('/perform', {}, call);
  await expect(cut).rejects.toThrow(TransientFault);
  await expect(cut).rejects.toMatchObject({ code: 'unreachable' });
});

test.each([301, 302, 303, 307, 308])(
  'a redirect with %i is not followed, because another request would be sent',
  async (status) => {
    const urls: unknown[] = [];
    const url = await listening((request, response) => {
      urls.push(request.url);
      const isFirst = request.url === '/undo';
      response.writeHead(isFirst ? status : 200, isFirst ? { location: '/page' } : {});
      response.end('{}');
    });
    await expect(httpService(url, fetch).post('/undo', {}, call)).rejects.toMatchObject({
      code: `http-${status}`,
      effect: 'possible',
    });
    expect(urls).toEqual(['/undo']);
  },
);

test.each(['', 'done'])('a success without JSON, "%s", is answered with null', async (body) => {
  const { post } = service(async () => new Response(body));
  expect(await post('/undo', {}, call)).toBeNull();
});

test('a response that violates the contract is requested again under its key', async () => {
  const url = 'http://pay.example';
  const urls = { fraud: url, inventory: url, payment: url, shipping: url };
  const agents = orderAgents(urls, async () => Response.json({ chargeId: 7 }));
  const payment = agents.find(({ contract }) => contract.name === 'payment');
  await expect(payment?.perform({}, call)).rejects.toMatchObject({ code: 'answer-garbled' });
});
