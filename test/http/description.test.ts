/** The OpenAPI document that is served: it equals its descriptions, and has the operations that this Reeve serves. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { routes } from '#core/access/routes.ts';
import { api } from '#http/api.ts';
import { describeApi } from '#http/description/describe-api.ts';
import { scenario } from './scenario.ts';

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
