/**
 * The compact history: what happened to an order, as events without what the record holds anyway
 * (outputs, policies). Played back through `decide` it gives the stored record (R15, replay.ts), unless it
 * had to be shortened.
 */
import type { Correction } from './correction.ts';
import type { Extensible } from './extension.ts';
import type { Fault } from './fault.ts';
import type { SchedulerId, StepName } from './ids.ts';
import type { JsonValue } from './json.ts';

interface At extends Extensible {
  readonly at: number;
}
/** `definitionUnknown`: the definition was unknown to the Scheduler, which therefore parked the order. */
interface Decided extends At {
  readonly definitionUnknown: boolean;
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
  /** `by`: null for orders stored before it was recorded. */
  | (At & { readonly type: 'submit'; readonly by: string | null })
  | (Decided & { readonly type: 'claim'; readonly by: SchedulerId })
  | (OfAttempt & { readonly type: 'stepSucceeded' | 'undoSucceeded' | 'heartbeat' })
  | (OfAttempt & { readonly type: 'stepFailed' | 'undoFailed'; readonly fault: Fault })
  | (OfSweep & { readonly type: 'expired' })
  | (OfSweep & {
      readonly type: 'interrupted';
      readonly reason: 'restart' | 'outage';
      readonly notBefore: number;
    })
  | (At & {
      readonly type: 'resubmit';
      readonly by: string;
      readonly corrections: readonly Correction[];
    })
  | (At & { readonly type: 'cancel'; readonly by: string })
  /**
   * Stands for entries that were dropped because the record had no room for them, perhaps none: the order
   * did then what its store would take, and not what the rules say alone. `claims`: how many of
   * them were claims since the last operator, which the bound on claims counts (R14).
   */
  | (At & { readonly type: 'shortened'; readonly entries: number; readonly claims: number })
  /** Of a kind that only a newer release knows. `stored`: the whole entry as it was read. */
  | (At & { readonly type: 'unknown'; readonly stored: readonly JsonValue[] });

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
  return (entry.type === 'expired' || entry.type === 'interrupted') && entry.nudges > 0;
}

/** The latest entries, which say where the order stands, and the one of the event itself. */
const latestEntriesKept = 8;

/**
 * The history without what nobody acts on any more: the submission, what operators did and the latest
 * entries stay. Such a history does not replay (R15), so it is the last resort.
 */
export function shortened([first, ...rest]: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const older = rest.slice(0, -latestEntriesKept);
  const kept = older.filter(isOperatorEntry);
  const dropped = older.filter((entry) => !isOperatorEntry(entry));
  const marker: HistoryEntry = {
    type: 'shortened',
    at: (older.at(-1) ?? first)?.at ?? 0,
    entries: dropped.reduce((sum, entry) => sum + entriesOf(entry), 0),
    claims: claimsSinceOperator(older),
  };
  return [
    ...(first === undefined ? [] : [first]),
    ...kept,
    marker,
    ...rest.slice(-latestEntriesKept),
  ];
}

function entriesOf(entry: HistoryEntry): number {
  return entry.type === 'shortened' ? entry.entries : 1;
}

/** Only an operator's decision begins the bounds of an order anew, and holds corrections. */
function isOperatorEntry({ type }: HistoryEntry): boolean {
  return type === 'resubmit' || type === 'cancel';
}

/** Claims since an operator last decided something (R14). */
export function claimsSinceOperator(history: readonly HistoryEntry[]): number {
  const operator = history.findLastIndex(isOperatorEntry);
  let claims = 0;
  for (let at = operator + 1; at < history.length; at += 1) {
    const entry = history[at];
    if (entry !== undefined) claims += claimsOf(entry);
  }
  return claims;
}

function claimsOf(entry: HistoryEntry): number {
  if (entry.type === 'shortened') return entry.claims;
  return entry.type === 'claim' ? 1 : 0;
}
