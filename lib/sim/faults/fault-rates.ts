/** All faults by name, with their rates and counts. */
import type { Chance } from '#sim/world/chance.ts';

/** The rate of each fault in runs that have it: per call, message or minute. */
const usual = {
  // A process.
  'crash-before-call': 0.01,
  'crash-after-call': 0.01,
  'crash-between-items': 0.01,
  'crash-while-waiting': 0.01,
  'crash-before-acknowledging': 0.01,
  frozen: 0.1,
  // Its clock.
  'clock-skewed': 0.15,
  'clock-jumps-days': 0.05,
  'clock-steps-back': 0.1,
  // Any call over the network.
  'call-slow': 0.02,
  'answer-lost': 0.02,
  'retried-underneath': 0.03,
  // The state store, its index, its stream.
  'store-throttled': 0.03,
  'record-unreadable': 0.01,
  'write-refused': 0.005,
  'index-late': 0.2,
  'page-short': 0.2,
  'read-stale': 0.2,
  'stream-late': 0.1,
  'stream-doubled': 0.05,
  // The queues.
  'queue-throttled': 0.03,
  'batch-partly-sent': 0.02,
  'retry-queue-throttled': 0.2,
  'message-lost': 0.02,
  'message-doubled': 0.06,
  'message-late': 0.06,
  // Few messages are delayed, so they are lost and late more often.
  'delayed-message-lost': 0.2,
  'delayed-message-late': 0.2,
  'seen-too-soon': 0.06,
  'message-poisoned': 0.1,
  'message-forged': 0.1,
  // The Supervisor's schedule.
  'sweep-skipped': 0.15,
  'sweep-doubled': 0.2,
  'sweep-late': 0.2,
  'sweep-out-of-time': 0.15,
  'hand-over-lost': 0.3,
  'coordination-throttled': 0.03,
  // The remote services.
  'service-down': 0.08,
  'service-slow': 0.08,
  'service-unanswering': 0.05,
  'service-late': 0.04,
  'service-refuses': 0.03,
  'service-fails': 0.02,
  'undo-refused': 0.1,
  'service-outage': 0.012,
  // What circuits know of them.
  'health-unknown': 0.02,
  'health-misread': 0.03,
  // Receivers of notifications.
  'submitter-deaf': 0.1,
  'operator-deaf': 0.1,
  // People.
  'submitted-twice': 0.3,
  'key-reused': 0.15,
  'operator-searches': 0.1,
  'operator-resubmits': 0.1,
  'operator-corrects': 0.15,
  'operator-cancels': 0.06,
  'operator-reprioritises': 0.1,
  // The whole.
  'new-version': 0.1,
  'old-version': 0.08,
  outage: 0.6,
  'store-outage': 0.4,
} as const;

export type DrawnFault = keyof typeof usual;
const drawnFaults = Object.keys(usual).filter(isDrawn);

/** Consequences of other faults, counted when they happen. */
const consequences = [
  'reply-after-takeover',
  'reply-after-undo',
  'reply-after-the-end',
  'undone-first',
  'sweeps-overlapped',
  'delivered-while-delivered',
  'decided-together',
  'flood',
  'submission-refused',
] as const;

export type FaultName = DrawnFault | (typeof consequences)[number];
export const faultNames: readonly FaultName[] = [...drawnFaults, ...consequences];

export function isDrawn(name: string): name is DrawnFault {
  return name in usual;
}

export type FaultRates = Readonly<Partial<Record<DrawnFault, number>>>;

export interface Faults {
  /** Whether the fault happens now; counts it. */
  strike(name: DrawnFault): boolean;
  /** A fault that was drawn elsewhere: whether it happens, because there are faults still; counts it. */
  happens(name: DrawnFault): boolean;
  /** Counts a consequence. */
  note(name: FaultName): void;
  /** A fault takes effect, some time after it was drawn. */
  takeEffect(): void;
  /** Ends all faults. */
  end(): void;
  /** Changes with each fault, and with its effect where that comes later. */
  count(): number;
  readonly hits: ReadonlyMap<FaultName, number>;
}

/**
 * Each run has its own mix: about half of all faults never occur, the others at half, one or three times the usual
 * rate. `emphasis`: how many times as often as usual. Runs without a frequent fault show what it would hide (swarm testing: Groce and others, ISSTA 2012).
 */
export function drawnRates(
  chance: Chance,
  emphasis: Readonly<Partial<Record<DrawnFault, number>>> = {},
): FaultRates {
  const rates: Partial<Record<DrawnFault, number>> = {};
  const theme = chance.hits(0.25) ? afterAnOutage : null;
  // With wrong clocks some rules cannot be checked, so half of all runs have none.
  const clocksAreRight = chance.hits(0.5);
  for (const name of drawnFaults) {
    if (clocksAreRight && isClockFault(name)) continue;
    const scale = chance.hits(0.5) ? chance.pick([0.5, 1, 3]) : 0;
    const rate = Math.min(0.9, usual[name] * (emphasis[name] ?? 1) * (theme?.[name] ?? scale));
    if (rate > 0) rates[name] = rate;
  }
  return rates;
}

/** In quiet worlds only services fail, for long, and operators cancel. */
export const quietRates: FaultRates = { 'service-outage': 0.1, 'operator-cancels': 0.1 };

/** Faults during the recovery from an outage are rare, so some runs are dedicated to them. */
const afterAnOutage: FaultRates = {
  outage: 1,
  'store-outage': 2,
  'clock-skewed': 0,
  'clock-jumps-days': 0,
  'clock-steps-back': 0,
  'record-unreadable': 0,
  'page-short': 3,
  'sweep-out-of-time': 3,
  'coordination-throttled': 3,
  'store-throttled': 6,
};

/** Which of the faults that are drawn happen. */
interface FaultBounds {
  /** The total number of faults, after which none occurs. Default: no bound. */
  readonly faultsMax?: number | undefined;
  /** The faults that happen, by their numbers in the order in which they are drawn, from 1. Default: all. */
  readonly onlyFaults?: ReadonlySet<number> | undefined;
}

/** See {@link Faults}. */
export function faults(
  rates: FaultRates,
  chance: Chance,
  { faultsMax = Number.POSITIVE_INFINITY, onlyFaults }: FaultBounds = {},
): Faults {
  const hits = new Map<FaultName, number>();
  let left = faultsMax;
  let drawn = 0;
  let count = 0;
  const note = (name: FaultName) => hits.set(name, (hits.get(name) ?? 0) + 1);

  function happens(name: DrawnFault): boolean {
    if (left <= 0) return false;
    drawn += 1;
    if (onlyFaults?.has(drawn) === false) return false;
    left -= 1;
    count += 1;
    note(name);
    return true;
  }

  return {
    hits,
    note,
    strike: (name) => left > 0 && chance.hits(rates[name] ?? 0) && happens(name),
    happens,
    takeEffect() {
      count += 1;
    },
    end() {
      left = 0;
    },
    count: () => count,
  };
}

const clockFaults: readonly FaultName[] = ['clock-skewed', 'clock-jumps-days', 'clock-steps-back'];

const isClockFault = (name: FaultName) => clockFaults.includes(name);

/** Whether every clock has been right so far. */
export const clocksWereRight = (hits: ReadonlyMap<FaultName, number>) =>
  clockFaults.every((name) => !hits.has(name));
