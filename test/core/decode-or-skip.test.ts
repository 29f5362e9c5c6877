/** An answer about many: what is corrupt is left out and told, and any other failure is one. */
import { describe, expect, it } from 'vitest';
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import { CorruptDataError } from '#core/model/errors.ts';

const corrupt = new CorruptDataError('row-corrupt', 'No.');
const halved = (value: number) => {
  if (value % 2 === 1) throw corrupt;
  return value / 2;
};

describe('of many that are read', () => {
  it('those that can be are given, in their order, and each other is told', () => {
    const told: unknown[] = [];
    const read = decodeOrSkip([3, 8, 4, 5], halved, (...one) => told.push(one));
    expect(read).toEqual([4, 2]);
    expect(told).toEqual([
      [3, corrupt],
      [5, corrupt],
    ]);
  });

  it('none is given when reading itself fails', () => {
    const failing = () => {
      throw new TypeError('a mistake');
    };
    expect(() => decodeOrSkip([1], failing, () => {})).toThrow(TypeError);
  });
});
