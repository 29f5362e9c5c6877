/**
 * The compact history: what happened to an order, as events without what the record holds anyway
 * (outputs, policies). Played back through `decide` it gives the stored record (R15, replay.ts).
 */
import type { Correction } from './correction.ts';
import type { Fault } from './fault.ts';
import type { SchedulerId, StepName } from './ids.ts';

interface At {
  readonly at: number;
}
/** `blind`: the definition was unknown to the Scheduler, which therefore parked the order. */
interface Decided extends At {
  readonly blind: boolean;
}
interface OfAttempt extends Decided {
  readonly step: StepName;
  readonly attempt: number;
}
/** `steps`: those found under way. `nudges`: how often in a row an unclaimed order was only nudged. */
interface OfSweep extends At {
  readonly steps: readonly StepName[];
  readonly nudges: number;
}

export type HistoryEntry =
  | (At & { readonly type: 'submit' })
  | (Decided & { readonly type: 'claim'; readonly by: SchedulerId })
  | (OfAttempt & { readonly type: 'stepSucceeded' | 'undoSucceeded' | 'heartbeat' })
  | (OfAttempt & { readonly type: 'stepFailed' | 'undoFailed'; readonly fault: Fault })
  | (OfSweep & { readonly type: 'expired' })
  | (OfSweep & {
      readonly type: 'excused';
      readonly reason: 'restart' | 'outage';
      readonly notBefore: number;
    })
  | (At & {
      readonly type: 'resubmit';
      readonly by: string;
      readonly corrections: readonly Correction[];
    })
  | (At & { readonly type: 'cancel'; readonly by: string });

type Sweep = Extract<HistoryEntry, OfSweep>;

/** Adds an entry; repeated nudges of one unclaimed order become one entry, so history stays short. */
export function appendEntry(
  history: readonly HistoryEntry[],
  entry: HistoryEntry,
): readonly HistoryEntry[] {
  const last = history.at(-1);
  if (isNudge(entry) && last?.type === entry.type && isNudge(last)) {
    const merged: Sweep = { ...entry, nudges: last.nudges + 1 };
    return [...history.slice(0, -1), merged];
  }
  return [...history, entry];
}

function isNudge(entry: HistoryEntry): entry is Sweep {
  return (entry.type === 'expired' || entry.type === 'excused') && entry.nudges > 0;
}
