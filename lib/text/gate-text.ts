/** Why a step is held, in words. */
const reasons: Readonly<Record<string, string>> = {
  concurrency: 'which has as many calls as it can begin',
  circuit: 'circuit open',
  limit: 'limit reached',
  drained: 'drained by an operator',
};

/** The words after the name of the agent where a step waits to be undone. */
export const undoFirstText = ', to be undone there before it starts anew';

/** The words after the name of the agent; the gate itself for one of a newer release. */
export const gateText = (gate: string): string => reasons[gate] ?? gate;
