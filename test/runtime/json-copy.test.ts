import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonCopy, plainCopy } from '#runtime/copies/json-copy.ts';

/** Whether the two have a list or an object in common. */
function share(one: unknown, other: unknown): boolean {
  const parts = (value: unknown): readonly object[] =>
    typeof value === 'object' && value !== null
      ? [value, ...Object.values(value).flatMap(parts)]
      : [];
  const known = new Set(parts(one));
  return parts(other).some((part) => known.has(part));
}

/** Documents with a key that is that of a prototype elsewhere. */
const documents = fc
  .jsonValue({ maxDepth: 5 })
  .chain((value) =>
    fc.constantFrom(value, { value, ['__proto__']: { value } }, [
      value,
      { __proto__: null, value },
    ]),
  );

test('a copy has the content of the text of the document, and shares nothing with it', () => {
  fc.assert(
    fc.property(documents, (document) => {
      const read: unknown = JSON.parse(JSON.stringify(document));
      expect(jsonCopy(document)).toStrictEqual(read);
      expect(share(jsonCopy(document), document)).toBe(false);
      expect(share(plainCopy(document), document)).toBe(false);
      expect(plainCopy(read)).toEqual(read);
    }),
  );
});

class Money {
  readonly cents = 5;
  readonly parts = [1];
  twice() {
    return 2 * this.cents;
  }
}

test('what code gives is copied as its text says: without what is undefined, and plain', () => {
  const given = { left: undefined, zero: -0, money: new Money() };
  expect(jsonCopy(given)).toStrictEqual(JSON.parse(JSON.stringify(given)));
});

test('what is no JSON stays as it is, so that the check after the copy refuses it', () => {
  const odd = { at: new Date(0), of: new Map(), run: () => 1, big: 1n };
  const copy = jsonCopy(odd);
  expect(copy).toEqual(odd);
  expect(copy.at).toBe(odd.at);
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  expect(jsonCopy(cyclic)).toHaveProperty('self.self.self');
  // Lists that share one value, with more values than any memory.
  let wide: unknown = 1;
  for (let level = 0; level < 60; level += 1) wide = [wide, wide];
  expect(jsonCopy(wide)).toHaveLength(2);
});

test('what Reeve gives keeps what the schema of an agent made of it', () => {
  const money = new Money();
  const copy = plainCopy({ money, left: undefined });
  expect(copy.money).toBe(money);
  expect(Object.keys(copy)).toEqual(['money', 'left']);
});
