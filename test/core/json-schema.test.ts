/** What the schemas of JSON refuse. */
import { expect, test } from 'vitest';
import { fieldErrors } from '#core/codec/field-errors.ts';
import { jsonSchema, submittedSchema } from '#core/codec/json-schema.ts';
import { limits } from '#core/model/limits.ts';

/** A list with 2 to the power of `levels` values, in the memory of so many lists. */
function sharing(levels: number, leaf: unknown = 'x'): unknown {
  let value = leaf;
  for (let level = 0; level < levels; level += 1) value = [value, value];
  return value;
}

/** So many lists, each in the one before. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const cycle: unknown[] = [];
cycle.push(cycle);

const noJson = 'must be JSON: text, a number, a boolean, null, a list or a plain object';
const deep = `nests deeper than ${limits.jsonDepthMax} levels`;

test.each<[string, unknown, string, string]>([
  ['nothing', undefined, 'it', 'is missing'],
  ['a large integer', { a: [1n] }, 'a.0', noJson],
  ['a function', { a: () => 1 }, 'a', noJson],
  ['a symbol', Symbol('x'), 'it', noJson],
  ['a map', { a: new Map([[1, 2]]) }, 'a', noJson],
  ['a set', { a: new Set([1]) }, 'a', noJson],
  ['an instant', { a: new Date(0) }, 'a', noJson],
  ['an object with a text of its own', { a: { toJSON: () => undefined } }, 'a.toJSON', noJson],
  ['an element without a value', { a: [undefined] }, 'a.0', noJson],
  ['a list with a gap', { a: new Array(1) }, 'a.0', noJson],
  ['no number', { a: { b: Number.NaN } }, 'a.b', 'is not a finite number'],
  ['a cycle', cycle, 'it', deep],
  ['too many levels', nested(limits.jsonDepthMax + 1), 'it', deep],
  ['some thousands of levels', nested(5_000), 'it', deep],
])('JSON is not %s', (_, value, field, message) => {
  for (const schema of [jsonSchema, submittedSchema]) {
    const { error } = schema.safeParse(value);
    const errors = error === undefined ? [] : fieldErrors(error, { whole: 'it' });
    expect(errors).toEqual([{ field, message }]);
  }
});

test.each<[string, unknown]>([
  ['a property without a value', { a: undefined }],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
  ['the largest depth', nested(limits.jsonDepthMax)],
  ['an empty list', []],
  ['null', null],
])('JSON may be %s', (_, value) => {
  for (const schema of [jsonSchema, submittedSchema]) {
    const parsed = schema.safeParse(value);
    expect(parsed.success).toBe(true);
    expect(parsed.data).toBe(value);
  }
});

test('an object of a class may be an output, and is no part of what is submitted', () => {
  const value = {
    box: new (class Box {
      sides = 6;
    })(),
  };
  expect(jsonSchema.safeParse(value).success).toBe(true);
  const { error } = submittedSchema.safeParse(value);
  expect(error === undefined ? [] : fieldErrors(error, { whole: 'it' })).toEqual([
    { field: 'box', message: noJson },
  ]);
});

test.each<[string, unknown]>([
  ['that share one value', sharing(60)],
  ['that share one value that is no JSON', sharing(60, 1n)],
])(
  'nested lists %s are refused for the number of their values, which no process could visit',
  (_, value) => {
    const { error } = submittedSchema.safeParse(value);
    expect(error?.issues).toHaveLength(1);
    expect(error?.issues[0]?.message).toMatch(/^(has more than \d+ values|must be JSON)/);
  },
);
