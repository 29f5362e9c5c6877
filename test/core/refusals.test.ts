/** Texts of schema errors, and tagged tuples of stored unions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  errorsLengthMax,
  errorsMax,
  faultyFields,
  fieldErrors,
  fieldFaults,
} from '#core/codec/field-errors.ts';
import { submittedDetails } from '#core/codec/submitted-details.ts';
import { taggedTuple } from '#core/codec/tagged-tuple.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { CorruptDataError } from '#core/model/errors.ts';

const pay = defineAgent({
  ...{ name: 'pay', input: z.object({}), output: z.object({}), undo: 'unneeded' },
});

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

describe('the errors of a document with very many', () => {
  it('are the first twenty, and the number of the others', () => {
    const { error } = z.array(z.int()).safeParse(Array(43_000).fill(''));
    if (error === undefined) throw new Error('was accepted');
    const errors = fieldErrors(error, { path: ['lines'], whole: 'lines' });
    expect(errors).toEqual([
      ...Array.from({ length: 20 }, (_, at) => ({
        field: `lines.${at}`,
        message: 'must be a number',
      })),
      { field: 'lines', message: 'has 42980 more errors' },
    ]);
    const names = Array.from({ length: 20 }, (_, at) => String(at)).join(', ');
    expect(faultyFields(error, 'lines')).toBe(`${names}, and 42980 more`);
    expect(fieldFaults(error, 'lines')).toBe(`${names}, and 42980 more`);
  });

  it('are counted where one key after the other is not known', () => {
    const keys = Array.from({ length: 22 }, (_, at) => [`k${at}`, 1]);
    const errors = fieldErrors(errorOf({ name: 'x', lines: [], ...Object.fromEntries(keys) }), {
      whole: 'body',
    });
    expect(errors.at(-2)).toEqual({ field: 'k19', message: 'is not known here' });
    expect(errors.at(-1)).toEqual({ field: 'body', message: 'has 2 more errors' });
    expect(errors).toHaveLength(21);
  });

  it('have limited names and messages, which stay whole characters', async () => {
    const text = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.string({ unit: 'binary', minLength: 190, maxLength: 3_000, size: 'max' }),
      fc.constant('😀'.repeat(1_000)),
    );
    const issue = fc.record({ path: fc.array(text, { maxLength: 3 }), message: text });
    await fc.assert(
      fc.asyncProperty(fc.array(issue, { maxLength: 40, size: 'max' }), async (issues) => {
        const error = new z.ZodError(
          issues.map(({ path, message }) => ({
            ...{ code: 'custom', input: null },
            ...{ path: path.map((part) => part.toWellFormed()), message: message.toWellFormed() },
          })),
        );
        const errors = fieldErrors(error, { whole: 'body' });
        const [listed, more] =
          errors.length === issues.length
            ? [errors, undefined]
            : [errors.slice(0, -1), errors.at(-1)];
        expect(listed.length).toBeLessThanOrEqual(errorsMax);
        const left = issues.length - listed.length;
        expect(more?.message).toBe(
          left === 0 ? undefined : `has ${left} more ${left === 1 ? 'error' : 'errors'}`,
        );
        const texts = listed.flatMap(({ field, message }) => [field, message]);
        expect(texts.join('').length).toBeLessThanOrEqual(errorsLengthMax);
        for (const { field, message } of errors) {
          expect(field.length).toBeLessThanOrEqual(200);
          expect(message.length).toBeLessThanOrEqual(500);
          expect((field + message).isWellFormed()).toBe(true);
        }
        // At least one, however long it is.
        expect(listed.length).toBeGreaterThanOrEqual(Math.min(1, issues.length));
      }),
    );
  });
});

describe('the details of an order with very many errors', () => {
  const { details } = defineWorkflow({
    name: 'parcels',
    version: 1,
    details: z.object({
      lines: z.array(
        z.object(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, z.string()]))),
      ),
      pages: z.array(z.array(z.strictObject({ a: z.int(), b: z.int(), c: z.int() }))).optional(),
    }),
  })
    .step('pay', { agent: pay, onFault: 'hold', input: () => ({}) })
    .build();
  const issuesOf = (document: unknown) =>
    submittedDetails({ name: 'parcels', version: 1, details }, document).error?.issues ?? [];

  it('are all collected of a small document', () => {
    expect(issuesOf({ lines: Array(5).fill({}) })).toHaveLength(100);
  });

  it.each([
    ['items', { lines: Array(43_000).fill({}) }],
    // zod would call a function with 129,000 arguments, and throw a RangeError.
    ['items within items', { lines: [], pages: [Array(43_000).fill({})] }],
  ])('are the first of a large document with %s, and one that says so', (_, document) => {
    const issues = issuesOf(document);
    expect(issues.length).toBeGreaterThanOrEqual(2);
    expect(issues.length).toBeLessThan(40);
    expect(issues.at(-1)?.message).toBe('has more than 100 values: there may be further errors');
  });

  it('are counted, where zod collects more than are listed', () => {
    const prices = defineWorkflow({
      name: 'prices',
      version: 1,
      details: z.object({ prices: z.record(z.string(), z.number()) }),
    })
      .step('pay', { agent: pay, onFault: 'hold', input: () => ({}) })
      .build();
    const document = {
      prices: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [at, 'x'])),
    };
    const { error } = submittedDetails(prices, document);
    const errors = error === undefined ? [] : fieldErrors(error, { whole: 'details' });
    expect(errors.at(-1)).toEqual({ field: 'details', message: 'has 180 more errors' });
  });

  it('decide what a schema makes of a part that it catches, all of them', () => {
    const lenient = defineWorkflow({
      name: 'items',
      version: 1,
      details: z.object({
        items: z.array(z.int()).catch(({ value, issues }) => {
          const faulty = new Set(issues.map(({ path }) => path?.[0]));
          return Array.isArray(value) ? value.filter((_, at) => !faulty.has(at)) : [];
        }),
      }),
    })
      .step('pay', { agent: pay, onFault: 'hold', input: () => ({}) })
      .build();
    const items = Array.from({ length: 150 }, (_, at) => (at % 10 === 0 ? 'bad' : at));
    const { data } = submittedDetails(lenient, { items });
    expect(data).toEqual({ items: items.filter((item) => item !== 'bad') });
  });

  it('are none where a large document fits', () => {
    const line = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, 'x']));
    expect(issuesOf({ lines: Array(1_000).fill(line) })).toEqual([]);
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
