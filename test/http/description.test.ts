/** The OpenAPI document that is served: it equals its descriptions, and has the operations that this Reeve serves. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { routes } from '#core/access/routes.ts';
import { api } from '#http/api.ts';
import { describeApi } from '#http/description/describe-api.ts';
import { orderIdOf, scenario } from './scenario.ts';

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
