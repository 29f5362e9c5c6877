/** The ways out of Error that Reeve accepts now, in words. */

/** An order in Error, as its document has it. */
interface StoppedOrder {
  readonly direction: string;
  readonly fault: { readonly step: string | null; readonly action: string | null } | null;
  /** Null: Reeve accepts the action; else why it refuses it. */
  readonly actions: { readonly resubmit: string | null; readonly cancel: string | null };
}

/** An action, and what it is for: `resubmit`, `to repeat the step`. */
interface WayOut {
  readonly action: 'resubmit' | 'cancel';
  readonly purpose: string;
}

/** The actions that Reeve accepts; no others, so that an operator is never sent to a refusal. */
export function waysOut(order: StoppedOrder): readonly WayOut[] {
  const all: readonly WayOut[] = [
    { action: 'resubmit', purpose: resubmitPurpose(order) },
    { action: 'cancel', purpose: 'to undo all effects' },
  ];
  return all.filter(({ action }) => order.actions[action] === null);
}

/** Why the order cannot be undone, as a sentence; null where it can, or is being undone. */
export const cancelRefusalText = ({ actions }: Pick<StoppedOrder, 'actions'>): string | null =>
  actions.cancel === 'irreversible'
    ? 'It cannot be cancelled: an irreversible step happened, or may have happened.'
    : null;

function resubmitPurpose({ direction, fault }: StoppedOrder): string {
  if (direction === 'undo' || fault?.action === 'undo') return 'to repeat the undo';
  return (fault?.step ?? null) === null ? 'to continue' : 'to repeat the step';
}
