/** Bodies at the limits of their routes, with every declaration of a length, and defaults as they are documented. */
import { describe, expect, test } from 'vitest';
import type { ZodObject } from 'zod';
import { routes } from '#core/access/routes.ts';
import { limits } from '#core/model/limits.ts';
import { problemSchema } from '#http/problem-schema.ts';
import { partsOf } from '#http/requests/requests.ts';
import { operations } from '#http/requests/routing.ts';
import { json, scenario } from './scenario.ts';

/** Spaces make a text of JSON longer, and mean nothing. */
const padded = (bytes: number) => `{}${' '.repeat(bytes - 2)}`;

const codeOf = async (response: Response) => problemSchema.parse(await response.json()).code;

describe.each([
  ['/orders', limits.bodyBytesMax],
  ['/orders/batch', limits.batchBytesMax],
])('POST %s', (path, max) => {
  const lengths: readonly (readonly [string, (bytes: number) => Record<string, string>])[] = [
    ['its length', (bytes) => ({ 'content-length': String(bytes) })],
    ['no length', () => ({})],
    [
      'a length that does not count',
      () => ({ 'content-length': '2', 'transfer-encoding': 'chunked' }),
    ],
  ];
  test.each(lengths)(
    'takes a body of the limit, and refuses one byte more, with %s',
    async (_, of) => {
      const { app } = await scenario();
      const asked = async (bytes: number) => {
        const headers = { ...json, ...of(bytes) };
        const response = await app.request(path, { method: 'POST', headers, body: padded(bytes) });
        return [response.status, await codeOf(response)];
      };
      expect(await asked(max)).toEqual([422, 'body-invalid']);
      expect(await asked(max + 1)).toEqual([413, 'body-too-large']);
    },
  );

  test.each(['-1', '1.5', '1e3', ' ', '9'.repeat(16), 'many'])(
    'refuses the length "%s"',
    async (length) => {
      const { app } = await scenario();
      const headers = { ...json, 'content-length': length };
      const response = await app.request(path, { method: 'POST', headers, body: '{}' });
      expect([response.status, await codeOf(response)]).toEqual([400, 'header-invalid']);
    },
  );
});

test.each(
  operations.flatMap((operation) => {
    const { body } = partsOf(operation);
    return body === undefined ? [] : [[operation, body.isRequired] as const];
  }),
)('%s without a body is malformed exactly where one is required', async (operation, isRequired) => {
  const { app } = await scenario();
  const { path } = routes[operation];
  const response = await app.request(
    path.replace('{id}', '01kdvdna0012vzf1k7ypyn20t7').replace('{name}', 'cook'),
    { method: 'POST', headers: json },
  );
  expect((await codeOf(response)) === 'json-malformed').toBe(isRequired);
});

test.each(operations)(
  'what %s takes where nothing is given is what its description says',
  (operation) => {
    const { query } = partsOf(operation);
    for (const [name, schema] of Object.entries<ZodObject['shape'][string]>(query?.shape ?? {})) {
      const document = 'meta' in schema && typeof schema.meta === 'function' ? schema.meta() : {};
      const given = query?.safeParse({}).data;
      expect([name, given?.[name]]).toEqual([name, document?.default]);
    }
  },
);
