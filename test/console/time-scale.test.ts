import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeScale } from '#console/chart/time-scale.ts';

const instant = fc.integer({ min: 0, max: 1_000_000 });
const busy = fc.array(
  fc.tuple(instant, instant).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })),
  { maxLength: 8 },
);

test('later is never further left, and everything lies between the edges', () => {
  fc.assert(
    fc.property(busy, fc.array(instant), (stretches, instants) => {
      const { place } = timeScale({ from: 0, to: 1_000_000 }, stretches);
      const places = instants.toSorted((a, b) => a - b).map(place);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      for (const at of places) {
        expect(at).toBeGreaterThanOrEqual(0);
        expect(at).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('what is busy is drawn to scale', () => {
  const { place, breaks } = timeScale({ from: 0, to: 1_000 }, [{ from: 0, to: 1_000 }]);
  expect([place(0), place(250), place(1_000)]).toEqual([0, 0.25, 1]);
  expect(breaks).toEqual([]);
});

test('an hour without activity is drawn short, with its length', () => {
  const hour = 3_600_000;
  const stretches = [
    { from: 0, to: 10_000 },
    { from: hour, to: hour + 10_000 },
  ];
  const { place, breaks } = timeScale({ from: 0, to: hour + 10_000 }, stretches);
  expect(breaks).toHaveLength(1);
  expect(breaks[0]?.ms).toBe(hour - 10_000);
  expect(place(10_000)).toBeGreaterThan(0.4);
  expect(place(hour)).toBeLessThan(0.6);
});
