/** The total of an order. */
import { expect, test } from 'vitest';
import { exampleOrder } from '#workflows/example-order.ts';
import { amountCents, orderDetailsSchema } from '#workflows/order-details.ts';

test.each([
  [[[1, 2_490]], 2_490],
  [[[3, 100]], 300],
  [
    [
      [2, 100],
      [1, 5],
      [10_000, 0],
    ],
    205,
  ],
])('lines of %j cost %i', (lines, total) => {
  const details = orderDetailsSchema.parse({
    ...exampleOrder.details,
    lines: lines.map(([quantity, unitPriceCents]) => ({ sku: 'x', quantity, unitPriceCents })),
  });
  expect(amountCents(details)).toBe(total);
});
