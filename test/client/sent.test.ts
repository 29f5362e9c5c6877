/** What the client sends, when it sends it again, and when it ends. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { batchesOf } from '#client/batches.ts';
import { pause } from '#client/call-limit.ts';
import { type ReeveClientOptions, reeveClient } from '#client/reeve-client.ts';
import { limits } from '#core/model/limits.ts';

interface Sent {
  readonly url: string;
  readonly key: string | null;
  readonly body: unknown;
}

/** A client whose requests are answered one after the other; the last answer is repeated. */
function answered(answers: readonly (() => Response)[], options: Partial<ReeveClientOptions> = {}) {
  const sent: Sent[] = [];
  const client = reeveClient({
    url: 'https://reeve.example',
    async fetch(url, { headers, body }) {
      const key = new Headers(headers).get('idempotency-key');
      sent.push({ url, key, body: typeof body === 'string' ? JSON.parse(body) : null });
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      return answer?.() ?? Response.error();
    },
    ...options,
  });
  return { client, sent };
}

const accepted = () => Response.json({ orderId: 'o-1', processState: 'Pending' }, { status: 202 });
const refusal = (status: number, code: string) => () =>
  Response.json({ code, title: 'No', detail: 'No.', status }, { status });

test.each([
  ['https://reeve.example', 'https://reeve.example/orders'],
  ['https://reeve.example/', 'https://reeve.example/orders'],
  ['https://gateway.example/reeve//', 'https://gateway.example/reeve/orders'],
  ['https://gateway.example/a/b?c=d#e', 'https://gateway.example/a/b/orders'],
])('the API at %s is called at %s', async (url, called) => {
  const { client, sent } = answered([accepted], { url });
  await client.submit('shop', {});
  expect(sent.map((each) => each.url)).toEqual([called]);
});

test('each character of an id is encoded in the path', async () => {
  const { client, sent } = answered([refusal(404, 'order-unknown')]);
  await expect(client.order('shop', 'a/../b?c#d e').read()).rejects.toMatchObject({ status: 404 });
  expect(sent[0]?.url).toBe('https://reeve.example/orders/a%2F..%2Fb%3Fc%23d%20e');
});

test('each submission without a key has its own, also in its repetitions', async () => {
  const away = refusal(503, 'unavailable');
  const { client, sent } = answered([away, accepted, accepted]);
  await client.submit('shop', {});
  await client.submit('shop', {});
  await client.submit('shop', {}, { key: 'cart-1' });
  const [first, again, second, third] = sent.map(({ key }) => key);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(again).toBe(first);
  expect(second).not.toBe(first);
  expect(third).toBe('cart-1');
});

test('in a page that came by plain HTTP, where crypto has no randomUUID, each submission has a key of its own', async () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  onTestFinished(() => void vi.unstubAllGlobals());
  const { client, sent } = answered([accepted]);
  await client.submit('shop', {});
  await client.submit('shop', {});
  const [outcome] = await client.submitMany('shop', [{ details: {} }]);
  const keys = [...sent.slice(0, 2).map(({ key }) => key), outcome?.key];
  expect(new Set(keys).size).toBe(3);
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  for (const key of keys) expect(key).toMatch(uuid);
});

test.each(['https://olga:secret@reeve.example', 'https://olga@reeve.example'])(
  'the address %s, whose name and password no request would have, is refused',
  (url) => {
    expect(() => reeveClient({ url })).toThrow(
      expect.objectContaining({
        code: 'url-invalid',
        message: expect.not.stringMatching(/secret|olga/),
      }),
    );
  },
);

const signInIsDown = new Error('The sign-in does not answer.');

test.each([
  ['rejects', () => Promise.reject(signInIsDown)],
  [
    'throws',
    () => {
      throw signInIsDown;
    },
  ],
])('a token function that %s is an error of the client, and nothing is sent', async (_, token) => {
  const { client, sent } = answered([accepted], { token });
  const error = {
    ...{ name: 'ApiError', code: 'unreachable', status: null, cause: signInIsDown },
    message: expect.stringContaining('The sign-in does not answer.'),
  };
  await expect(client.submit('shop', {})).rejects.toMatchObject(error);
  await expect(client.order('shop', 'o-1').cancel()).rejects.toMatchObject(error);
  expect(sent).toEqual([]);
});

