/**
 * The compact history: the events of an order, without data that is in the record anyway (outputs,
 * policies). Replaying it through `decide` results in the stored record (R15, replay.ts), unless it was
 * shortened.
 */
import type { Correction } from './correction.ts';
import type { Extensible } from './extension.ts';
import type { Fault } from './fault.ts';
import type { GateOfAgent, HoldEntry } from './hold.ts';
import type { AgentName, SchedulerId, StepName } from './ids.ts';
import type { JsonValue } from './json.ts';
import type { Priority } from './record.ts';

interface At extends Extensible {
  readonly at: number;
}
/** `definitionUnknown`: the Scheduler did not know the definition, and parked the order. */
interface Decided extends At {
  readonly definitionUnknown: boolean;
  /** The steps that the gates of agents held; never empty. */
  readonly holds?: readonly HoldEntry[];
  /**
   * Present where steps stay held as they were: all that were held, without those in `holds` and these, of which a call began.
   */
  readonly begun?: readonly StepName[];
  /** The members of pools that got a call, or that a held step waits for; never empty. */
  readonly agents?: readonly AgentChoice[];
}
/** The member of a pool that a step was given to. */
export interface AgentChoice {
  readonly step: StepName;
  readonly agent: AgentName;
  /** The step is undone there before it starts anew: noted where that began, because a replay must not ask the pool of today. */
  readonly undoFirst?: true;
}
interface OfAttempt extends Decided {
  readonly step: StepName;
  readonly attempt: number;
}
/** `steps`: the steps whose attempts were withdrawn. `nudges`: consecutive nudges of an unclaimed order. */
interface OfSweep extends At {
  readonly steps: readonly StepName[];
  readonly nudges: number;
}

/** One event of an order; `at` in ms since the epoch. */
export type HistoryEntry =
  /** `by`: null for orders stored before it was recorded. `notBefore`: absent where the order could be claimed at once. */
  | (At & { readonly type: 'submit'; readonly by: string | null; readonly notBefore?: number })
  | (Decided & { readonly type: 'claim' | 'resume'; readonly by: SchedulerId })
  /** A claim that found every ready step held. `times`: how often in a row. */
  | (Decided & { readonly type: 'held'; readonly by: SchedulerId; readonly times: number })
  | (OfAttempt & { readonly type: 'stepSucceeded' | 'undoSucceeded' | 'heartbeat' })
  | (OfAttempt & { readonly type: 'stepFailed' | 'undoFailed'; readonly fault: Fault })
  | (OfAttempt & {
      readonly type: 'deferred';
      readonly gate: GateOfAgent;
      readonly retryAfterMs: number;
    })
  /** `late`: the order was past its own deadline, and stopped or began its undo. */
  | (OfSweep & { readonly type: 'expired'; readonly late?: true })
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
  /** `from`: the priority before, which the record no longer has and a replay needs (R15). */
  | (At & {
      readonly type: 'reprioritise';
      readonly by: string;
      readonly priority: Priority;
      readonly from: Priority;
    })
  /**
   * Replaces `entries` entries (possibly 0) that were dropped because the record was too large. From there
   * on the size limit may have decided, too. `claims`: the dropped claims since the last operator event,
   * which the limit on claims counts (R14).
   */
  | (At & { readonly type: 'shortened'; readonly entries: number; readonly claims: number })
  /** An entry of a newer release. `stored`: the whole entry as it was read. */
  | (At & { readonly type: 'unknown'; readonly stored: readonly JsonValue[] });

type Sweep = Extract<HistoryEntry, OfSweep>;

/** Appends an entry. Consecutive nudges become one entry, which bounds the history. */
export function appendEntry(
  history: readonly HistoryEntry[],
  entry: HistoryEntry,
): readonly HistoryEntry[] {
  const last = history.at(-1);
  // A clock that went back keeps holds apart: joined, they would not replay as they were (R15).
  if (entry.type === 'held' && last?.type === 'held' && entry.at >= last.at) {
    const joined = { ...entry, ...withUndosFirst(entry, last), times: last.times + 1 };
    return [...history.slice(0, -1), joined];
  }
  if (last !== undefined && isNudge(entry) && isNudge(last) && isAlike(entry, last)) {
    const merged: Sweep = { ...entry, nudges: last.nudges + 1 };
    return [...history.slice(0, -1), merged];
  }
  return [...history, entry];
}

/** The joined entry says which undos began in the one that it replaces. */
function withUndosFirst(
  { agents }: Pick<Decided, 'agents'>,
  { agents: earlier = [] }: Pick<Decided, 'agents'>,
): Pick<Decided, 'agents'> {
  const began = earlier.filter(({ undoFirst }) => undoFirst).map(({ step }) => step);
  if (agents === undefined || began.length === 0) return {};
  return {
    agents: agents.map((choice) =>
      began.includes(choice.step) ? { ...choice, undoFirst: true } : choice,
    ),
  };
}

/** A restart releases orders that an outage does not, so that only nudges of one cause replay as one entry. */
const isAlike = (entry: Sweep, last: Sweep) =>
  entry.type === 'interrupted'
    ? last.type === 'interrupted' && last.reason === entry.reason
    : last.type === entry.type;

function isNudge(entry: HistoryEntry): entry is Sweep {
  return (entry.type === 'expired' || entry.type === 'interrupted') && entry.nudges > 0;
}

/** Enough entries to show the state of the order, including the entry of the event itself. */
const latestEntriesKept = 8;

/**
 * The history with only the submission, the operator events and the latest entries. It does not replay
 * (R15), so this is the last resort.
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

/**
 * The number of each entry, by its place: it is the same after the history was shortened. The entries before the one that says so have
 * the first numbers.
 */
export function entryNumbers(history: readonly HistoryEntry[]): (place: number) => number {
  const from = history.findIndex(({ type }) => type === 'shortened');
  const marker = history[from];
  const more = marker === undefined ? 0 : entriesOf(marker) - 1;
  return (place) => place + 1 + (place >= from ? more : 0);
}

function entriesOf(entry: HistoryEntry): number {
  return entry.type === 'shortened' ? entry.entries : 1;
}

/** Only these reset the limits of an order and hold corrections; a change of the priority does neither. */
function isOperatorEntry({ type }: HistoryEntry): boolean {
  return type === 'resubmit' || type === 'cancel';
}

/** Claims since the last operator event, without those whose attempt an agent gave back (R14, R23). */
export function claimsSinceOperator(history: readonly HistoryEntry[]): number {
  const operator = history.findLastIndex(isOperatorEntry);
  let claims = 0;
  let isLastCounted = false;
  for (let index = operator + 1; index < history.length; index += 1) {
    const entry = history[index];
    if (entry === undefined) continue;
    if (entry.type === 'deferred' && isLastCounted) {
      claims -= 1;
      isLastCounted = false;
    }
    claims += claimsOf(entry);
    isLastCounted ||= entry.type === 'claim';
  }
  return claims;
}

function claimsOf(entry: HistoryEntry): number {
  if (entry.type === 'shortened') return entry.claims;
  return entry.type === 'claim' ? 1 : 0;
}
