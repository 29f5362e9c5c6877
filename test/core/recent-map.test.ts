/** A bounded map: the value that was set least recently is forgotten, and no other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recentMap } from '#core/model/recent-map.ts';

const operations = fc.array(
  fc.record({ kind: fc.constantFrom('set', 'delete'), name: fc.constantFrom(...'abcdefg') }),
  { maxLength: 40 },
);

test('it has the names that were set last, as many as it may have', () => {
  fc.assert(
    fc.property(operations, fc.integer({ min: 1, max: 5 }), (all, most) => {
      const map = recentMap<number>(most);
      let recent: (readonly [string, number])[] = [];
      for (const [at, { kind, name }] of all.entries()) {
        recent = recent.filter(([other]) => other !== name);
        if (kind === 'set') {
          map.set(name, at);
          recent = [...recent, [name, at] as const].slice(-most);
        } else {
          map.delete(name);
        }
        expect([...map.entries()]).toEqual(recent);
        for (const one of 'abcdefg') expect(map.get(one)).toBe(new Map(recent).get(one));
      }
    }),
  );
});
