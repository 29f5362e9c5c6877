import { expect, test } from 'vitest';
import * as z from 'zod';
import { strictJson } from '#core/codec/strict-json.ts';
import { CorruptDataError, NewerDataError, UnavailableError } from '#core/model/errors.ts';
import { problemSchema } from '#http/problem-schema.ts';
import { body, json, orderIdOf, type Scenario, scenario } from './scenario.ts';

async function expectProblem(
  response: Response,
  status: number,
  code: string,
  fields?: readonly string[],
): Promise<void> {
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(text).not.toMatch(/\bat .*\.ts:\d+/);
  const document = problemSchema.parse(JSON.parse(text));
  expect({ status: response.status, code: document.code }).toEqual({ status, code });
  expect(document.status).toBe(status);
  expect(document.type).toBe(`urn:reeve:problem:${code}`);
  if (fields !== undefined) expect(document.errors?.map(({ field }) => field)).toEqual(fields);
}

async function storedOrders({ get }: Scenario): Promise<number> {
  const list = z.object({ orders: z.array(z.unknown()) });
  return list.parse(await (await get('/orders')).json()).orders.length;
}

test.each([
  ['overloaded', 503],
  ['tenant-over-share', 429],
  ['singleton-full', 429],
] as const)('an order that is refused as %s says when to come again', async (code, status) => {
  const submission = {
    submit: async () => ({ kind: 'overloaded', code, retryAfterMs: 7_001 }) as const,
  };
  const { submit } = await scenario((ports) => ({
    ...ports,
    submission,
    clock: { ...ports.clock, now: () => 1_000 },
  }));
  const response = await submit({ ...body, priority: 'low', tenant: 'inn' });
  expect(response.headers.get('retry-after')).toBe('8');
  expect(await response.clone().json()).toMatchObject({
    class: 'low',
    retryAt: '1970-01-01T00:00:09.000Z',
  });
  await expectProblem(response, status, code);
});

