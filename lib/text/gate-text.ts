/** Why a step waits, or a call was given back: by gate, with the agent as the subject. The descriptions of the API have the same words. */
const reasons: Readonly<Record<string, (who: string, whose: string) => string>> = {
  concurrency: (who) => `${who} has as many calls as it can begin in time`,
  circuit: (_, whose) => `${whose} circuit breaker is open`,
  limit: (_, whose) => `one of ${whose} limits has no room for the call`,
  drained: (who) => `an operator lets no new calls go to ${who}`,
  turn: () => 'an earlier order of the same singleton key has not ended',
};

/**
 * A clause about the agent: `its circuit breaker is open`. One for a gate of a newer release has its name.
 *
 * @param agent as it is named in the clause; default: `it`
 */
export function gateReason(gate: string, agent?: string): string {
  const [who, whose] = agent === undefined ? ['it', 'its'] : [agent, `${agent}'s`];
  return reasons[gate]?.(who, whose) ?? `${who} accepts no call now (${gate})`;
}

/** What each of the gates means, as sentences: `circuit: its circuit breaker is open.` */
export const gateMeanings = (gates: readonly string[], agent?: string): string =>
  gates.map((gate) => `${gate}: ${gateReason(gate, agent)}.`).join(' ');

/** The words after the name of the agent where a step waits to be undone. */
const undoFirstText = ', to be undone there before it starts anew';

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

/** A step of an order, as its document has it. */
interface HeldStep<Since> {
  readonly agent: string;
  readonly held: { readonly gate: string; readonly since: Since } | null;
  readonly undoFirst?: boolean | undefined;
}

/** What an order waits for, and since when. */
interface Wait<Since> {
  /** What for and why, see {@link gateReason}. */
  readonly text: string;
  readonly agent: string;
  readonly gate: string;
  readonly since: Since;
}

/**
 * What an order waits for, from its held steps: one for each agent, and one for earlier orders, with the longest wait for it.
 *
 * @param behind see {@link turnText}
 */
export function longestWaits<Since extends number | string>(
  steps: readonly HeldStep<Since>[],
  behind: string | null,
): readonly Wait<Since>[] {
  const longest = new Map<string, Wait<Since>>();
  for (const { agent, held, undoFirst } of steps) {
    if (held === null) continue;
    const { gate, since } = held;
    const what = isTurn(gate) ? turnText(behind) : agent;
    const why = `${undoFirst === true ? undoFirstText : ''}: ${gateReason(gate)}`;
    const text = isTurn(gate) ? what : `${what}${why}`;
    const known = longest.get(what);
    if (known === undefined || since < known.since) longest.set(what, { text, agent, gate, since });
  }
  return [...longest.values()];
}

interface PlacedOrder {
  readonly direction: string;
  readonly turn?: { readonly since?: string | number | null | undefined } | null | undefined;
  readonly steps: Readonly<Record<string, { readonly attempt: number }>>;
}

/** Whether a later order of its singleton key replaces it: its rule says so, it goes forward, and it has made no call. */
export const mayBeReplaced = ({ direction, turn, steps }: PlacedOrder): boolean =>
  (turn?.since ?? null) !== null &&
  direction === 'forward' &&
  Object.values(steps).every(({ attempt }) => attempt === 0);

/** What may end the wait of an order that is not to begin yet, see {@link mayBeReplaced}. */
export const mayBeReplacedText = 'unless a later order of its singleton key replaces it before';
