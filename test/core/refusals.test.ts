/** Texts of schema errors, and tagged tuples of stored unions. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { faultyFields, fieldErrors } from '#core/codec/field-errors.ts';
import { taggedTuple } from '#core/codec/tagged-tuple.ts';
import { CorruptDataError } from '#core/model/errors.ts';

const schema = z.strictObject({ name: z.string(), lines: z.array(z.strictObject({ n: z.int() })) });
const errorOf = (value: unknown) => {
  const { error } = schema.safeParse(value);
  if (error === undefined) throw new Error('was accepted');
  return error;
};

describe('the fields a schema refused', () => {
  it('are named by their paths', () => {
    const error = errorOf({ name: 7, lines: [{ n: 1 }, { n: 0.5 }] });
    expect(faultyFields(error, 'body')).toBe('name, lines.1.n');
    expect(fieldErrors(error, { whole: 'body' })).toEqual([
      { field: 'name', message: 'must be a string' },
      { field: 'lines.1.n', message: 'must be a whole number' },
    ]);
  });

  it('are the document where the document itself is refused', () => {
    expect(faultyFields(errorOf('x'), 'body')).toBe('body');
  });

  it('are each named where they are not known', () => {
    expect(
      fieldErrors(errorOf({ name: 'x', lines: [{ n: 1, m: 2 }], a: 1, b: 2 }), { whole: 'body' }),
    ).toEqual([
      { field: 'lines.0.m', message: 'is not known here' },
      { field: 'a', message: 'is not known here' },
      { field: 'b', message: 'is not known here' },
    ]);
  });

  it('have the path of the document before them', () => {
    expect(
      fieldErrors(errorOf({ name: 'x', lines: 1 }), { path: ['details'], whole: 'details' }),
    ).toMatchObject([{ field: 'details.lines' }]);
    expect(fieldErrors(errorOf('x'), { path: ['details'], whole: 'details' })).toMatchObject([
      { field: 'details' },
    ]);
  });
});

describe('a tagged tuple', () => {
  const read = taggedTuple<['A', number] | ['B', string]>({
    A: z.tuple([z.literal('A'), z.int()]),
    B: z.tuple([z.literal('B'), z.string()]),
  });

  it('is read according to its tag', () => {
    expect(read(['A', 1])).toEqual(['A', 1]);
    expect(read(['B', 'x'])).toEqual(['B', 'x']);
  });

  it.each<[string, unknown]>([
    ['has another letter', ['C', 1]],
    ['has the name of what every object has', ['toString', 1]],
    ['has a number for a letter', [1]],
    ['is empty', []],
    ['is a text', 'A'],
    ['is nothing', undefined],
  ])('is refused when it %s', (_, stored) => {
    expect(() => read(stored)).toThrow(CorruptDataError);
    expect(() => read(stored)).toThrow(
      expect.objectContaining({
        code: 'form-unknown',
        message: 'A stored value begins with none of A, B.',
      }),
    );
  });

  it('is refused when the rest does not match its tag', () => {
    expect(() => read(['A', 'x'])).toThrow(z.ZodError);
  });
});
