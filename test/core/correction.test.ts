/** Paths into details: values, and details after a correction. */
import { describe, expect, it } from 'vitest';
import { corrected, fieldOf } from '#core/model/correction.ts';
import type { JsonValue } from '#core/model/json.ts';

const eleven = Array.from({ length: 11 }, (_, at) => at);
const details: JsonValue = {
  sku: 'A-1',
  note: null,
  count: 2,
  lines: [{ quantity: 1 }, { quantity: 2 }],
  eleven,
};

describe('the value', () => {
  it.each<readonly [string, JsonValue | undefined]>([
    ['sku', 'A-1'],
    ['note', null],
    ['lines.1.quantity', 2],
    ['eleven.0', 0],
    ['eleven.10', 10],
    ['lines.2', undefined],
    ['lines.01', undefined],
    ['lines.1x', undefined],
    ['lines.x1', undefined],
    ['lines.length', undefined],
    ['lines.', undefined],
    ['sku.0', undefined],
    ['sku.length', undefined],
    ['note.deep', undefined],
    ['count.deep', undefined],
    ['absent', undefined],
    ['absent.deep', undefined],
    ['toString', undefined],
  ])('at %s: %j', (field, value) => {
    expect(fieldOf(details, field)).toEqual(value);
  });
});

describe('corrected are', () => {
  it.each<readonly [string, JsonValue | undefined]>([
    ['sku', { ...details, sku: 'new' }],
    ['note', { ...details, note: 'new' }],
    ['absent', { ...details, absent: 'new' }],
    ['lines.0.quantity', { ...details, lines: [{ quantity: 'new' }, { quantity: 2 }] }],
    ['lines.1', { ...details, lines: [{ quantity: 1 }, 'new'] }],
    ['lines.0.colour', { ...details, lines: [{ quantity: 1, colour: 'new' }, { quantity: 2 }] }],
    ['eleven.10', { ...details, eleven: [...eleven.slice(0, 10), 'new'] }],
    ['lines.2', undefined],
    ['lines.01', undefined],
    ['absent.deep', undefined],
    ['sku.0', undefined],
    ['note.deep', undefined],
    ['count.deep', undefined],
  ])('with %s new: %j', (field, after) => {
    expect(corrected(details, { field, value: 'new' })).toEqual(after);
  });
});
