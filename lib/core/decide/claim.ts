/** A Scheduler takes an order: the only way from Pending to Processing (R3). */

import type { Claim } from '#core/model/event.ts';
import { claimsSinceOperator } from '#core/model/history.ts';
import { limits } from '#core/model/limits.ts';
import type { OrderFault, ProcessRecord } from '#core/model/record.ts';
import { type Draft, park } from './draft.ts';
import { advance } from './forward.ts';
import type { OrderContext } from './start-step.ts';
import { advanceUndo } from './undo.ts';

/** Starts whatever is ready; parks an order that cannot or must not go on. */
export function claim(draft: Draft, event: Claim, known: OrderContext | null): void {
  draft.lockState = { processState: 'Processing', lockedBy: event.by };
  const allowed = claimsAllowed(draft.base);
  if (claimsSinceOperator(draft.base.history) >= allowed) {
    park(draft, {
      ...ofOrder('too-many-claims'),
      message: `Claimed ${allowed} times without an end. Find out what interrupts it, then resubmit.`,
    });
    return;
  }
  continueOrder(draft, known);
}

/** Lets a Processing order take its next steps, in its direction; a full one is parked by `decide`. */
export function continueOrder(draft: Draft, known: OrderContext | null): void {
  if (draft.isFull && draft.direction === 'forward') return;
  if (known === null) {
    const { workflow, workflowVersion } = draft.base;
    park(draft, {
      ...ofOrder('workflow-unknown'),
      message: `No workflow ${workflow}@${workflowVersion} as it was when the order was submitted. Deploy that version, then resubmit.`,
    });
  } else if (draft.direction === 'forward') advance(draft, known);
  else advanceUndo(draft, known);
}

function ofOrder(code: string): Omit<OrderFault, 'message'> {
  return { code, effect: 'none', step: null, action: null };
}

/** What the steps' own policies can cause, there and back, and a reserve for restarts (R14). */
export function claimsAllowed(record: ProcessRecord): number {
  let allowed: number = limits.claimsSpare;
  for (const { policy } of record.steps) {
    allowed += 2 * (policy.retries + 1) * (policy.coolDownTimes + 1);
  }
  return allowed;
}
