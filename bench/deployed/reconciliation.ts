/** Whether all that was submitted has come to its end, once, and nothing is left: what `npm run bench:deployed` must find. */
import type { ProcessRecord } from '#core/model/record.ts';
import { type LedgerEntry, reconcileEntries } from '../../test/crash/reconcile.ts';
import type { Submission } from './submission.ts';

export interface Evidence {
  readonly submissions: readonly Submission[];
  /** All orders that the deployment has stored. */
  readonly orders: readonly Pick<ProcessRecord, 'orderId' | 'processState'>[];
  /** What each order charges. */
  readonly amountCents: number;
  /** The ledger of the services. */
  readonly entries: readonly LedgerEntry[];
  /** The messages in each queue, dead-letter queues included. */
  readonly left: ReadonlyMap<string, number>;
}

/** One sentence for each thing that does not agree; none when all is reconciled. */
export function faultsOf(evidence: Evidence): readonly string[] {
  const { submissions, orders, amountCents, entries, left } = evidence;
  const ends = orders.flatMap(({ orderId, processState }) =>
    processState === 'Processed' || processState === 'Undone'
      ? [{ orderId, processState, amountCents }]
      : [],
  );
  // Of an order that has not ended, the effects may be some: that it has not ended is the fault.
  const ended = new Set<string>(ends.map(({ orderId }) => orderId));
  const stored = new Set<string>(orders.map(({ orderId }) => orderId));
  const settled = entries.filter(({ key }) => {
    const [orderId = ''] = key.split('/');
    return ended.has(orderId) || !stored.has(orderId);
  });
  return [
    ...submissions.flatMap(faultsOfSubmission),
    ...faultsOfAccepted(submissions, orders),
    ...orders.flatMap(({ orderId, processState }) =>
      processState === 'Processed' || processState === 'Undone'
        ? []
        : [`order ${orderId} is ${processState}`],
    ),
    ...reconcileEntries(ends, settled).faults,
    ...[...left].flatMap(([queue, messages]) =>
      messages === 0 ? [] : [`messages left in ${queue}: ${messages}`],
    ),
  ];
}

function faultsOfSubmission({ key, outcome, refusals }: Submission): string[] {
  const unnamed = refusals.filter(({ retryAfterMs }) => retryAfterMs === null).length;
  return [
    ...(unnamed === 0 ? [] : [`refusals of ${key} without a Retry-After: ${unnamed}`]),
    ...(outcome.kind === 'failed' ? [`${key} was not accepted: ${outcome.reason}`] : []),
  ];
}

/** Each accepted submission is one stored order, and each stored order one accepted submission. */
function faultsOfAccepted(
  submissions: readonly Submission[],
  orders: Evidence['orders'],
): readonly string[] {
  const stored = new Set<string>(orders.map(({ orderId }) => orderId));
  const accepted = Map.groupBy(
    submissions.flatMap(({ key, outcome }) =>
      outcome.kind === 'accepted' ? [{ key, orderId: outcome.orderId }] : [],
    ),
    ({ orderId }) => orderId,
  );
  return [
    ...[...accepted].flatMap(([orderId, those]) => {
      const keys = those.map(({ key }) => key).join(', ');
      return [
        ...(stored.has(orderId) ? [] : [`order ${orderId} of ${keys} is lost`]),
        ...(those.length === 1 ? [] : [`${keys} are all order ${orderId}`]),
      ];
    }),
    ...[...stored].flatMap((orderId) =>
      accepted.has(orderId) ? [] : [`order ${orderId} is of no accepted submission`],
    ),
  ];
}