const deep = `{"workflow":"dinner","details":{"dish":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;

test.each([
  ['malformed JSON', '{"workflow":', 400, 'json-malformed', undefined],
  ['no JSON at all', 'hello', 400, 'json-malformed', undefined],
  ['an array', '[]', 422, 'body-invalid', ['body']],
  ['a missing workflow', { details: {} }, 422, 'body-invalid', ['workflow']],
  ['missing details', { workflow: 'dinner' }, 422, 'body-invalid', ['details']],
  ['an unknown key', { ...body, colour: 'red' }, 422, 'body-invalid', ['colour']],
  ['an unknown priority', { ...body, priority: 'now' }, 422, 'body-invalid', ['priority']],
  ['a tenant too long', { ...body, tenant: 'x'.repeat(65) }, 422, 'body-invalid', ['tenant']],
  [
    'a correlation id too long',
    { ...body, correlationId: 'x'.repeat(129) },
    422,
    'body-invalid',
    ['correlationId'],
  ],
  ['an empty one', { ...body, correlationId: '' }, 422, 'body-invalid', ['correlationId']],
  ['nesting too deep', deep, 422, 'body-invalid', ['details']],
  [
    'a number too large',
    '{"workflow":"dinner","details":{"dish":"soup","guests":1e400}}',
    422,
    'body-invalid',
    ['details.guests'],
  ],
  [
    'a key that schemas drop',
    '{"workflow":"dinner","details":{"dish":"soup","guests":2,"__proto__":{"x":1}}}',
    422,
    'details-invalid',
    ['details.__proto__'],
  ],
  [
    'such a key deep in the details',
    '{"workflow":"dinner","details":{"dish":[{"__proto__":"x"}],"guests":2}}',
    422,
    'details-invalid',
    ['details.dish.0.__proto__'],
  ],
  [
    'such a key in the body',
    '{"workflow":"dinner","details":{"dish":"soup","guests":2},"__proto__":{"x":1}}',
    422,
    'body-invalid',
    ['__proto__'],
  ],
  ['details that are a list', { ...body, details: [] }, 422, 'details-invalid', ['details']],
  ['details that are a text', { ...body, details: 'soup' }, 422, 'details-invalid', ['details']],
  ['an unknown workflow', { ...body, workflow: 'lunch' }, 422, 'workflow-unknown', ['workflow']],
  ['an unknown channel', { ...body, replyTo: 'home' }, 422, 'reply-to-unknown', ['replyTo']],
  [
    'a missing field of the details',
    { ...body, details: { dish: 'soup' } },
    422,
    'details-invalid',
    ['details.guests'],
  ],
  [
    'wrong types and unknown keys in the details',
    { ...body, details: { dish: 1, guests: 'two', wine: true } },
    422,
    'details-invalid',
    ['details.dish', 'details.guests', 'details.wine'],
  ],
] as const)('%s is refused and nothing is stored', async (_, document, status, code, fields) => {
  const world = await scenario();
  await expectProblem(await world.submit(document), status, code, fields);
  expect(await storedOrders(world)).toBe(0);
});

test('a body over 128 KiB is refused, with or without a Content-Length', async () => {
  const world = await scenario();
  const large = JSON.stringify({ ...body, details: { dish: 'x'.repeat(140_000), guests: 1 } });
  await expectProblem(await world.submit(large), 413, 'body-too-large');
  const unsaid = await world.app.request('/orders', {
    method: 'POST',
    headers: json,
    body: new Blob([large]).stream(),
    duplex: 'half',
  });
  await expectProblem(unsaid, 413, 'body-too-large');
  expect(await storedOrders(world)).toBe(0);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
  'a body of type %s is refused',
  async (type) => {
    const { submit } = await scenario();
    await expectProblem(
      await submit(body, { 'content-type': type }),
      415,
      'media-type-unsupported',
    );
  },
);

test('an idempotency key that is too long is refused', async () => {
  const { submit } = await scenario();
  const response = await submit(body, { 'idempotency-key': 'k'.repeat(129) });
  await expectProblem(response, 400, 'header-invalid', ['idempotency-key']);
});

test('a key that belongs to another submission is refused', async () => {
  const { submit } = await scenario();
  const key = { 'idempotency-key': 'dinner-1' };
  expect((await submit(body, key)).status).toBe(202);
  const other = { ...body, details: { dish: 'soup', guests: 3 } };
  await expectProblem(await submit(other, key), 409, 'key-reused', ['Idempotency-Key']);
});

test.each([
  ['/orders/01kdvdna0012vzf1k7ypyn20t7', 'order-unknown'],
  [`/orders/k${'0a'.repeat(20)}`, 'order-unknown'],
  ['/orders/01KDVDNA0012VZF1K7YPYN20T7', 'order-id-malformed'],
  ['/orders/nobody', 'order-id-malformed'],
  ['/orders/..%2f', 'order-id-malformed'],
  [`/orders/${'x'.repeat(200)}`, 'order-id-malformed'],
])('GET of %s returns no order: %s', async (path, code) => {
  const { get, post } = await scenario();
  await expectProblem(await get(path), 404, code);
  await expectProblem(await get(`${path}/events`), 404, code);
  await expectProblem(await post(`${path}/resubmit`), 404, code);
  await expectProblem(await post(`${path}/cancel`), 404, code);
});

test('every id that a submission returns is a valid order id, with a key and without', async () => {
  const { get, submit } = await scenario();
  for (const headers of [{}, { 'idempotency-key': 'dinner-9' }]) {
    const id = await orderIdOf(await submit(body, headers));
    expect((await get(`/orders/${id}`)).status).toBe(200);
    // Its last digit changed: an id of the same form, of no order.
    const other = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    await expectProblem(await get(`/orders/${other}`), 404, 'order-unknown');
  }
});

test.each([
  ['cursor=nonsense', 'cursor-invalid', undefined],
  ['cursor=-1', 'cursor-invalid', undefined],
  ['limit=0', 'query-invalid', ['limit']],
  ['limit=201', 'query-invalid', ['limit']],
  ['limit=many', 'query-invalid', ['limit']],
  ['state=Lost', 'query-invalid', ['state']],
] as const)('the listing refuses %s', async (query, code, fields) => {
  const { get } = await scenario();
  await expectProblem(await get(`/orders?${query}`), 400, code, fields);
});

test.each([
  ['/orders?State=Error', 'State', 'is not a parameter of this route (did you mean `state`?)'],
  ['/orders?stat=Error', 'stat', 'is not a parameter of this route (did you mean `state`?)'],
  [
    '/orders?correlation-id=x',
    'correlation-id',
    'is not a parameter of this route (did you mean `correlationId`?)',
  ],
  [
    '/orders?colour=red',
    'colour',
    'is not a parameter of this route; its parameters are state, workflow, agent, step, fault, held, tenant, correlationId, since, before, limit, cursor',
  ],
  ['/healthz?verbose=1', 'verbose', 'is not a parameter of this route; it has none'],
] as const)('%s is refused, and the error suggests the parameter', async (path, field, message) => {
  const { get } = await scenario();
  const response = await get(path);
  expect(problemSchema.parse(await response.clone().json()).errors).toEqual([{ field, message }]);
  await expectProblem(response, 400, 'query-invalid', [field]);
});

const described = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({}))),
});
const pathsOf = async ({ get }: Scenario) =>
  described.parse(await (await get('/openapi.json')).json()).paths;

test('every route refuses a parameter that it does not know, and changes nothing', async () => {
  const world = await scenario();
  const id = await orderIdOf(await world.submit());
  await world.reaches(id, 'Processed');
  const paths = await pathsOf(world);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path: path.replace('{id}', id), method })),
  );
  expect(operations.length).toBeGreaterThan(9);
  for (const { path, method } of operations) {
    const response = await world.app.request(`${path}?colour=red`, {
      method: method.toUpperCase(),
      ...(method === 'post' && { headers: json, body: JSON.stringify(body) }),
    });
    await expectProblem(response, 400, 'query-invalid', ['colour']);
  }
  expect(await storedOrders(world)).toBe(1);
});

test('an unknown route or method is a problem document', async () => {
  const { get, app } = await scenario();
  await expectProblem(await get('/'), 404, 'route-unknown');
  const other = await app.request('/orders', { method: 'PUT' });
  expect(other.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'POST']);
  await expectProblem(other, 405, 'method-not-allowed');
});

test('an order that has ended can neither be resubmitted nor cancelled', async () => {
  const { submit, post, reaches } = await scenario();
  const id = await orderIdOf(await submit());
  await reaches(id, 'Processed');
  await expectProblem(await post(`/orders/${id}/resubmit`), 409, 'not-in-error');
  await expectProblem(await post(`/orders/${id}/cancel`), 409, 'ended');
});

test('a failure of the store is reported without details, with a Retry-After', async () => {
  const secret = 'disk /dev/vda is full';
  const { submit } = await scenario((ports) => ({
    ...ports,
    submission: {
      submit: async () => {
        throw new UnavailableError('store-unavailable', secret);
      },
    },
  }));
  const response = await submit();
  expect(await response.clone().text()).not.toContain(secret);
  expect(response.headers.get('retry-after')).toBe('1');
  await expectProblem(response, 503, 'unavailable');
});

test('a full disk is reported without its path', async () => {
  const { submit } = await scenario((ports) => ({
    ...ports,
    submission: {
      submit: async () => {
        throw new UnavailableError('store-full', 'No room for /var/reeve.db.');
      },
    },
  }));
  const response = await submit();
  expect(await response.clone().text()).not.toContain('/var');
  expect(response.headers.get('retry-after')).toBe('1');
  await expectProblem(response, 503, 'store-full');
});

test('damaged data are reported with a code of their own, without the path, and are no reason to come again soon', async () => {
  const { submit } = await scenario((ports) => ({
    ...ports,
    submission: {
      submit: async () => {
        throw new CorruptDataError('row-damaged', 'Row 7 of /var/reeve.db is damaged.');
      },
    },
  }));
  const response = await submit();
  expect(await response.clone().text()).not.toContain('/var');
  expect(response.headers.get('retry-after')).toBe(null);
  await expectProblem(response, 500, 'store-damaged');
});

test('data that a newer release wrote are no internal error, and a reason to come again', async () => {
  const { submit } = await scenario((ports) => ({
    ...ports,
    submission: {
      submit: async () => {
        throw new NewerDataError('record-newer', 'The order o-1 is of version 9.');
      },
    },
  }));
  const response = await submit();
  expect(response.headers.get('retry-after')).toBe('1');
  await expectProblem(response, 503, 'data-newer');
});

test('every route that may answer 503 says so in the description, with its Retry-After', async () => {
  const paths = await pathsOf(await scenario());
  const unsaid = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) => {
      const unavailable = z
        .object({ 503: z.object({ headers: z.object({ 'retry-after': z.unknown() }) }) })
        .safeParse(responses);
      return unavailable.success ? [] : [`${method} ${path}`];
    }),
  );
  expect(unsaid).toEqual([
    // The outcome of each order says it.
    'post /orders/batch',
    // They answer without the store.
    ...['get /workflows', 'get /principal', 'get /openapi.json'],
  ]);
});

test('a defect of Reeve is reported without details', async () => {
  const { submit } = await scenario((ports) => ({
    ...ports,
    submission: {
      submit: async () => {
        throw new TypeError('x is not a function');
      },
    },
  }));
  const response = await submit();
  expect(await response.clone().text()).not.toContain('not a function');
  await expectProblem(response, 500, 'internal');
});

const manyKeys = Object.fromEntries(Array.from({ length: 12_000 }, (_, at) => [`k${at}`, 1]));

test.each([
  ['unknown keys of a submission', { ...body, ...manyKeys }, 'body'],
  [
    'unknown keys of the details',
    { ...body, details: { ...body.details, ...manyKeys } },
    'details',
  ],
])('very many %s are refused by a short problem document', async (_, document, whole) => {
  const world = await scenario();
  const response = await world.submit(document);
  const text = await response.text();
  expect(text.length).toBeLessThan(6_000);
  const { errors = [], detail } = problemSchema.parse(JSON.parse(text));
  expect(errors).toHaveLength(21);
  expect(errors.at(-1)).toEqual({
    field: whole,
    message: expect.stringMatching(/^has 1[12]\d{3} more errors$/),
  });
  expect(detail).toContain(`\`${whole}\` has 1`);
});

