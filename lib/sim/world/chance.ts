/** Seeded random numbers: the same seed gives the same numbers on every machine. */
import type { Random } from '#ports/random.ts';

export interface Chance extends Random {
  /** Whether an event with this rate, 0 to 1, happens. */
  hits(rate: number): boolean;
  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

/**
 * sfc32 (Chris Doty-Humphrey, PractRand): four words of state and a few shifts per number, with independent results
 * for neighbouring seeds.
 */
export function chance(seed: number): Chance {
  let a = 0x9e3779b9;
  let b = seed >>> 0;
  let c = Math.floor(seed / 2 ** 32) >>> 0;
  let counter = 1;

  function word(): number {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
  // By its author's advice: the first dozen numbers still depend on the seed.
  for (let turn = 0; turn < 12; turn += 1) word();

  const next = () => word() / 2 ** 32;
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    hits: (rate) => rate > 0 && next() < rate,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
  };
}
