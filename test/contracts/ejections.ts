/** The contract of Ejections, tested through the port alone. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Ejections } from '#ports/ejections.ts';

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
      expect(await ejections.store('paint', south, now)).toBe(true);
      expect(await ejections.store('paint', north, now)).toBe(true);
      expect(await stored()).toEqual([north, south]);
      expect(await ejections.read('print')).toEqual([]);
    });

    test('of many that eject an endpoint at once, one stores it', async () => {
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          ejections.store('paint', { ...north, until: north.until + at }, now + at),
        ),
      );
      expect(all.filter(Boolean)).toHaveLength(1);
    });

    test('an ejection is stored again after it has ended', async () => {
      await ejections.store('paint', north, now);
      const next = { ...north, until: north.until + 10_001, count: 2 };
      expect(await ejections.store('paint', next, north.until)).toBe(false);
      expect(await ejections.store('paint', next, north.until + 1)).toBe(true);
      expect(await stored()).toEqual([next]);
    });

    test('one that a clock far ahead has written is replaced', async () => {
      await ejections.store('paint', { ...north, until: now + 86_400_000 }, now + 86_395_000);
      expect(await ejections.store('paint', north, now)).toBe(true);
      expect(await stored()).toEqual([north]);
    });
  });
}