test('orders of a request without a token have failed, and those before and after it have their outcomes', async () => {
  let asked = 0;
  const token = () => {
    asked += 1;
    if (asked === 2) throw signInIsDown;
    return 't';
  };
  const orders = Array.from({ length: limits.batchOrdersMax }, () => ({
    kind: 'accepted',
    orderId: 'o',
  }));
  const { client, sent } = answered([() => Response.json({ orders })], { token });
  const many = Array.from({ length: 3 * limits.batchOrdersMax }, () => ({ details: {} }));
  const outcomes = await client.submitMany('shop', many);
  const kinds = Object.entries(Object.groupBy(outcomes, ({ kind }) => kind));
  expect(kinds.map(([kind, { length }]) => [kind, length])).toEqual([
    ['accepted', 2 * limits.batchOrdersMax],
    ['failed', limits.batchOrdersMax],
  ]);
  expect(outcomes[limits.batchOrdersMax]).toMatchObject({ error: { code: 'unreachable' } });
  expect(sent).toHaveLength(2);
});

test.each([true, undefined])(
  'an order that an earlier one answers says so: %s',
  async (skipped) => {
    const { client } = answered([
      () => Response.json({ orderId: 'o-1', processState: 'Pending', skipped }),
    ]);
    expect((await client.submit('shop', {})).isSkipped).toBe(skipped === true);
  },
);

test.each([
  [429, 'tenant-over-share', 'cancel', 2],
  [503, 'overloaded', 'cancel', 2],
  [503, 'unavailable', 'cancel', 1],
  [429, 'singleton-full', 'submit', 2],
  [503, 'unavailable', 'submit', 2],
  [409, 'ended', 'cancel', 1],
  [422, 'details-invalid', 'submit', 1],
] as const)('%i %s: a %s is sent %i times', async (status, code, call, times) => {
  const { client, sent } = answered([refusal(status, code), accepted]);
  const outcome =
    call === 'submit' ? client.submit('shop', {}) : client.order('shop', 'o-1').cancel();
  if (times === 1) await expect(outcome).rejects.toMatchObject({ status, code });
  else await outcome;
  expect(sent).toHaveLength(times);
});

test('a call whose signal has aborted before sends nothing', async () => {
  const { client, sent } = answered([accepted]);
  const reason = new Error('the user has left');
  const signal = AbortSignal.abort(reason);
  await expect(client.submit('shop', {}, { signal })).rejects.toBe(reason);
  await expect(client.list({ signal })).rejects.toBe(reason);
  await expect(client.submitMany('shop', [{ details: {} }], { signal })).rejects.toBe(reason);
  expect(sent).toEqual([]);
});

test('a body that never ends ends the call, also where fetch ignores its signal', async () => {
  const { client } = answered([() => new Response(new ReadableStream())], { retryForMs: 20 });
  await expect(client.list()).rejects.toMatchObject({ code: 'unreachable' });
  const leaving = new AbortController();
  const call = answered([() => new Response(new ReadableStream())]).client.list(leaving);
  const reason = new Error('the user has left');
  setImmediate(() => leaving.abort(reason));
  await expect(call).rejects.toBe(reason);
});

test.each([0, 2, 3])('an answer of %i outcomes to one order is none of Reeve', async (count) => {
  const orders = Array.from({ length: count }, () => ({ kind: 'accepted', orderId: 'o-1' }));
  const { client } = answered([() => Response.json({ orders })]);
  const outcomes = await client.submitMany('shop', [{ details: {} }]);
  expect(outcomes).toMatchObject([{ kind: 'failed', error: { code: 'answer-unknown' } }]);
});

test.each([0, 1, 12, 13, 14])('orders of the limit and %i bytes less fit their request', (less) => {
  // Two, with the comma after each and the text around them.
  const bytes = Math.floor((limits.batchBytesMax - less) / 2);
  const batches = batchesOf([{ bytes }, { bytes }]);
  const longest = Math.max(
    ...batches.map((batch) => '{"orders":[]}'.length + batch.length * (bytes + 1)),
  );
  expect(longest).toBeLessThanOrEqual(limits.batchBytesMax);
});

test('a pause ends with its signal, also one that has aborted before, and leaves no timer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const leaving = new AbortController();
  const during = pause(60_000, leaving.signal);
  leaving.abort(new Error('now'));
  await expect(during).rejects.toThrow('now');
  await expect(pause(60_000, leaving.signal)).rejects.toThrow('now');
  expect(vi.getTimerCount()).toBe(0);
});
