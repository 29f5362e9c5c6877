/** What names tenants in the index of held orders, and their weights by it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { heldFlowOf, heldWeights } from '#aws/store/held-key.ts';

test('a tenant has its weight by its text in the index; others, and orders without a tenant, have 1', () => {
  const weightOf = heldWeights(
    new Map([
      ['inn', 4],
      ['__proto__', 0.5],
    ]),
  );
  const weights = ['inn', '__proto__', 'bar', null].map((tenant) => weightOf(heldFlowOf(tenant)));
  expect(weights).toEqual([4, 0.5, 1, 1]);
});

test('a tenant is named by a hash, so that no text of a caller is part of a key', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(heldFlowOf(one)).toMatch(/^[0-9a-f]{16}$/);
      expect(heldFlowOf(one) === heldFlowOf(other)).toBe(one === other);
    }),
  );
  expect(heldFlowOf('-')).not.toBe(heldFlowOf(null));
  // As in the keys of the orders that wait now.
  expect(heldFlowOf('inn')).toBe('e0dc0ad7ac4bba71');
});
