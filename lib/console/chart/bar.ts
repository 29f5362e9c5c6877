/** A bar of the timeline: a call or a wait of a step. */
import type { Order } from '#console/api/documents.ts';

type Call = Order['calls'][number];
type Wait = Order['waits'][number];

export type BarKind = 'running' | NonNullable<Call['end']> | Wait['kind'];

export interface Bar {
  readonly kind: BarKind;
  readonly action: Call['action'];
  /** 0 for a wait. */
  readonly attempt: number;
  readonly from: number;
  /** Null while it lasts. */
  readonly to: number | null;
  /** True when the reply came while the order was Pending or in Error: recorded, and no step started. */
  readonly late: boolean;
  readonly fault: string | null;
}

/** A call with an unknown start is drawn as an instant, at its end. */
export function callBar(
  { action, attempt, from, to, end, isLate, fault }: Call,
  submittedAt: number,
): Bar {
  const ended = to === null ? null : Date.parse(to);
  const began = from === null ? (ended ?? submittedAt) : Date.parse(from);
  return { kind: end ?? 'running', action, attempt, from: began, to: ended, late: isLate, fault };
}

export function waitBar({ kind, from, to }: Wait): Bar {
  const wait = { kind, from: Date.parse(from), to: Date.parse(to) };
  return { ...wait, action: 'perform', attempt: 0, late: false, fault: null };
}
