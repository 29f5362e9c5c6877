/** A Scheduler claims an order: the only transition from Pending to Processing (R3). */

import type { Claim } from '#core/model/event.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import { claimsSinceOperator } from '#core/model/history.ts';
import { limits } from '#core/model/limits.ts';
import { attemptsAllowed, callPolicy, undosFirstAllowed } from '#core/model/policy.ts';
import type { OrderFault, ProcessRecord } from '#core/model/record.ts';
import { type Draft, park } from './draft.ts';
import { advance } from './forward.ts';
import { endHolds } from './settle-holds.ts';
import type { OrderContext } from './start-step.ts';
import { advanceUndo } from './undo.ts';

/** Locks the order and starts its ready steps; parks an order that was claimed too often. */
export function claim(draft: Draft, event: Claim, known: OrderContext | null): void {
  draft.lockState = { processState: 'Processing', lockedBy: event.by };
  // A claim of an order that waits for gates alone may come early.
  draft.notBefore = Math.min(draft.notBefore, draft.nowMs);
  const allowed = claimsAllowed(draft.base);
  if (claimsSinceOperator(draft.base.history) >= allowed) {
    park(draft, {
      ...faultOfOrder('too-many-claims'),
      message: `Claimed ${allowed} times without an end. Find out what interrupts it, then resubmit.`,
    });
    return;
  }
  continueOrder(draft, known);
}

/** Starts the next steps of a Processing order in its direction. `decide` parks a full one afterwards. */
export function continueOrder(draft: Draft, known: OrderContext | null): void {
  if (draft.isFull && draft.direction === 'forward') return;
  if (known === null) {
    const { workflow, workflowVersion } = draft.base;
    park(draft, {
      ...faultOfOrder('workflow-unknown'),
      message: `No workflow ${workflow}@${workflowVersion} as it was when the order was submitted. Deploy that version, then resubmit.`,
    });
  } else if (endHolds(draft, known)) return;
  else if (draft.direction === 'forward') advance(draft, known);
  else advanceUndo(draft, known);
}

function faultOfOrder(code: FaultCode): Omit<OrderFault, 'message'> {
  return { code, effect: 'none', step: null, action: null };
}

/**
 * The claims that the step policies can cause in the direction of the order, plus a reserve for restarts (R14). An undo
 * comes after attempts to perform; it may take many more, so they count only from its begin on, also those of a step that is
 * undone before it starts anew.
 */
export function claimsAllowed({ steps, direction }: ProcessRecord): number {
  let allowed: number = limits.claimsSpare;
  for (const { policy, undoFirst } of steps) {
    allowed += attemptsAllowed(policy);
    if (undoFirst !== undefined) allowed += undosFirstAllowed(policy);
    if (direction === 'undo') allowed += attemptsAllowed(callPolicy(policy, 'undo'));
  }
  return allowed;
}
