/** What is sent for a correction that an operator types. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { correctionBody, emptyRow, meaningText } from '#console/order/correction-input.ts';
import { redacted } from '#core/view/redacted.ts';
import { inexactNumber } from '#text/inexact-number.ts';

const details = {
  payment: { token: '4111', limit: 100, secret: redacted },
  holder: redacted,
  lines: [{ sku: 'lamp', quantity: 1 }],
};

function sent(path: string, value: string, isOther = false): unknown {
  const row = { path, value, isOther };
  const set = correctionBody([row], details)?.set ?? {};
  // What is shown before is what is sent.
  expect(meaningText(row, details).sent.endsWith(` ${JSON.stringify(set[path])}`)).toBe(true);
  return set[path];
}

test.each([
  ['payment.token', '4242', '4242', 4242],
  ['payment.token', 'null', 'null', null],
  ['payment.token', '"4242"', '4242', '"4242"'],
  ['lines.0.quantity', '3', 3, '3'],
  ['lines.0.quantity', '1.50', 1.5, '1.50'],
  ['lines.0', '{"sku":"x"}', { sku: 'x' }, '{"sku":"x"}'],
  ['unknown.field', '4242', 4242, '4242'],
])('at %s, %s is %j, and can be %j', (path, typed, first, second) => {
  expect(sent(path, typed)).toEqual(first);
  expect(sent(path, typed, true)).toEqual(second);
});

test.each([
  ['payment.token', 'tok_x'],
  ['payment.limit', 'tok_x'],
  ['payment.limit', ''],
  ['payment.limit', '0042'],
  ['payment.limit', '12345678901234567890'],
  ['payment.limit', '[12345678901234567890]'],
])('at %s, %j can only be a text', (path, typed) => {
  for (const isOther of [false, true]) expect(sent(path, typed, isOther)).toBe(typed);
  expect(meaningText({ path, value: typed, isOther: false }, details).other).toBe(null);
});

test('an operator reads what is sent, and why a number is sent as a text', () => {
  const row = { path: 'payment.token', value: '4242', isOther: false };
  const texts = { sent: 'the text "4242"', other: 'the number 4242', note: null };
  expect(meaningText(row, details)).toEqual(texts);
  const long = { ...row, path: 'payment.limit', value: '12345678901234567890' };
  expect(meaningText(long, details)).toEqual({
    sent: 'the text "12345678901234567890"',
    other: null,
    note: 'As a number, 12345678901234567890 would be rounded.',
  });
});

test.each([
  ['a field', 'payment.secret', details],
  ['a field of one', 'holder.card.number', details],
  ['all details', 'payment.secret', redacted],
])('where %s is hidden, it may be a number or a text', (_, path, shown) => {
  const row = { path, value: '500', isOther: false };
  const note = 'The present value is hidden.';
  expect(meaningText(row, shown)).toEqual({
    sent: 'the number 500',
    other: 'the text "500"',
    note,
  });
  expect(meaningText({ ...row, isOther: true }, shown)).toEqual({
    sent: 'the text "500"',
    other: 'the number 500',
    note,
  });
  expect(meaningText({ ...row, value: 'tok_x' }, shown)).toEqual({
    sent: 'the text "tok_x"',
    other: null,
    note: null,
  });
});

test('a text in which a value is hidden is a text', () => {
  const row = { path: 'note', value: '500', isOther: false };
  const texts = { sent: 'the text "500"', other: 'the number 500', note: null };
  expect(meaningText(row, { note: `paid with ${redacted}` })).toEqual(texts);
});

test('rows without a path correct nothing, and a path is sent without spaces around it', () => {
  expect(correctionBody([], details)).toBe(null);
  expect(correctionBody([{ ...emptyRow, path: ' ', value: '3' }], details)).toBe(null);
  const row = { ...emptyRow, path: ' payment.token ', value: '3' };
  expect(correctionBody([row, emptyRow], details)).toEqual({ set: { 'payment.token': '3' } });
});

describe('a number of JSON', () => {
  const whole = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });

  /** With the digits that JavaScript writes, which are not all those of the double: it writes 2384185791015625000 as it is. */
  function writtenBack(number: bigint): bigint {
    const [digits = '', power = ''] = Number(number).toExponential().split('e');
    const [, part = ''] = digits.split('.');
    return BigInt(digits.replace('.', '')) * 10n ** BigInt(Number(power) - part.length);
  }

  test('is exact where JavaScript writes the same integer, alone and in a document', () => {
    fc.assert(
      fc.property(fc.oneof(whole, fc.maxSafeInteger().map(BigInt)), (number) => {
        const text = String(number);
        const inexact = writtenBack(number) === number ? null : text;
        expect(inexactNumber(text)).toBe(inexact);
        expect(inexactNumber(`{"a 12345678901234567890 \\"":[${text}]}`)).toBe(inexact);
      }),
      { examples: [[2384185791015625000n], [10n ** 21n], [2n ** 53n + 1n]] },
    );
  });

  test('is exact in each form that JavaScript writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        for (const text of [String(number), number.toExponential(), JSON.stringify({ n: number })])
          expect(inexactNumber(text)).toBe(null);
      }),
    );
  });

  test.each(['1.50', '-0', '0.0', '1E3', '100e-2', '1e-7', '0e999999999999'])('%s is', (text) => {
    expect(inexactNumber(text)).toBe(null);
  });

  test.each(['1e400', '-1e400', '1e-400', '0.1000000000000000055', '9007199254740993'])(
    '%s is not',
    (text) => {
      expect(inexactNumber(text)).toBe(text);
    },
  );
});
