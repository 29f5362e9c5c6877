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
export function remedy({ processState, direction, fault }: Order): string {
  if (processState === 'Undone') return 'All effects have been undone.';
  if (processState !== 'Error') return 'Reeve is undoing all effects.';
  if (direction === 'undo') return 'Remove the cause, then resubmit to repeat the undo.';
  const call = fault?.action === 'undo' ? 'undo' : 'step';
  return `Remove the cause, then resubmit to repeat the ${call}; or cancel to undo all effects.`;
}
