/** A state: its sign, its word, its tone. */
import type { ProcessState, StepState } from './documents.ts';
import { Icon } from './icon.tsx';
import { processLook, type StateLook, standingLook } from './state-words.ts';

function Badge({ look, suffix = '' }: { readonly look: StateLook; readonly suffix?: string }) {
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
}

/** An order on its way back says so, whatever its state. */
export function OrderBadge({ processState, direction }: OfOrder) {
  const isTurned = direction === 'undo' && processState !== 'Undone';
  return <Badge look={processLook(processState)} suffix={isTurned ? ', undoing' : ''} />;
}

interface OfStep {
  readonly state: StepState;
  readonly attempt: number;
}

export function StepBadge(step: OfStep) {
  return <Badge look={standingLook(step)} />;
}
