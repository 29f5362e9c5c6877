/** The client against the API of a real Reeve. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { type ReeveClientOptions, reeveClient } from '#client/reeve-client.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { limits } from '#core/model/limits.ts';
import { listQuery } from '#http/requests/request-schemas.ts';
import { implementAgent, PermanentFault } from '#ports/agent-implementation.ts';
import { serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { answeringServer } from '../support/answering-server.ts';
import { testLog } from '../support/log.ts';

const payment = defineAgent({
  name: 'payment',
  input: z.object({ cents: z.int() }),
  output: z.object({ chargeId: z.string() }),
  undo: 'offered',
});
const shop = defineWorkflow({
  name: 'shop',
  version: 1,
  details: z.object({ cents: z.int(), note: z.string().default('') }),
})
  .step('charge', {
    agent: payment,
    onFault: 'hold',
    input: ({ details: { cents } }) => ({ cents }),
  })
  .build();

async function serve() {
  const reeve = await startLocalReeve({
    workflows: [shop],
    agents: [
      implementAgent(payment, {
        async perform({ cents }) {
          if (cents > 1_000) throw new PermanentFault('declined', 'No.', 'none');
          return { chargeId: `charge-${cents}` };
        },
        async undo() {},
      }),
    ],
    path: ':memory:',
    log: testLog(),
  });
  const server = await serveApi(reeve, { port: 0 });
  onTestFinished(async () => {
    await server.close();
    reeve.close();
  });
  return server.url;
}

const clientOf = (options: ReeveClientOptions) => reeveClient<{ shop: typeof shop }>(options);

test('submits an order and waits for its outputs, which have the types of the workflow', async () => {
  const reeve = clientOf({ url: `${await serve()}/` });
  const order = await reeve.submit('shop', { cents: 5 }, { tenant: 'inn', priority: 'high' });
  const result = await order.result();
  expect(result.state === 'Processed' && result.outputs.charge.chargeId).toBe('charge-5');
  expect(await order.read()).toMatchObject({ tenant: 'inn', priority: 'high' });
  expect((await reeve.list({ state: 'Processed', limit: 5 })).orders).toMatchObject([
    { orderId: order.id },
  ]);
});

test('an order in Error is corrected and resubmitted, and followed to its end', async () => {
  const reeve = clientOf({ url: await serve() });
  const { id } = await reeve.submit('shop', { cents: 5_000 });
  const order = reeve.order('shop', id);
  expect(await order.result()).toMatchObject({ state: 'Error', fault: { code: 'declined' } });
  await order.resubmit({ cents: 7 });
  const states: string[] = [];
  for await (const { processState } of order.follow()) states.push(processState);
  expect(states.at(-1)).toBe('Processed');
});

test('a cancelled order is undone, and there is no fault', async () => {
  const reeve = clientOf({ url: await serve() });
  const order = await reeve.submit('shop', { cents: 5_000 });
  await order.result();
  await order.cancel();
  await expect.poll(async () => (await order.result()).state).toBe('Undone');
});

test('what is refused is an error with its code and fields', async () => {
  const reeve = reeveClient<Record<string, typeof shop>>({ url: await serve() });
  await expect(reeve.submit('shop', { cents: 0.5 })).rejects.toMatchObject({
    name: 'ApiError',
    code: 'details-invalid',
    status: 422,
    errors: [{ field: 'details.cents' }],
  });
  await expect(reeve.submit('other', { cents: 1 })).rejects.toMatchObject({
    code: 'workflow-unknown',
  });
  await expect(reeve.order('shop', 'unknown').read()).rejects.toMatchObject({ status: 404 });
  const order = await reeve.submit('shop', { cents: 1 });
  await expect(reeve.order('other', order.id).read()).rejects.toMatchObject({
    message: `Order ${order.id} is of workflow shop, not of other.`,
  });
});

/** Passes requests on, and loses or refuses some of them as `fate` says. */
function between(url: string, fate: (nth: number) => 'lost' | 'refused' | 'passed') {
  let sent = 0;
  const keys = new Set<string>();
  const options: ReeveClientOptions = {
    url,
    async fetch(to, init) {
      sent += 1;
      keys.add(new Headers(init.headers).get('idempotency-key') ?? '');
      const how = fate(sent);
      if (how === 'refused') {
        return Response.json({ code: 'overloaded', title: 'Too many' }, { status: 503 });
      }
      const response = await fetch(to, init);
      if (how === 'lost') throw new TypeError('fetch failed');
      return response;
    },
  };
  return { options, keys, sent: () => sent };
}

