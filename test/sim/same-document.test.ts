import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameAs, type KnownPairs } from '#checkers/same-document.ts';

const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const documents = fc.jsonValue({ maxDepth: 2 }).map(copyOf);

test('documents that share objects are compared as if each were compared alone', () => {
  fc.assert(
    fc.property(fc.array(documents, { minLength: 1 }), documents, fc.nat(), (parts, other, at) => {
      const known: KnownPairs = new WeakMap();
      const copies = parts.map(copyOf);
      for (const count of parts.keys()) {
        const [one, same] = [parts.slice(0, count + 1), copies.slice(0, count + 1)];
        expect(isSameAs(one, same, known)).toBe(true);
        const changed = same.with(at % same.length, other);
        expect(isSameAs(one, changed, known)).toBe(isDeepStrictEqual(copyOf(one), copyOf(changed)));
      }
    }),
  );
});
