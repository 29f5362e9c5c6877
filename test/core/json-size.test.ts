import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonWithin, jsonBytes, jsonBytesAtMost } from '#core/codec/json-size.ts';
import { sendableJson } from '#core/codec/sendable-text.ts';
import type { JsonValue } from '#core/model/json.ts';

const documents = fc
  .jsonValue({ maxDepth: 5, stringUnit: 'binary' })
  .map((value): JsonValue => JSON.parse(JSON.stringify(value)));

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
});
