/** Random requests are answered or refused with a problem document, never with 5xx. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#core/model/limits.ts';
import { problemSchema } from '#http/problem-schema.ts';
import { rubbish, spoiled, wholeText } from '../support/spoiled.ts';
import {
  body,
  identified,
  json,
  operator,
  orderIdOf,
  type Scenario,
  scenario,
} from './scenario.ts';

let world: Scenario;
let known: string;
beforeEach(async () => {
  world = await scenario();
  known = await orderIdOf(await world.submit());
  await world.reaches(known, 'Processed');
});

async function answered(path: string, init: RequestInit): Promise<Response> {
  const response = await world.app.request(path, init);
  expect(response.status).toBeLessThan(500);
  if (response.status >= 400 && init.method !== 'HEAD') {
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const document = problemSchema.parse(await response.clone().json());
    expect(document.status).toBe(response.status);
    expect(document.code).not.toBe('internal');
  }
  return response;
}

/** The characters that a client can send in a header; client libraries refuse others. */
const headerText = fc.oneof(
  fc.stringMatching(/^[ -~]{0,200}$/),
  fc.constantFrom('__proto__', '-1', '1e99', 'NaN', '9'.repeat(400), 'é'),
);

describe('a submission', () => {
  const full = { ...body, priority: 'high', tenant: 'acme', correlationId: 'po-7' };
  const post = (text: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    answered('/orders', { method: 'POST', headers: { ...json, ...headers }, body: text });

  test('of random bytes is refused', async () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((all) => new Uint8Array(all));
    await fc.assert(
      fc.asyncProperty(fc.oneof(rubbish, bytes), async (text) => {
        expect((await post(text)).status).toBeGreaterThanOrEqual(400);
      }),
    );
  });

  test('with one corrupted field is refused, or is shown as it was sent', async () => {
    await fc.assert(
      fc.asyncProperty(spoiled(full), async (text) => {
        const response = await post(text);
        if (response.status !== 202) return;
        const order: unknown = await (
          await world.get(`/orders/${await orderIdOf(response)}`)
        ).json();
        expect(order).toMatchObject(JSON.parse(text));
        // A key that gets lost must be an own property of the document that was sent.
        expect(wholeText(order)).toContain(wholeText(JSON.parse(text).details));
      }),
      { numRuns: 300 },
    );
  });

  test('with any idempotency key and any other header is answered', async () => {
    await fc.assert(
      fc.asyncProperty(headerText, headerText, async (key, other) => {
        await post(JSON.stringify(body), { 'idempotency-key': key, authorization: other });
        await post(JSON.stringify(body), { 'content-type': other });
      }),
    );
  });
});

const segment = fc.oneof(
  fc
    .string({ unit: 'binary', maxLength: 80 })
    .map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom('%', '%00', '%ff', '..%2f', '__proto__', 'constructor', 'x'.repeat(5_000)),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,70}$/),
);

test('every path and every method is answered', async () => {
  const path = fc.oneof(
    fc.array(segment, { maxLength: 4 }).map((all) => `/${all.join('/')}`),
    fc
      .tuple(segment, fc.constantFrom('', '/resubmit', '/cancel', '/reprioritise', '/events'))
      .map(([id, action]) => `/orders/${id}${action}`),
    fc.constantFrom('/orders', '/workflows', '/openapi.json', '/healthz'),
  );
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
  await fc.assert(
    fc.asyncProperty(path, method, async (where, how) => {
      // Degraded until the first sweep, which is what a health check is for.
      if (where !== '/healthz') await answered(where, { method: how });
    }),
    { numRuns: 300 },
  );
});

test('every query of a listing is answered with orders or with a problem document', async () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('Error', '1', '200', '0', '1e2', '0x10', '', ' 5', '9'.repeat(400)),
    fc.stringMatching(/^\d{1,20}$/),
  );
  const name = fc.constantFrom('state', 'limit', 'cursor', '__proto__', 'x');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), async (pairs) => {
      const query = new URLSearchParams();
      for (const [key, text] of pairs) query.append(key, text.toWellFormed());
      const { status } = await answered(`/orders?${query}`, {});
      expect([200, 400]).toContain(status);
    }),
    { numRuns: 300 },
  );
});

test('a raw query with invalid escapes is answered', async () => {
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^[%&=+a-f0-9limtcurso]{0,60}$/), async (query) => {
      await answered(`/orders?${query}`, {});
    }),
  );
});

/** Texts that `Number` takes for a number, also where it is none that a client should send. */
const numberText = fc.oneof(
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
  fc.maxSafeInteger().map(String),
  fc.integer({ min: -5, max: 50 }).map(String),
  fc.double().map(String),
  fc.constantFrom('-1e300', '1e300', '0x10', '0b1', '1e1', '-0', ' 2 ', '', '+1', '007', 'NaN'),
);

test('a stream continues after any Last-Event-ID, with entries of the history alone', async () => {
  const whole = await (await answered(`/orders/${known}/events`, {})).text();
  const events = whole.split(/(?<=\n\n)/);
  const ids = events.map((event) => /^id: (.*)$/m.exec(event)?.[1]);
  expect(ids).toEqual(['1', '2', '3', 'ended']);
  await fc.assert(
    fc.asyncProperty(fc.oneof(headerText, numberText), async (seen) => {
      fc.pre(seen !== 'ended');
      const response = await answered(`/orders/${known}/events`, {
        headers: { 'last-event-id': seen },
      });
      // The order has ended, so its stream ends.
      const sent = (await response.text()).split(/(?<=\n\n)/);
      expect(sent.at(-1)).toContain('event: order');
      expect(sent).toEqual(events.slice(-sent.length));
    }),
    { examples: [['-1e300'], ['-1'], ['-2147483649']] },
  );
});

test('a body with any Content-Length is within the limit, or is refused', async () => {
  const large = JSON.stringify({ ...body, details: { dish: 'x'.repeat(limits.bodyBytesMax) } });
  await fc.assert(
    fc.asyncProperty(fc.oneof(headerText, numberText), async (length) => {
      const sent = { method: 'POST', headers: { ...json, 'content-length': length }, body: large };
      // A client that declares less than it sends is cut off by the server before this.
      if (/^\d{1,6}$/.test(length.trim())) return;
      expect([400, 413]).toContain((await answered('/orders', sent)).status);
    }),
    { examples: [['-5'], ['abc'], ['1e9']] },
  );
});

test('a request with any host, origin and token is answered', async () => {
  const guarded = await scenario((ports) => ({
    ...ports,
    guard: {
      hosts: new Set(['localhost']),
      identify: ({ authorization }) =>
        authorization === 'Bearer secret' ? identified(operator) : { kind: 'unknown' },
      pages: new Set(),
    },
  }));
  const close = fc.constantFrom('localhost', 'http://localhost', 'Bearer secret', 'Bearer secret2');
  const text = fc.oneof(headerText, close);
  await fc.assert(
    fc.asyncProperty(text, text, text, async (host, origin, authorization) => {
      const { status } = await guarded.app.request('/orders', {
        headers: { host, origin, authorization },
      });
      const isLet =
        host === 'localhost' && origin === 'http://localhost' && authorization === 'Bearer secret';
      expect(status).toBe(
        isLet ? 200 : host === 'localhost' && origin === `http://${host}` ? 401 : 403,
      );
    }),
    { numRuns: 300 },
  );
});
