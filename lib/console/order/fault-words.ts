/** Explains why an order will not become Processed. */
import type { Order, OrderFault } from '#console/api/documents.ts';

export function faultTitle({ step, action }: OrderFault): string {
  if (step === null) return 'The order was stopped';
  return action === 'undo' ? `The undo of step ${step} failed` : `Step ${step} failed`;
}

export function effectWords({ effect }: { readonly effect: string }): string {
  return effect === 'none' ? 'It had no effect.' : 'It may have had an effect.';
}

/** The actions that an operator can take. */
export function remedy({ processState, direction }: Order): string {
  if (processState === 'Undone') return 'All effects have been undone.';
  if (processState !== 'Error') return 'Reeve is undoing all effects.';
  return direction === 'undo'
    ? 'Remove the cause, then resubmit to repeat the undo.'
    : 'Remove the cause, then resubmit to repeat the step; or cancel to undo all effects.';
}
