/** Formats a state as symbol and name. */
import type { ProcessState, StepState } from '#cli/api/response-schemas.ts';
import type { Paint } from './paint.ts';

const looks = {
  NotStarted: ['○', 'dim'],
  Held: ['◌', 'yellow'],
  Running: ['●', 'cyan'],
  Completed: ['✓', 'green'],
  Failed: ['✗', 'red'],
  Skipped: ['–', 'dim'],
  Undoing: ['↶', 'yellow'],
  Undone: ['↶', 'yellow'],
  Pending: ['○', 'dim'],
  Processing: ['●', 'cyan'],
  Processed: ['✓', 'green'],
  Error: ['✗', 'red'],
} as const satisfies Record<ProcessState | StepState, readonly [string, Parameters<Paint>[0]]>;

export function stateText(state: ProcessState | StepState, paint: Paint): string {
  const [symbol, style] = looks[state];
  return paint(style, `${symbol} ${state}`);
}

/** Puts the symbol of a state before a name. */
export function marked(state: ProcessState | StepState, name: string, paint: Paint): string {
  const [symbol, style] = looks[state];
  return `${paint(style, symbol)} ${name}`;
}
