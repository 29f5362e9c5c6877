/** The command line and the console advise what Reeve accepts, and nothing that it refuses. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderSchema } from '#cli/api/response-schemas.ts';
import { troubleLines } from '#cli/output/order-text.ts';
import { remedy } from '#console/order/fault-words.ts';
import { decide } from '#core/decide/decide.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { orderView } from '#http/view.ts';
import { lived, lives } from '../console/scenario.ts';
import type { Happening } from '../support/happenings.ts';
import { details, house, newOrder } from '../support/orders.ts';

const { order } = newOrder('one', 0);
const registry = workflowRegistry([house]);

const withIrreversible = (record: ProcessRecord, steps: readonly number[]): ProcessRecord => ({
  ...record,
  steps: record.steps.map((step, at) =>
    steps.includes(at) ? { ...step, policy: { ...step.policy, irreversible: true } } : step,
  ),
});

/** In some a step is done before the rest; `park` stops an order that is claimed. */
const beginnings = fc.constantFrom<readonly Happening[]>([], ['claim', 'succeed', 'park']);

const accepts = (record: ProcessRecord, type: 'resubmit' | 'cancel') =>
  decide(record, { type, by: 'ada' }, { definition: house, details }, record.updatedAt + 1).kind ===
  'transition';

const linesOf = (document: object) => {
  const known = orderSchema.parse(JSON.parse(JSON.stringify(document)));
  return troubleLines(known, { paint: (_, text) => text, addressOptions: [] }).join('\n');
};

test('a resubmit and a cancel are advised exactly where Reeve accepts them', () => {
  let irreversible = 0;
  fc.assert(
    fc.property(beginnings, lives, fc.subarray([0, 1, 2]), (begin, life, steps) => {
      const record = withIrreversible(lived([...begin, ...life, 'park']).record, steps);
      if (record.processState !== 'Error') return;
      const document = orderView(record, order, registry);
      const [lines, words] = [linesOf(document), remedy(document)];
      for (const action of ['resubmit', 'cancel'] as const) {
        const isAccepted = accepts(record, action);
        expect(lines.includes(`reeve ${action} one`), lines).toBe(isAccepted);
        expect(words.includes(`${action} to `), words).toBe(isAccepted);
      }
      const isPast = document.actions.cancel === 'irreversible';
      irreversible += isPast ? 1 : 0;
      for (const text of [lines, words]) expect(text.includes('irreversible step')).toBe(isPast);
    }),
    { numRuns: 1_000 },
  );
  expect(irreversible).toBeGreaterThan(0);
});

test('of an older Reeve, which says nothing of the actions, only the resubmit is certain', () => {
  const { record } = lived(['park']);
  expect(record.processState).toBe('Error');
  const { actions: _, ...older } = orderView(record, order, registry);
  expect(linesOf(older)).toContain('reeve resubmit one');
  expect(linesOf(older)).not.toContain('cancel');
});
