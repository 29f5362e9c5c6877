/** The client's bulk submission against the API of a real Reeve. */
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { type ReeveClientOptions, reeveClient } from '#client/reeve-client.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent } from '#ports/agent-implementation.ts';
import { serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';

const payment = defineAgent({
  name: 'payment',
  input: z.object({ cents: z.int() }),
  output: z.object({ chargeId: z.string() }),
  undo: 'unneeded',
});
const define = (name: string) =>
  defineWorkflow({
    name,
    version: 1,
    details: z.object({ cents: z.int(), note: z.string().default('') }),
    ...(name === 'once' && { singleton: { key: () => 'k', else: 'skip' as const } }),
  })
    .step('charge', {
      agent: payment,
      onFault: 'hold',
      input: ({ details: { cents } }) => ({ cents }),
    })
    .build();
const shop = define('shop');
const once = define('once');

async function serve() {
  const reeve = await startLocalReeve({
    workflows: [shop, once],
    agents: [
      implementAgent(payment, {
        perform: async ({ cents }) => ({ chargeId: `charge-${cents}` }),
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
  return { url: server.url, stored: () => sumOf(reeve.activity().minutes) };
}

/** Of all minutes, because another one may begin during a test. */
const sumOf = (minutes: readonly { readonly submitted: number }[]) =>
  minutes.reduce((sum, { submitted }) => sum + submitted, 0);

const clientOf = (options: ReeveClientOptions) =>
  reeveClient<{ shop: typeof shop; once: typeof once }>(options);

type Sent = { readonly orders: readonly { readonly key: string }[] };
type Answers = { orders: object[] };

/** Notes the keys of each request, and changes or loses its answer. */
function between(
  url: string,
  change: (answers: Answers, nth: number) => Answers | Response | null,
) {
  const sent: string[][] = [];
  const options: ReeveClientOptions = {
    url,
    async fetch(to, init) {
      const { orders }: Sent = JSON.parse(String(init.body));
      sent.push(orders.map(({ key }) => key));
      const nth = sent.length;
      const answers: Answers = JSON.parse(await (await fetch(to, init)).text());
      const changed = change(answers, nth);
      if (changed === null) throw new TypeError('fetch failed');
      return changed instanceof Response ? changed : Response.json(changed);
    },
  };
  return { options, sent };
}

const orders = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ details: { cents: at }, key: `k-${at}` }));

test('250 orders take three requests, and each order has its outputs', async () => {
  const { url } = await serve();
  const { options, sent } = between(url, (answers) => answers);
  const outcomes = await clientOf(options).submitMany('shop', orders(250));
  expect(sent.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(outcomes.map(({ key }) => key)).toEqual(orders(250).map(({ key }) => key));
  const last = outcomes.at(-1);
  if (last?.kind !== 'accepted') throw new Error(last?.kind);
  const { id } = last.order;
  const result = await clientOf({ url }).order('shop', id).result();
  expect(result.state === 'Processed' && result.outputs.charge.chargeId).toBe('charge-249');
});

test('requests are within the limit of their body', async () => {
  const { options, sent } = between((await serve()).url, (answers) => answers);
  const note = 'é'.repeat(60_000);
  const outcomes = await clientOf(options).submitMany(
    'shop',
    orders(10).map((order) => ({ ...order, details: { cents: 1, note } })),
  );
  expect(sent.map(({ length }) => length)).toEqual([8, 2]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array(10).fill('accepted'));
});

test('an order that is refused is an error with its code and fields, and is not sent again', async () => {
  const { options, sent } = between((await serve()).url, (answers) => answers);
  const outcomes = await clientOf(options).submitMany('shop', [
    { details: { cents: 1 }, key: 'a' },
    { details: { cents: 0.5 }, key: 'b' },
    { details: { cents: 2 } },
  ]);
  expect(outcomes).toMatchObject([
    { kind: 'accepted', key: 'a' },
    {
      ...{ kind: 'refused', key: 'b' },
      error: { code: 'details-invalid', status: 422, errors: [{ field: 'details.cents' }] },
    },
    { kind: 'accepted', key: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  ]);
  expect(sent).toHaveLength(1);
});

test('what is refused for now is sent again with the same keys, and nothing else is', async () => {
  const { url } = await serve();
  const problem = { code: 'overloaded', title: 'Too many orders wait', status: 503 };
  const { options, sent } = between(url, (answers, nth) =>
    nth === 1
      ? {
          orders: answers.orders.map((answer, at) =>
            at % 2 === 0 ? answer : { kind: 'overloaded', problem, retryAfterSeconds: 0 },
          ),
        }
      : answers,
  );
  const outcomes = await clientOf(options).submitMany('shop', orders(4));
  expect(sent).toEqual([
    ['k-0', 'k-1', 'k-2', 'k-3'],
    ['k-1', 'k-3'],
  ]);
  // The first request has stored them, because only its answer was changed.
  expect(outcomes.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
    'accepted k-0',
    'recognised k-1',
    'accepted k-2',
    'recognised k-3',
  ]);
});

test('an order that has to wait for long delays no other', async () => {
  const { url } = await serve();
  const problem = { code: 'singleton-full', title: 'Too many orders', status: 429 };
  const { options, sent } = between(url, ({ orders: answers }, nth) => ({
    orders: answers.map((answer, at) => {
      if (nth > 1) return answer;
      return { kind: 'overloaded', problem, retryAfterSeconds: at === 0 ? 3_600 : 0 };
    }),
  }));
  const outcomes = await clientOf(options).submitMany('shop', orders(3));
  expect(sent).toEqual([
    ['k-0', 'k-1', 'k-2'],
    ['k-1', 'k-2'],
  ]);
  expect(outcomes).toMatchObject([
    { kind: 'failed', key: 'k-0', error: { code: 'singleton-full', status: 429 } },
    { kind: 'recognised', key: 'k-1' },
    { kind: 'recognised', key: 'k-2' },
  ]);
});

test('a request whose answer is lost is sent again, and creates no second order', async () => {
  const { url, stored } = await serve();
  const { options, sent } = between(url, (answers, nth) => (nth < 3 ? null : answers));
  const outcomes = await clientOf(options).submitMany(
    'shop',
    orders(3).map(({ details }) => ({ details })),
  );
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array(3).fill('recognised'));
  expect(sent[1]).toEqual(sent[0]);
  expect(stored()).toBe(3);
});

test('after the time for it, what was not accepted has failed with its error', async () => {
  const { url } = await serve();
  const problem = { code: 'unavailable', title: 'The state store', status: 503 };
  const postponed = between(url, ({ orders: [first = {}] }) => ({
    orders: [first, { kind: 'failed', problem, retryAfterSeconds: 1 }],
  }));
  expect(
    await clientOf({ ...postponed.options, retryForMs: 0 }).submitMany('shop', orders(2)),
  ).toMatchObject([{ kind: 'accepted' }, { kind: 'failed', error: { code: 'unavailable' } }]);
  const lost = between(url, () => null);
  expect(
    await clientOf({ ...lost.options, retryForMs: 0 }).submitMany('shop', orders(101)),
  ).toEqual(
    orders(101).map(({ key }) => ({
      ...{ kind: 'failed', key },
      error: expect.objectContaining({ code: 'unreachable' }),
    })),
  );
});

test('a request that is refused as a whole fails all of its orders', async () => {
  const { url } = await serve();
  const { options, sent } = between(url, () =>
    Response.json({ code: 'unauthorized', title: 'A token' }, { status: 401 }),
  );
  expect(await clientOf(options).submitMany('shop', orders(2))).toMatchObject([
    { kind: 'failed', key: 'k-0', error: { code: 'unauthorized', status: 401 } },
    { kind: 'failed', key: 'k-1', error: { code: 'unauthorized', status: 401 } },
  ]);
  expect(sent).toHaveLength(1);
});

test('an order that refuses its request as a whole is refused alone, and all others are stored', async () => {
  const { url, stored } = await serve();
  const bad = new Map([
    // A text that was cut within a character.
    [0, { note: 'hello 😀'.slice(0, 7), code: 'json-malformed' }],
    [1, { note: 'x'.repeat(1_100_000), code: 'body-too-large' }],
    [60, { note: '\udc00', code: 'json-malformed' }],
    [61, { note: '\udc00', code: 'json-malformed' }],
  ]);
  const outcomes = await clientOf({ url }).submitMany(
    'shop',
    orders(103).map(({ details, key }, at) => ({
      ...{ key, details: { ...details, note: bad.get(at)?.note ?? '' } },
    })),
  );
  expect(outcomes.map(({ key }) => key)).toEqual(orders(103).map(({ key }) => key));
  expect(outcomes.map((one) => ('error' in one ? [one.kind, one.error.code] : one.kind))).toEqual(
    orders(103).map((_, at) => (bad.has(at) ? ['refused', bad.get(at)?.code] : 'accepted')),
  );
  expect(stored()).toBe(99);
});

test('a request that is too large for a proxy is sent in halves', async () => {
  const { url } = await serve();
  const sent: number[] = [];
  const reeve = clientOf({
    url,
    fetch: async (to, init) => {
      const { orders: all }: Sent = JSON.parse(String(init.body));
      sent.push(all.length);
      return all.length > 1 || all[0]?.key === 'k-2'
        ? new Response('<h1>413 Request Entity Too Large</h1>', { status: 413 })
        : fetch(to, init);
    },
  });
  const outcomes = await reeve.submitMany('shop', orders(4));
  expect(sent).toEqual([4, 2, 1, 1, 2, 1, 1]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'refused', 'accepted']);
});

test('a request whose halves take all of its time fails those that were not sent', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const fetch = () => {
    vi.advanceTimersByTime(500);
    const problem = { code: 'json-malformed', title: 'No JSON' };
    return Promise.resolve(Response.json(problem, { status: 400 }));
  };
  const reeve = clientOf({ url: 'http://127.0.0.1:9', fetch, retryForMs: 1_600 });
  const outcomes = await reeve.submitMany('shop', orders(4));
  expect(outcomes).toMatchObject([
    { kind: 'refused', key: 'k-0', error: { code: 'json-malformed' } },
    { kind: 'failed', key: 'k-1', error: { message: expect.stringContaining('within 100 ms') } },
    { kind: 'failed', key: 'k-2', error: { message: expect.stringContaining('retryForMs') } },
    { kind: 'failed', key: 'k-3', error: { message: expect.stringContaining('retryForMs') } },
  ]);
});

test('a time that no clock has is no wait', async () => {
  const { url } = await serve();
  const problem = { code: 'overloaded', title: 'Too many orders wait', status: 503 };
  for (const retryAfterSeconds of [1e300, -1e300, -5, 0.5]) {
    const { options, sent } = between(url, (answers, nth) =>
      nth === 1 ? { orders: [{ kind: 'overloaded', problem, retryAfterSeconds }] } : answers,
    );
    const infinite = { ...options, retryForMs: Number.POSITIVE_INFINITY };
    const [outcome] = await clientOf(infinite).submitMany('shop', orders(1));
    expect([outcome?.kind, sent.length]).toEqual(['recognised', 2]);
  }
});

test.each([
  ['no list', {}],
  ['another number of outcomes', { orders: [] }],
  ['an unknown kind', { orders: [{ kind: 'lost' }] }],
  ['no problem', { orders: [{ kind: 'refused' }] }],
  ['no id', { orders: [{ kind: 'accepted' }] }],
])('an answer with %s is none of Reeve', async (_, document) => {
  const { options } = between((await serve()).url, () => Response.json(document));
  expect(await clientOf(options).submitMany('shop', orders(1))).toMatchObject([
    { kind: 'failed', error: { code: 'answer-unknown' } },
  ]);
});

test('an order that is answered with an earlier one of its singleton key says so', async () => {
  const { options } = between((await serve()).url, ({ orders: [first = {}] }) => ({
    orders: [{ ...first, kind: 'skipped' }],
  }));
  const [outcome] = await clientOf(options).submitMany('once', orders(1));
  if (outcome?.kind !== 'skipped') throw new Error(outcome?.kind);
  expect(outcome.order.isSkipped).toBe(true);
});

test('no orders need no request', async () => {
  const { options, sent } = between('http://127.0.0.1:9', () => null);
  expect(await clientOf(options).submitMany('shop', [])).toEqual([]);
  expect(sent).toEqual([]);
});

test('an abort of its signal rejects with the reason', async () => {
  const { url } = await serve();
  const own = new Error('The user has left the page.');
  const aborted = new AbortController();
  const calling = clientOf({ url, fetch: () => new Promise(() => {}) }).submitMany(
    'shop',
    orders(1),
    { signal: aborted.signal },
  );
  aborted.abort(own);
  await expect(calling).rejects.toBe(own);
});
