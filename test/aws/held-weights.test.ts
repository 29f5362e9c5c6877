/** The weights of tenants, by what names them in the index of held orders. */
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