test('a name that is as long as its document is cut in the answer', async () => {
  const world = await scenario();
  const name = '😀'.repeat(10_000);
  const texts = await Promise.all(
    [
      { ...body, [name]: 1 },
      { ...body, details: { ...body.details, [name]: { [name]: 1 } } },
      `{"workflow":"dinner","details":{"${name}":1,"${name}":2}}`,
    ].map(async (document) => (await world.submit(document)).text()),
  );
  for (const text of texts) {
    expect(text.length).toBeLessThan(1_500);
    expect(strictJson(text).kind).toBe('json');
    expect(text).toContain('…');
  }
});

test('a query with very many parameters is refused by a short problem document', async () => {
  const world = await scenario();
  const query = Array.from({ length: 4_000 }, (_, at) => `p${at}`).join('&');
  const response = await world.get(`/orders?${query}`);
  const text = await response.text();
  expect(text.length).toBeLessThan(6_000);
  const { errors = [] } = problemSchema.parse(JSON.parse(text));
  expect(errors.at(-1)).toEqual({
    field: 'query',
    message: expect.stringMatching(/^has 39\d\d more errors$/),
  });
});

test('a path and a charset that are long are cut in the answer', async () => {
  const world = await scenario();
  const long = 'x'.repeat(8_000);
  for (const response of [
    await world.get(`/${long}`),
    await world.submit(body, { 'content-type': `application/json; charset=${long}` }),
  ]) {
    const text = await response.text();
    expect(text.length).toBeLessThan(500);
    expect(text).toContain('…');
  }
});
