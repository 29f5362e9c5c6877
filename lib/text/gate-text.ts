/** Why a step is held, in words. */
const reasons: Readonly<Record<string, string>> = {
  concurrency: 'which has as many calls as it can begin',
  circuit: 'circuit open',
  limit: 'limit reached',
  drained: 'drained by an operator',
};

/** The words after the name of the agent where a step waits to be undone. */
const undoFirstText = ', to be undone there before it starts anew';

interface WaitOfStep {
  readonly agent: string;
  readonly gate: string;
  readonly undoFirst: boolean;
}

/** What a step waits for that waits for its agent, and why; the gate itself for one of a newer release. */
export const waitText = ({ agent, gate, undoFirst }: WaitOfStep): string =>
  `${agent}${undoFirst ? undoFirstText : ''}, ${reasons[gate] ?? gate}`;

/** Whether the step waits for earlier orders, and not for its agent. */
export const isTurn = (gate: string): boolean => gate === 'turn';

/**
 * What an order waits for whose turn has not come.
 *
 * @param behind the last order of its singleton key before it; null: not known
 */
export const turnText = (behind: string | null): string =>
  behind === null
    ? 'earlier orders of its singleton key'
    : `order ${behind} and earlier ones of its singleton key`;