test('a submission whose answers are lost, or that is refused for now, is one order', async () => {
  const url = await serve();
  const fates = ['lost', 'refused', 'lost', 'passed'] as const;
  const { options, keys, sent } = between(url, (nth) => fates[nth - 1] ?? 'passed');
  const order = await clientOf(options).submit('shop', { cents: 5 });
  expect({ sent: sent(), keys: keys.size }).toEqual({ sent: 4, keys: 1 });
  expect((await clientOf({ url }).list()).orders.map(({ orderId }) => orderId)).toEqual([order.id]);
});

test('after the time for it, a request is not sent again', async () => {
  const { options, sent } = between(await serve(), () => 'lost');
  await expect(
    clientOf({ ...options, retryForMs: 0 }).submit('shop', { cents: 5 }),
  ).rejects.toMatchObject({ code: 'unreachable', status: null });
  expect(sent()).toBe(1);
});

/** Refuses each request for now; `at` are the times of the requests since the first, ms. */
function refusing(retryAfter: () => string) {
  const at: number[] = [];
  const fetch = async () => {
    at.push(Date.now());
    const headers = { 'retry-after': retryAfter() };
    return Response.json({ code: 'overloaded', title: 'Too many' }, { status: 503, headers });
  };
  return { fetch, at: () => at.map((ms) => ms - (at[0] ?? 0)) };
}

test('no request is sent before its Retry-After, in seconds or as a date, and none after the time for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const date = () => new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 10_000).toUTCString();
  for (const retryAfter of [() => '10', date]) {
    // With so little time left the whole spread would be too long.
    const { fetch, at } = refusing(retryAfter);
    const client = clientOf({ url: 'http://127.0.0.1:1', fetch, retryForMs: 12_000 });
    const refused = expect(client.submit('shop', { cents: 5 })).rejects.toMatchObject({
      code: 'overloaded',
    });
    await vi.advanceTimersByTimeAsync(60_000);
    await refused;
    const [first, second = 0, ...more] = at();
    expect([first, more]).toEqual([0, []]);
    expect(second).toBeGreaterThanOrEqual(10_000);
    expect(second).toBeLessThan(12_000);
  }
});

test('a wait that ends too late is followed by no request', async () => {
  const now = vi.spyOn(performance, 'now');
  onTestFinished(() => now.mockRestore());
  let isAsleep = false;
  // The machine sleeps during the wait.
  now.mockImplementation(() => (isAsleep ? 1_000_000 : 0));
  const { fetch, at } = refusing(() => {
    setTimeout(() => {
      isAsleep = true;
    });
    return '0';
  });
  const client = clientOf({ url: 'http://127.0.0.1:1', fetch, retryForMs: 30_000 });
  await expect(client.submit('shop', { cents: 5 })).rejects.toMatchObject({ code: 'overloaded' });
  expect(at()).toHaveLength(1);
});

test('a change by an operator whose answer is lost is not sent again', async () => {
  const url = await serve();
  const { id } = await clientOf({ url }).submit('shop', { cents: 5_000 });
  await clientOf({ url }).order('shop', id).result();
  const { options, sent } = between(url, () => 'lost');
  await expect(clientOf(options).order('shop', id).cancel()).rejects.toMatchObject({
    code: 'unreachable',
  });
  expect(sent()).toBe(1);
});

test('the token is asked for before each request', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end('{"orders":[],"cursor":null}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  let issued = 0;
  const reeve = clientOf({
    url: `http://127.0.0.1:${port}`,
    token: async () => {
      issued += 1;
      return `t${issued}`;
    },
  });
  await reeve.list();
  await reeve.list();
  expect(seen).toEqual(['Bearer t1', 'Bearer t2']);
});

test.each([
  [404, 'is it the right address?'],
  [200, 'none of this version of Reeve'],
  // As API Gateway answers for a token that has expired, a caller without a scope, its throttle, and a function that does not answer.
  [401, 'Are the credentials valid'],
  [403, 'Are the credentials valid'],
  [429, 'no answer for now'],
  [503, 'no answer for now'],
])('the answer %s without a document of Reeve says what it may mean', async (status, said) => {
  const fetch = async () => new Response('{"message":"No"}', { status });
  const reeve = clientOf({ url: 'http://127.0.0.1:4400', fetch, retryForMs: 0 });
  await expect(reeve.list()).rejects.toMatchObject({
    code: 'answer-unknown',
    status: status === 200 ? null : status,
    message: expect.stringContaining(said),
  });
});

test.each(['127.0.0.1:4400', '', 'ftp://reeve.example.com'])('the address %j is refused', (url) => {
  expect(() => clientOf({ url })).toThrow(expect.objectContaining({ code: 'url-invalid' }));
});

test('what can never be sent is thrown at once', async () => {
  const reeve = clientOf({ url: 'http://127.0.0.1:9' });
  await expect(reeve.submit('shop', { cents: 5 }, { key: 'a\nb' })).rejects.toThrow(TypeError);
  await expect(reeve.submit('shop', { cents: 5n as never })).rejects.toThrow('BigInt');
});

