/** What an order waits for, from its held steps: agents, or earlier orders. */
import { isTurn, turnText, waitText } from '#text/gate-text.ts';
import { relativeTime } from '#text/relative-time.ts';

interface Step {
  readonly agent: string;
  readonly held: { readonly gate: string; readonly since: number } | null;
  readonly undoFirst: boolean;
}

/**
 * One for each, with the longest wait for it.
 *
 * @param behind the order that was the last of its singleton key before this one; null: none, or not known
 */
export function waitTexts(steps: readonly Step[], behind: string | null, nowMs: number): string[] {
  const longest = new Map<string, { readonly text: string; readonly since: number }>();
  for (const { agent, held, undoFirst } of steps) {
    if (held === null) continue;
    const { gate, since } = held;
    const what = isTurn(gate) ? turnText(behind) : agent;
    const text = isTurn(gate) ? what : waitText({ agent, gate, undoFirst });
    const known = longest.get(what);
    if (known === undefined || since < known.since) longest.set(what, { text, since });
  }
  return [...longest.values()].map(
    ({ text, since }) => `${text}, since ${relativeTime(since, nowMs)}`,
  );
}
