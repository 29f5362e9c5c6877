import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { fieldErrors } from '#core/codec/field-errors.ts';
import { namedValues } from '#core/codec/named-values.ts';

const schema = namedValues(z.string().max(20), z.int());

test('an object is read with all of its names, or refused', () => {
  const name = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', ''),
  );
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 4 }), (names) => {
      const text = `{${names.map((each) => `${JSON.stringify(each)}:1`).join()}}`;
      const { data, error } = schema.safeParse(JSON.parse(text));
      if (names.includes('__proto__')) {
        expect(error && fieldErrors(error, { whole: 'set' })).toEqual([
          { field: '__proto__', message: 'is a name that cannot be used; choose another' },
        ]);
      } else expect(JSON.stringify(data)).toBe(JSON.stringify(JSON.parse(text)));
    }),
    { examples: [[['__proto__']], [['a', '__proto__']]] },
  );
});

test.each([[null], [[]], ['x'], [undefined]])('%j is no object', (value) => {
  const { error } = schema.safeParse(value);
  expect(error && fieldErrors(error, { whole: 'set' })).toHaveLength(1);
});
