import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isJsonWithin,
  isPlainJsonWithin,
  jsonBytes,
  jsonBytesAtMost,
} from '#core/codec/json-size.ts';
import { sendableJson } from '#core/codec/sendable-text.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';

const documents = fc
  .jsonValue({ maxDepth: 5, stringUnit: 'binary' })
  .map((value): JsonValue => JSON.parse(JSON.stringify(value)));

/** Lists within each other, as many as these. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

/** A list within itself, with so many lists on the way. */
function cycleOf(length: number): unknown {
  const first: unknown[] = [];
  let last = first;
  for (let at = 1; at < length; at += 1) {
    const next: unknown[] = [];
    last.push(next);
    last = next;
  }
  last.push(first);
  return first;
}

describe('the size of a document', () => {
  it('is that of its text in a message', () => {
    fc.assert(
      fc.property(documents, (value) => {
        const bytes = Buffer.byteLength(sendableJson(JSON.stringify(value)));
        expect(jsonBytes(value)).toBe(bytes);
        expect(isJsonWithin(value, bytes)).toBe(true);
        expect(isJsonWithin(value, bytes - 1)).toBe(false);
      }),
    );
  });

  it('is never underestimated', () => {
    fc.assert(
      fc.property(documents, fc.nat({ max: 300 }), (value, enough) => {
        const bytes = jsonBytes(value);
        const atMost = jsonBytesAtMost(value, enough);
        expect(atMost > enough || atMost >= bytes).toBe(true);
      }),
    );
  });

  it.each<[string, JsonValue, number]>([
    ['a character of three bytes', '€', 5],
    ['one that is escaped', '\u001f', 8],
    ['one that no queue takes', '\ufffe', 8],
    ['half of a character', '\ud800', 8],
    ['the longest number', -1.2345678901234568e-300, 24],
  ])('counts %s', (_, value, bytes) => {
    expect(jsonBytes(value)).toBe(bytes);
    expect(jsonBytesAtMost(value, 1_000)).toBeGreaterThanOrEqual(bytes);
  });

  it('of a cyclic value is over every limit', () => {
    const ring: Record<string, unknown> = {};
    ring['again'] = ring;
    expect(jsonBytesAtMost(ring, 1_000)).toBeGreaterThan(1_000);
  });

  it.each<[string, unknown]>([
    ['a cycle', cycleOf(1)],
    ['a cycle of two', cycleOf(2)],
    ['a hundred thousand levels', nested(100_000)],
  ])('of %s is over every limit, and does not exhaust the stack', (_, value) => {
    expect(jsonBytesAtMost(value, Number.MAX_SAFE_INTEGER)).toBe(Number.POSITIVE_INFINITY);
  });

  it('of the deepest document that is stored has a bound', () => {
    expect(jsonBytesAtMost(nested(limits.jsonDepthMax), 1_000)).toBeLessThan(1_000);
  });
});

describe('a value that is plain JSON within a size', () => {
  it('has a text with the same content, of at most that size', () => {
    fc.assert(
      fc.property(fc.anything(), fc.nat({ max: 300 }), (value, bytesMax) => {
        if (!isPlainJsonWithin(value, bytesMax)) return;
        const text = JSON.stringify(value);
        expect(text.length).toBeLessThanOrEqual(bytesMax);
        expect(JSON.parse(text)).toEqual(value);
      }),
    );
  });

  it('is every document that is small', () => {
    fc.assert(
      fc.property(documents, (value) => {
        expect(isPlainJsonWithin(value, 1_000_000)).toBe(true);
      }),
    );
  });

  it('may have properties that are undefined, which count as absent', () => {
    expect(isPlainJsonWithin({ a: undefined, b: [{ c: undefined }] }, 100)).toBe(true);
  });

  const ring: unknown[] = [];
  ring.push(ring);
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['an element that is undefined', [undefined]],
    ['a large integer', 1n],
    ['no number', Number.NaN],
    ['an infinite number', [Number.POSITIVE_INFINITY]],
    ['a function', () => 1],
    ['an instant', new Date(0)],
    ['an object with a text of its own', { toJSON: () => 1 }],
    ['a map', new Map()],
    ['an array with a gap', new Array(2)],
    ['a cycle', ring],
  ])('is not %s', (_, value) => {
    expect(isPlainJsonWithin(value, 10_000)).toBe(false);
  });
});
