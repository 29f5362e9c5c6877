/** The name, icon and colour of each state; never the colour alone. */
import type { OrderFault, ProcessState, StepState } from '#console/api/documents.ts';

export type Tone = 'idle' | 'busy' | 'good' | 'bad' | 'back';
export type Sign = 'wait' | 'run' | 'check' | 'alert' | 'back' | 'skip' | 'cross';

export interface StateStyle {
  readonly word: string;
  readonly tone: Tone;
  readonly sign: Sign;
}

const processStyles: Readonly<Record<ProcessState, StateStyle>> = {
  Pending: { word: 'Pending', tone: 'idle', sign: 'wait' },
  Processing: { word: 'Processing', tone: 'busy', sign: 'run' },
  Processed: { word: 'Processed', tone: 'good', sign: 'check' },
  Error: { word: 'Error', tone: 'bad', sign: 'alert' },
  Undone: { word: 'Undone', tone: 'back', sign: 'back' },
};

const stepStyles: Readonly<Record<StepState, StateStyle>> = {
  NotStarted: { word: 'Not started', tone: 'idle', sign: 'wait' },
  Held: { word: 'Held', tone: 'idle', sign: 'wait' },
  Running: { word: 'Running', tone: 'busy', sign: 'run' },
  Completed: { word: 'Completed', tone: 'good', sign: 'check' },
  Failed: { word: 'Failed', tone: 'bad', sign: 'cross' },
  Skipped: { word: 'Skipped', tone: 'idle', sign: 'skip' },
  Undoing: { word: 'Undoing', tone: 'back', sign: 'run' },
  Undone: { word: 'Undone', tone: 'back', sign: 'back' },
};

export const processStates: readonly ProcessState[] = [
  'Pending',
  'Processing',
  'Processed',
  'Error',
  'Undone',
];

export const processStyle = (state: ProcessState): StateStyle => processStyles[state];
/** A step with an attempt that is not in flight waits for the next one. */
export function waitingStyle({
  state,
  attempt,
  undoFirst,
}: {
  readonly state: StepState;
  readonly attempt: number;
  readonly undoFirst?: boolean | undefined;
}): StateStyle {
  if (state === 'Held' && undoFirst)
    return { word: 'Held to be undone', tone: 'back', sign: 'wait' };
  if (state === 'NotStarted' && attempt > 0) return { word: 'Waiting', tone: 'back', sign: 'wait' };
  return stepStyle(state);
}

interface OnItsWay {
  readonly processState: ProcessState;
  readonly direction: 'forward' | 'undo';
  readonly fault: Pick<OrderFault, 'step'> | null;
}

/**
 * The addition to the state of an order that is being undone. In Error its undo is stuck.
 * `withStep`: when the step is not shown beside it.
 */
export function wayBack({ processState, direction, fault }: OnItsWay, withStep: boolean): string {
  if (direction === 'forward' || processState === 'Undone') return '';
  if (processState !== 'Error') return ', undoing';
  const step = fault?.step ?? null;
  return withStep && step !== null ? `: undo of ${step} is stuck` : ': undo is stuck';
}

export const stepStyle = (state: StepState): StateStyle => stepStyles[state];
