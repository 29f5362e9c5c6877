/** The OpenAPI document that is served: it equals its descriptions, and has the operations that this Reeve serves. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { routes } from '#core/access/routes.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import { api } from '#http/api.ts';
import { describeApi } from '#http/description/describe-api.ts';
import { identified, operator, orderIdOf, scenario } from './scenario.ts';

test('the committed document equals the output of `npm run contracts`', () => {
  const committed = readFileSync('lib/http/description/openapi.json', 'utf8');
  expect(committed).toBe(`${JSON.stringify(describeApi(), null, 2)}\n`);
});

const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

test('a function describes the operations that it serves, and has no schema that they do not use', async () => {
  const { get } = await scenario(undefined, api);
  const text = await (await get('/openapi.json')).text();
  const { paths, components } = document.parse(JSON.parse(text));
  const described = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const onAws = Object.entries(routes).flatMap(([name, route]) => (route.onAws ? [name] : []));
  expect(described.toSorted()).toEqual(onAws.toSorted());
  const unused = Object.keys(components.schemas).filter(
    (name) => !text.includes(`"#/components/schemas/${name}"`),
  );
  expect(unused).toEqual([]);
  expect(Object.keys(components.schemas)).not.toContain('Activity');
});

const described = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
        responses: z.record(z.string(), z.object({ headers: z.looseObject({}).default({}) })),
      }),
    ),
  ),
});

test('a GET declares If-None-Match, ETag and 304 exactly where the server answers so', async () => {
  const world = await scenario();
  const orderId = await orderIdOf(await world.submit());
  await world.reaches(orderId, 'Processed');
  const { paths } = described.parse(await (await world.get('/openapi.json')).json());
  const found = Object.entries(paths).flatMap(([path, { get }]) => (get ? [{ path, get }] : []));
  const declared: Record<string, unknown> = {};
  const answered: Record<string, unknown> = {};
  for (const { path, get } of found) {
    const isDeclared = get.parameters.some(
      (parameter) => parameter.in === 'header' && parameter.name === 'if-none-match',
    );
    const statuses = Object.entries(get.responses).filter(([, { headers }]) => 'etag' in headers);
    declared[path] = [isDeclared, ...statuses.map(([status]) => status)];
    const address = path.replace('{id}', orderId);
    const etag = (await readHead(world.get(address))).headers.get('etag');
    const again = await readHead(world.get(address, { 'if-none-match': etag ?? '*' }));
    answered[path] = etag === null ? [again.status === 304] : [true, '200', String(again.status)];
  }
  expect(declared).toEqual(answered);
  expect(Object.values(answered).filter((one) => Array.isArray(one) && one.length > 1)).toEqual(
    Array.from({ length: 4 }, () => [true, '200', '304']),
  );
});

/** A stream of events would not end by itself. */
async function readHead(asked: Promise<Response>): Promise<Response> {
  const response = await asked;
  await response.body?.cancel();
  return response;
}

test('a request header that decides the answer is a parameter: of the events of an order, Last-Event-ID', async () => {
  const { get } = await scenario();
  const { paths } = described.parse(await (await get('/openapi.json')).json());
  expect(paths['/orders/{id}/events']?.['get']?.parameters).toContainEqual({
    name: 'last-event-id',
    in: 'header',
  });
});

/** Requests of which each operation refuses some, by what is wrong with them. */
const refusedRequests: Readonly<Record<string, RequestInit & { readonly query?: string }>> = {
  'a page of another site': { headers: { origin: 'http://evil.example' } },
  'no token': { headers: { authorization: '' } },
  'an unknown parameter': { query: '?colour=red' },
  'a body of another type': { headers: { 'content-type': 'text/plain' }, body: '{}' },
  'a body that is no JSON': { headers: { 'content-type': 'application/json' }, body: '{' },
  'a body with another document': { headers: { 'content-type': 'application/json' }, body: '[]' },
  'a body that is too large': { body: ' '.repeat(limits.batchBytesMax + 1) },
  'nothing else': {},
};

test.each(Object.entries(refusedRequests))(
  'the status of each refusal for %s is in the description of its operation',
  async (_, { query = '', headers = {}, body = null }) => {
    const world = await scenario((ports) => ({
      ...ports,
      guard: {
        ...ports.guard,
        identify: ({ authorization }) =>
          authorization === '' ? { kind: 'unknown' } : identified(operator),
      },
    }));
    const all = { authorization: 'Bearer x', ...Object.fromEntries(new Headers(headers)) };
    const document = described.parse(
      await (await world.get('/openapi.json', { authorization: 'Bearer x' })).json(),
    );
    const unsaid: string[] = [];
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        const isPost = method === 'post';
        const place = path
          .replace('{id}', '01kdvdna0012vzf1k7ypyn20t7')
          .replace('{name}', 'nosuch');
        const { status, body: stream } = await world.app.request(`${place}${query}`, {
          method: method.toUpperCase(),
          headers: all,
          ...(isPost && body !== null && { body }),
        });
        await stream?.cancel();
        if (responses[status] === undefined) unsaid.push(`${status} of ${method} ${path}`);
      }
    }
    expect(unsaid).toEqual([]);
  },
);

const typed = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        responses: z.record(z.string(), z.object({ content: z.looseObject({}).default({}) })),
      }),
    ),
  ),
});

test('what each operation answers while the store cannot be read, as DynamoDB for a function, is in its description', async () => {
  const down = () => Promise.reject(new UnavailableError('store-unavailable', 'It is away.'));
  const world = await scenario((ports) => ({
    ...ports,
    store: { ...ports.store, records: down, orders: down, list: down },
    agents: { list: down, change: down },
    limits: { list: down, change: down },
    lastSweepAt: down,
  }));
  const { paths } = typed.parse(await (await world.get('/openapi.json')).json());
  const unsaid: string[] = [];
  for (const [path, { get }] of Object.entries(paths)) {
    // A stream of all orders reads nothing.
    if (get === undefined || path === '/events') continue;
    const place = path.replace('{id}', '01kdvdna0012vzf1k7ypyn20t7');
    const response = await world.get(place);
    const type = response.headers.get('content-type') ?? '';
    if (!(type in (get.responses[response.status]?.content ?? {}))) {
      unsaid.push(`${response.status} ${type} of ${path}`);
    }
  }
  expect(unsaid).toEqual([]);
});
