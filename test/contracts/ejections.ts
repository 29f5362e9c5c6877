/** The contract of Ejections, tested through the port alone. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Ejections } from '#ports/health/ejections.ts';

const now = Date.UTC(2026, 0, 1);
const north = { url: 'https://north.example/v1?a=b#c', until: now + 5_000, count: 1 };
const south = { url: 'https://south.example', until: now + 10_000, count: 2 };

/** `openEmpty` returns new ones without a stored ejection. */
export function ejectionsContract(name: string, openEmpty: () => Promise<Ejections>): void {
  describe(`the contract of ejections: ${name}`, () => {
    let ejections: Ejections;
    beforeEach(async () => {
      ejections = await openEmpty();
    });

    const stored = async () =>
      (await ejections.read('paint')).toSorted((a, b) => a.url.localeCompare(b.url));

    test('there is none at first', async () => {
      expect(await ejections.read('paint')).toEqual([]);
    });

    test('what is stored is read, for each endpoint and agent', async () => {
      await ejections.store('paint', south, now);
      await ejections.store('paint', north, now);
      expect(await stored()).toEqual([north, south]);
      expect(await ejections.read('print')).toEqual([]);
    });

    test('of many that eject an endpoint at once, one stores it', async () => {
      const all = Array.from({ length: 20 }, (_, at) => ({
        ...north,
        until: north.until + at,
        count: 1 + at,
      }));
      const seen = await Promise.all(
        all.map(async (ejection, at) => {
          await ejections.store('paint', ejection, now + at);
          return ejections.read('paint');
        }),
      );
      const [kept, ...others] = await stored();
      expect(all).toContainEqual(kept);
      // The first one was not replaced: no read saw another.
      expect([...others, ...seen.flat()].filter(({ until }) => until !== kept?.until)).toEqual([]);
    });

    test('an ejection is stored again after it has ended', async () => {
      await ejections.store('paint', north, now);
      const next = { ...north, until: north.until + 10_001, count: 2 };
      await ejections.store('paint', next, north.until);
      expect(await stored()).toEqual([north]);
      await ejections.store('paint', next, north.until + 1);
      expect(await stored()).toEqual([next]);
    });

    test('one that a clock far ahead has written is replaced', async () => {
      await ejections.store('paint', { ...north, until: now + 86_400_000 }, now + 86_395_000);
      await ejections.store('paint', north, now);
      expect(await stored()).toEqual([north]);
    });
  });
}