type Waiting = (signal: AbortSignal, url: string) => Promise<unknown>;
const own = new Error('The user has left the page.');

test.each<[string, Waiting]>([
  ['submit', (signal, url) => clientOf({ url }).submit('shop', { cents: 5 }, { signal })],
  ['list', (signal, url) => clientOf({ url }).list({ signal })],
  ['read', (signal, url) => clientOf({ url }).order('shop', 'o-1').read({ signal })],
  ['result', (signal, url) => clientOf({ url }).order('shop', 'o-1').result({ signal })],
  ['follow', (signal, url) => clientOf({ url }).order('shop', 'o-1').follow({ signal }).next()],
  ['cancel', (signal, url) => clientOf({ url }).order('shop', 'o-1').cancel({ signal })],
  ['resubmit', (signal, url) => clientOf({ url }).order('shop', 'o-1').resubmit({}, { signal })],
  [
    'a token that never comes',
    (signal, url) => clientOf({ url, token: () => new Promise(() => {}) }).list({ signal }),
  ],
  [
    'a fetch that ignores its signal',
    (signal, url) => clientOf({ url, fetch: () => new Promise(() => {}) }).list({ signal }),
  ],
])('%s: an abort of its signal rejects with the reason', async (_, call) => {
  const { url } = await answeringServer(() => {});
  const aborted = new AbortController();
  const calling = call(aborted.signal, url);
  aborted.abort(own);
  await expect(calling).rejects.toBe(own);
  await expect(call(AbortSignal.abort(own), url)).rejects.toBe(own);
});

test('an abort ends the wait between two looks, and the one before a repetition', async () => {
  const url = await serve();
  const { id } = await clientOf({ url }).submit('shop', { cents: 5_000 });
  const order = clientOf({ url, pollMaxMs: 3_600_000 }).order('shop', id);
  await order.result();
  const aborted = new AbortController();
  const following = order.follow({ signal: aborted.signal });
  expect((await following.next()).done).toBe(false);
  const next = following.next();
  aborted.abort(own);
  await expect(next).rejects.toBe(own);

  const again = new AbortController();
  const busy = clientOf({
    url,
    retryForMs: Number.POSITIVE_INFINITY,
    fetch: async () => {
      setTimeout(() => again.abort(own));
      return Response.json(
        { code: 'overloaded', title: 'Too many' },
        { status: 503, headers: { 'retry-after': '3600' } },
      );
    },
  });
  await expect(busy.submit('shop', { cents: 5 }, { signal: again.signal })).rejects.toBe(own);
});

test('an abort after the end of a call does nothing, and leaves no listener', async () => {
  const url = await serve();
  const { signal } = new AbortController();
  let listeners = 0;
  const counted = new Proxy(signal, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (name === 'addEventListener') listeners += 1;
        if (name === 'removeEventListener') listeners -= 1;
        return Reflect.apply(value, target, args);
      };
    },
  });
  const order = await clientOf({ url }).submit('shop', { cents: 5 }, { signal: counted });
  await order.result({ signal: counted });
  expect(listeners).toBe(0);
});

test('a request is waited for at most as long as the time for it and its repetitions', async () => {
  const { url } = await answeringServer(() => {});
  await expect(clientOf({ url, retryForMs: 20 }).list()).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/^There was no answer from .* within \d+ ms\.$/),
  });
});

test.each([
  { retryForMs: -1 },
  { retryForMs: Number.NaN },
  { retryForMs: '5' as never },
  { pollMaxMs: 49 },
  { pollMaxMs: null as never },
  { pollMaxMs: Number.NaN },
  { pollMaxMs: Number.POSITIVE_INFINITY },
])('%j is refused', (options) => {
  expect(() => clientOf({ url: 'http://127.0.0.1', ...options })).toThrow(
    expect.objectContaining({ code: 'option-range' }),
  );
});

test('an option that is not known is refused', () => {
  expect(() => clientOf({ url: 'http://127.0.0.1', retyForMs: 0 } as never)).toThrow(
    expect.objectContaining({
      code: 'options-invalid',
      message:
        '`retyForMs` is not an option of reeveClient: they are url, token, fetch, retryForMs, pollMaxMs.',
    }),
  );
});

test('options without a value are not sent', async () => {
  const reeve = clientOf({ url: await serve() });
  expect(await reeve.list({ state: undefined, limit: 1 } as never)).toMatchObject({
    orders: [],
  });
});

test('the documented default of a list is that of the API', () => {
  const source = readFileSync('lib/client/reeve-client.ts', 'utf8');
  const [, most, byDefault] =
    /From 1 to (\d+)\. Default (\d+)\. \*\/\s+readonly limit\?/.exec(source) ?? [];
  expect([Number(most), Number(byDefault)]).toEqual([
    limits.listMax,
    listQuery.shape.limit.parse(undefined),
  ]);
});
