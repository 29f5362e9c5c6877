/** What the fair queue gives to classes and tenants, counted over every prefix and every window. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classWeights } from '#core/flow/fair-queue.ts';
import { priorities } from '#core/model/record.ts';
import { countOf, names } from './fair-queue-names.ts';

test('the classes are served by 16 : 4 : 1, each round with the highest class first', () => {
  const { addTo, take } = names();
  for (const priority of priorities.toReversed()) addTo(priority, 1_000);
  const rounds = Array.from({ length: 10 }, () => take(21));
  expect(rounds[0]).toMatch(/^high normal low high high/);
  for (const round of rounds) {
    expect(priorities.map((priority) => countOf(round, priority))).toEqual([16, 4, 1]);
  }
});

test('a class without work gives its share to the others in their proportion', () => {
  const { addTo, take } = names();
  addTo('high', 1_000);
  addTo('low', 1_000);
  expect(countOf(take(170), 'low')).toBe(10);
});

test('a class that had no work for long has no credit', () => {
  const { addTo, take } = names();
  addTo('low', 5_000);
  take(3_000);
  addTo('high', 1_000);
  const next = take(171);
  expect(next).toMatch(/^high/);
  expect(countOf(next, 'low')).toBeGreaterThanOrEqual(10);
});

test('a class gets its share over every window in which it has work, however the others come and go (R24)', () => {
  const arrival = fc.tuple(fc.constantFrom(...priorities), fc.integer({ min: 0, max: 12 }));
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 120, size: 'max' }), (arrivals) => {
      const { queue, addTo, take } = names();
      /** By class: how far it is below its least share since its work began, at the most. */
      const behind = { high: 0, normal: 0, low: 0 };
      for (const [priority, count] of arrivals) {
        addTo(priority, count);
        for (let left = 3; left > 0 && queue.size() > 0; left -= 1) {
          const served = take(1);
          for (const each of priorities) {
            const change = classWeights[each] / 21 - (each === served ? 1 : 0);
            // A class without work begins anew.
            behind[each] = queue.count(each) > 0 ? Math.max(0, behind[each] + change) : 0;
          }
          // Two items for the other classes, each at most one ahead, and one by which the window may begin ahead.
          const late = priorities.filter((each) => behind[each] > 3);
          expect(late).toEqual([]);
        }
      }
    }),
    { numRuns: 100 },
  );
});

test('each tenant gets its share by weight over every prefix, and at most one item more (R24)', () => {
  const weights = fc.array(fc.constantFrom(0.25, 1, 1, 3, 10), {
    minLength: 1,
    maxLength: 12,
    size: 'max',
  });
  fc.assert(
    fc.property(weights, (values) => {
      const byName = Object.fromEntries(values.map((value, at) => [`t${at}`, value]));
      const { add, take } = names(byName);
      for (const name of Object.keys(byName)) add(name, 400);
      const sum = values.reduce((total, value) => total + value, 0);
      const served = new Map<string, number>();
      for (let taken = 1; taken <= 400; taken += 1) {
        const name = take(1);
        served.set(name, (served.get(name) ?? 0) + 1);
        const wrong = Object.entries(byName).filter(([tenant, value]) => {
          const share = value / sum;
          const ahead = (served.get(tenant) ?? 0) - taken * share;
          return ahead < -share * (values.length - 1) - 1e-6 || ahead > 1 + 1e-6;
        });
        expect(wrong).toEqual([]);
      }
    }),
    { numRuns: 100 },
  );
});

test('tenants of equal weight with work are served equally for every size of their backlogs (Jain index)', () => {
  const backlogs = fc.array(fc.integer({ min: 100, max: 2_000 }), {
    minLength: 2,
    maxLength: 30,
    size: 'max',
  });
  fc.assert(
    fc.property(backlogs, fc.integer({ min: 0, max: 20 }), (sizes, more) => {
      const { add, take } = names();
      for (const [at, size] of sizes.entries()) add(`t${at}`, size);
      const served = take(20 * sizes.length + more);
      const counts = sizes.map((_, at) => countOf(served, `t${at}`));
      const sum = counts.reduce((total, count) => total + count, 0);
      const squares = counts.reduce((total, count) => total + count * count, 0);
      expect((sum * sum) / (counts.length * squares)).toBeGreaterThanOrEqual(0.99);
    }),
    { numRuns: 50 },
  );
});

test('a late tenant is served within one round of the others', () => {
  const many = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(many, fc.integer({ min: 0, max: 500 }), (tenants, before) => {
      const { add, take } = names();
      for (let at = 0; at < tenants; at += 1) add(`t${at}`, 600);
      take(before);
      add('late');
      expect(countOf(take(tenants + 1), 'late')).toBe(1);
    }),
    { numRuns: 100 },
  );
});

test('a tenant that had no work for long gets no burst', () => {
  const { add, take } = names();
  add('rare');
  add('steady', 3_000);
  take(1_500);
  add('rare', 500);
  expect(countOf(take(200), 'steady')).toBeGreaterThanOrEqual(99);
});

test('a tenant that has one item at a time gets no more than its share', () => {
  const { add, take } = names();
  add('steady', 1_000);
  let steady = 0;
  for (let turn = 0; turn < 100; turn += 1) {
    add('single');
    // The single item is gone with one of the next two, and comes back alone.
    steady += countOf(take(2), 'steady');
  }
  expect(steady).toBe(100);

  const other = names();
  other.add('steady', 1_000);
  let single = 0;
  for (let turn = 0; turn < 200; turn += 1) {
    if (!other.queue.has(-1)) other.queue.add(-1, 'single', { priority: 'normal', tenant: 's' });
    single += countOf(other.take(1), 'single');
  }
  expect(single).toBeGreaterThanOrEqual(99);
  expect(single).toBeLessThanOrEqual(101);
});

test('an endless sequence of new tenants does not starve a tenant that waits (trigger.dev #4367)', () => {
  const { add, take } = names();
  add('steady', 1_000);
  let steady = 0;
  for (let turn = 0; turn < 300; turn += 1) {
    add(`new-${turn}`);
    steady += countOf(take(1), 'steady');
  }
  expect(steady).toBeGreaterThanOrEqual(15);

  const calm = names();
  calm.add('steady', 1_000);
  const served = Array.from({ length: 300 }, (_, turn) => {
    calm.add(`new-${turn}`);
    return calm.take(2);
  });
  expect(countOf(served.join(' '), 'steady')).toBeGreaterThanOrEqual(298);
});

test('virtual time does not wind up: after a million items a new tenant is served as at the start (kubernetes #95986)', () => {
  const { add, take } = names({ a: 0.3, b: 7 });
  /** The number of items of `tenant` among the next ones, each of which is followed by another of its tenant. */
  const circulate = (items: number, tenant: string) => {
    let count = 0;
    for (let left = items; left > 0; left -= 1) {
      const name = take(1);
      if (name === tenant) count += 1;
      add(name);
    }
    return count;
  };
  add('a', 10);
  add('b', 10);
  circulate(1_000_000, 'a');
  add('new', 10);
  const served = circulate(830, 'new');
  expect(served).toBeGreaterThanOrEqual(99);
  expect(served).toBeLessThanOrEqual(101);
});
