/** Orders with random histories, as the API shows them, and their records. */
import fc from 'fast-check';
import type { Order, SummaryDocument } from '#console/api/documents.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { orderView } from '#http/view.ts';
import { type Happening, happened, happenings } from '../support/happenings.ts';
import { house, newOrder } from '../support/orders.ts';

const registry = workflowRegistry([house]);

export const start = Date.UTC(2026, 0, 1);

export interface Lived {
  readonly record: ProcessRecord;
  readonly order: Order;
}

/** `gapMs`: between two things that happen. */
export function lived(life: readonly Happening[], gapMs = 1_000): Lived {
  const { order, record: first } = newOrder('one', start);
  let record: ProcessRecord = first;
  for (const [at, happening] of life.entries()) {
    const now = Math.max(start + (at + 1) * gapMs, record.updatedAt + 1);
    record = happened(record, happening, now, `w${at}`) ?? record;
  }
  return { record, order: orderView(record, order, registry) };
}

export const lives = fc.array(fc.constantFrom(...happenings), { maxLength: 40 });

const submittedAt = new Date(start).toISOString();

/** An order in a listing. */
export const summary = (orderId: string, more: Partial<SummaryDocument> = {}): SummaryDocument => ({
  orderId,
  workflow: 'house',
  workflowVersion: 1,
  processState: 'Error',
  direction: 'forward',
  fault: null,
  priority: 'normal',
  tenant: null,
  correlationId: null,
  revision: 1,
  submittedAt,
  updatedAt: submittedAt,
  actions: { resubmit: null, correct: null, cancel: null, reprioritise: null },
  ...more,
});
