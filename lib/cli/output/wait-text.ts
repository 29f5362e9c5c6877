/** The agents that an order waits for, from its held steps. */
import { gateText, undoFirstText } from '#text/gate-text.ts';
import { relativeTime } from '#text/relative-time.ts';

interface Step {
  readonly agent: string;
  readonly held: { readonly gate: string; readonly since: number } | null;
  readonly undoFirst: boolean;
}

/** One for each agent, with the longest wait for it. */
export function waitTexts(steps: readonly Step[], nowMs: number): string[] {
  const longest = new Map<string, { gate: string; since: number; undoFirst: boolean }>();
  for (const { agent, held, undoFirst } of steps) {
    if (held === null) continue;
    const known = longest.get(agent);
    if (known === undefined || held.since < known.since) {
      longest.set(agent, { ...held, undoFirst });
    }
  }
  return [...longest].map(
    ([agent, { gate, since, undoFirst }]) =>
      `${agent}${undoFirst ? undoFirstText : ''}, ${gateText(gate)}, since ${relativeTime(since, nowMs)}`,
  );
}
