/** Lists with corrupt entries: these are skipped and reported; every other error is thrown. */
import { describe, expect, it } from 'vitest';
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import { CorruptDataError } from '#core/model/errors.ts';

const corrupt = new CorruptDataError('row-corrupt', 'No.');
const halved = (value: number) => {
  if (value % 2 === 1) throw corrupt;
  return value / 2;
};

describe('a list', () => {
  it('keeps the readable entries in order, and reports the others', () => {
    const told: unknown[] = [];
    const read = decodeOrSkip([3, 8, 4, 5], halved, (...one) => told.push(one));
    expect(read).toEqual([4, 2]);
    expect(told).toEqual([
      [3, corrupt],
      [5, corrupt],
    ]);
  });

  it('throws every other error', () => {
    const failing = () => {
      throw new TypeError('a mistake');
    };
    expect(() => decodeOrSkip([1], failing, () => {})).toThrow(TypeError);
  });
});
