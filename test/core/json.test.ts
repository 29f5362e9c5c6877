/** Canonical JSON, depth and paths of documents. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type JsonValue, pathTo } from '#core/model/json.ts';

const { json } = fc.letrec<{ json: JsonValue; leaf: JsonValue }>((tie) => ({
  leaf: fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string()),
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('json'), { maxKeys: 5 }),
  ),
}));

/** The same document with the keys of its objects the other way round. */
function turned(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(turned);
  const entries = Object.entries(value).map(([key, inner]) => [key, turned(inner ?? null)]);
  return Object.fromEntries(entries.toReversed());
}

describe('canonical JSON', () => {
  it.each<[string, JsonValue, string]>([
    ['sorts keys', { b: 1, a: 2, aa: 3, B: 4 }, '{"B":4,"a":2,"aa":3,"b":1}'],
    [
      'sorts keys at every depth',
      { x: [{ b: 1, a: { d: 1, c: 2 } }] },
      '{"x":[{"a":{"c":2,"d":1},"b":1}]}',
    ],
    ['keeps the order of arrays', [3, 1, 2], '[3,1,2]'],
    ['writes null', null, 'null'],
    ['writes null within', { a: null }, '{"a":null}'],
    ['leaves out what is undefined', { a: undefined, b: 1 }, '{"b":1}'],
    ['writes a string', 'a"b', '"a\\"b"'],
  ])('%s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('is read back as the same document', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('the path to a value in a document', () => {
  const isNull = (value: unknown) => value === null;
  it.each<[string, unknown, readonly string[] | null]>([
    ['is none where it is not', { a: [1, { b: 'x' }] }, null],
    ['is empty to the document itself', null, []],
    ['leads through objects and lists', { a: 1, b: [0, { c: null }] }, ['b', '1', 'c']],
    ['leads to the first of several', [[null], null], ['0', '0']],
  ])('%s', (_, value, way) => {
    expect(pathTo(value, isNull)).toEqual(way);
  });

  it('can be found by a key, even one that no literal can have', () => {
    const document: unknown = JSON.parse('{"a":{"__proto__":1}}');
    expect(pathTo(document, (_, key) => key === '__proto__')).toEqual(['a', '__proto__']);
  });
});
