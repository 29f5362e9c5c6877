/** The fair queue does what the reference allows, over random operations with hostile names of tenants. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fairQueue } from '#core/flow/fair-queue.ts';
import { priorities } from '#core/model/record.ts';
import { reference, rounding } from './fair-queue-reference.ts';

/** With names that are special in other systems: a wildcard (trigger.dev #4628), and members of every object. */
const tenants = [null, '*', '', '__proto__', 'constructor', 'null', '\u{1f600}'.repeat(16)];

/** Mostly the first ones, so that flows have several items. */
const tenant = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...tenants.slice(0, 4)) },
  { weight: 1, arbitrary: fc.constantFrom(...tenants) },
);
const priority = fc.oneof(
  { weight: 4, arbitrary: fc.constant('normal' as const) },
  { weight: 1, arbitrary: fc.constantFrom(...priorities) },
);
const key = fc.integer({ min: 0, max: 39 }).map((number) => `k${number}`);
const weight = fc.constantFrom(0.01, 0.3, 1, 1, 2, 3, 7, 100);
type Operation =
  | readonly ['add', string, (typeof priorities)[number], string | null]
  | readonly ['remove', string]
  | readonly ['take', number]
  | readonly ['reweigh', string | null, number];
const operation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(fc.constant('add' as const), key, priority, tenant),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant('remove' as const), key) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('take' as const), fc.integer({ min: 1, max: 3 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('reweigh' as const), tenant, weight) },
) satisfies fc.Arbitrary<Operation>;

const weighted = fc.array(fc.tuple(tenant, weight));

function both() {
  const weights = new Map<string | null, number>();
  const weightOf = (name: string | null) => weights.get(name) ?? 1;
  const queue = fairQueue<string, number>({ weightOf });
  const model = reference(weightOf);
  let added = 0;

  function take(): void {
    const next = queue.peek();
    const taken = queue.take();
    expect(taken).toBe(next);
    if (taken === undefined) {
      expect(model.items()).toEqual([]);
      return;
    }
    expect(taken).toMatchObject({ item: model.served(taken.key).item });
    expect(queue.has(taken.key)).toBe(false);
  }

  return {
    queue,
    model,
    take,
    run(todo: Operation): void {
      switch (todo[0]) {
        case 'add': {
          const [, name, of, owner] = todo;
          added += 1;
          // A message without the field is of the same flow as one with null.
          const label =
            owner === null && added % 2 === 0 ? { priority: of } : { priority: of, tenant: owner };
          queue.add(name, added, label);
          model.add({ key: name, item: added, priority: of, tenant: owner });
          expect(queue.has(name)).toBe(true);
          break;
        }
        case 'remove': {
          const known = model.items().find((item) => item.key === todo[1]);
          expect(queue.remove(todo[1])?.item).toBe(known?.item);
          model.remove(todo[1]);
          break;
        }
        case 'take':
          for (let left = todo[1]; left > 0; left -= 1) take();
          break;
        case 'reweigh':
          weights.set(todo[1], todo[2]);
          queue.reweigh(todo[1]);
          model.reweigh(todo[1]);
      }
    },
  };
}

test('each item is served once, first in, first out within its flow, and no flow before its turn', () => {
  fc.assert(
    fc.property(
      weighted,
      fc.array(operation, { maxLength: 200, size: 'max' }),
      (weights, operations) => {
        const { queue, model, run, take } = both();
        for (const [of, value] of weights) run(['reweigh', of, value]);
        for (const each of operations) {
          run(each);
          expect(queue.size()).toBe(model.items().length);
          for (const of of priorities) {
            const count = model.items().filter((item) => item.priority === of).length;
            expect(queue.count(of)).toBe(count);
          }
          expect(queue.tenants()).toBeGreaterThanOrEqual(model.tenants());
        }
        for (let left = queue.size(); left >= 0; left -= 1) take();
        expect(model.items()).toEqual([]);
        expect([queue.size(), queue.tenants()]).toEqual([0, 0]);
      },
    ),
    { numRuns: 60 },
  );
});

test('no tenant is ever more items behind its share than there are other tenants (R24)', () => {
  const steady = operation.filter(([kind]) => kind === 'add' || kind === 'take');
  fc.assert(
    fc.property(
      weighted,
      fc.array(steady, { maxLength: 200, size: 'max' }),
      (weights, operations) => {
        const { model, run } = both();
        for (const [of, value] of weights) run(['reweigh', of, value]);
        for (const each of operations) {
          run(each);
          for (const { behind, allowed } of model.worst()) {
            expect(behind).toBeLessThanOrEqual(allowed + rounding);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});
