/** What the held steps of a listed order wait for. */
import type { SummaryDocument } from '#console/api/documents.ts';
import { isTurn } from '#text/gate-text.ts';

/** `waits for payment (circuit), earlier orders`. */
export function heldText(held: NonNullable<SummaryDocument['held']>): string {
  const waits = held.map(({ agent, gate }) =>
    isTurn(gate) ? 'earlier orders' : `${agent} (${gate})`,
  );
  return `waits for ${[...new Set(waits)].join(', ')}`;
}
