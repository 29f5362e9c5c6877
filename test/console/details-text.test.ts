/** What the page of an order says of its details. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { detailsText } from '#console/order/details-text.ts';
import { decide } from '#core/decide/decide.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { orderView } from '#http/view.ts';
import { details, house, newOrder } from '../support/orders.ts';
import { lived, lives } from './scenario.ts';

const { order } = newOrder('one', 0);
const registry = workflowRegistry([house]);
const colour = { field: 'colour', value: 'green' };

test('details that are shown with corrections say so, and no others do', () => {
  let corrected = 0;
  fc.assert(
    fc.property(lives, fc.boolean(), (life, isCorrected) => {
      const { record } = lived([...life, 'park']);
      const corrections = isCorrected ? [colour] : [];
      const decision = decide(
        record,
        { type: 'resubmit', by: 'ada', corrections },
        { definition: house, details },
        record.updatedAt + 1,
      );
      const after = decision.kind === 'transition' ? decision.record : record;
      const shown = orderView(after, order, registry);
      const differs = JSON.stringify(shown.details) !== JSON.stringify(details);
      corrected += differs ? 1 : 0;
      expect(detailsText(shown)).toBe(
        differs ? 'as they were submitted, with corrections' : 'as they were submitted',
      );
    }),
  );
  expect(corrected).toBeGreaterThan(0);
});
