/** What schemas return: what is said to be new shares nothing with what was given, nor with an earlier result. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { jsonSchema, submittedSchema } from '#core/codec/json-schema.ts';
import { resultOrigin } from '#runtime/copies/result-origin.ts';

const leaf = fc.constantFrom<z.ZodType>(z.string(), z.int(), z.email(), z.null(), z.enum(['a']));
const shared = { list: [1] };
const open = fc.constantFrom<z.ZodType>(
  ...[z.any(), z.unknown(), z.custom(), jsonSchema, submittedSchema],
  ...[z.any().transform(() => shared), z.any().default(shared), z.lazy(() => z.any())],
  z.looseObject({}).overwrite(() => shared),
  z.object({}).refine(() => true),
  z.preprocess(() => shared, z.any()),
  z.codec(z.string(), z.any(), { decode: () => shared, encode: () => '' }),
);
const schemas = fc.letrec<{ schema: z.ZodType }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    open,
    tie('schema').map((part) => z.object({ part })),
    tie('schema').map((part) => z.looseObject({ part })),
    tie('schema').map((part) => z.object({}).catchall(part)),
    tie('schema').map((part) => z.array(part)),
    tie('schema').map((part) => z.record(z.string(), part)),
    tie('schema').map((part) => z.looseRecord(z.string().max(1), part)),
    tie('schema').map((part) => part.optional().nullable()),
    fc.tuple(tie('schema'), tie('schema')).map((parts) => z.union(parts)),
    fc.tuple(tie('schema'), tie('schema')).map(([one, other]) => one.pipe(other)),
  ),
})).schema;

const objectsIn = (value: unknown): readonly object[] =>
  typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap(objectsIn)]
    : [];

const documents = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<unknown>('a', 1, null, 'a@b.example'),
    fc.record({ part: tie('value') }),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
})).value;

test('a result that is said to be new, or given, is no more than that', () => {
  fc.assert(
    fc.property(schemas, documents, (schema, given) => {
      const origin = resultOrigin(schema);
      if (origin === 'any') return;
      const { data } = schema.safeParse(given);
      const allowed = new Set(origin === 'given' ? objectsIn(given) : []);
      const foreign = new Set([
        ...objectsIn(given),
        ...objectsIn(schema.safeParse(given).data),
        shared,
      ]);
      for (const part of objectsIn(data)) {
        if (!allowed.has(part)) expect(foreign.has(part)).toBe(false);
      }
    }),
    { numRuns: 2_000 },
  );
});

const tree = z.object({
  name: z.string(),
  get parts() {
    return z.array(tree);
  },
});
const openTree = z.object({
  note: z.unknown(),
  get parts() {
    return z.array(openTree);
  },
});

test.each<[string, z.ZodType, string]>([
  ['a tree', tree, 'new'],
  ['a tree with open parts', openTree, 'given'],
  ['an object', z.object({ at: z.iso.date(), lines: z.array(z.object({ n: z.int() })) }), 'new'],
  ['a loose object', z.looseObject({ n: z.int() }), 'given'],
  ['one with a default', z.object({ isGift: z.boolean().default(false) }), 'any'],
])('the common case of %s is known', (_, schema, origin) => {
  expect(resultOrigin(schema)).toBe(origin);
});
