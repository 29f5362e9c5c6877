/** A state as icon, name and colour. */
import type { OrderFault, ProcessState, StepState } from '#console/api/documents.ts';
import { Icon } from './icon.tsx';
import { processStyle, type StateStyle, waitingStyle, wayBack } from './state-words.ts';

function Badge({ look, suffix = '' }: { readonly look: StateStyle; readonly suffix?: string }) {
  return (
    <span class="badge" data-tone={look.tone}>
      <Icon name={look.sign} />
      {look.word}
      {suffix}
    </span>
  );
}

interface OfOrder {
  readonly processState: ProcessState;
  readonly direction: 'forward' | 'undo';
  readonly fault: OrderFault | null;
}

/** Adds whether the order is being undone, or its undo is stuck. */
export function OrderBadge({ withStep = false, ...order }: OfOrder & { withStep?: boolean }) {
  return <Badge look={processStyle(order.processState)} suffix={wayBack(order, withStep)} />;
}

interface OfStep {
  readonly state: StepState;
  readonly attempt: number;
  /** As in the document of the order; required, so that no caller leaves it out. */
  readonly undoFirst: boolean | undefined;
}

export function StepBadge(step: OfStep) {
  return <Badge look={waitingStyle(step)} />;
}
