/** Explains why an order will not become Processed. */
import type { Order, OrderFault } from '#console/api/documents.ts';
import { cancelRefusalText, waysOut } from '#text/ways-out.ts';

export function faultTitle({ step, action }: OrderFault): string {
  if (step === null) return 'The order was stopped';
  return action === 'undo' ? `The undo of step ${step} failed` : `Step ${step} failed`;
}

export function effectWords({ effect }: { readonly effect: string }): string {
  return effect === 'none' ? 'It had no effect.' : 'It may have had an effect.';
}

/** What an operator does next. */
export function remedy(order: Order): string {
  if (order.processState === 'Undone') return 'All effects have been undone.';
  if (order.processState !== 'Error') return 'Reeve is undoing all effects.';
  const ways = waysOut(order).map(({ action, purpose }) => `${action} ${purpose}`);
  const refusal = cancelRefusalText(order);
  return `Remove the cause, then ${ways.join('; or ')}.${refusal === null ? '' : ` ${refusal}`}`;
}
