/** What the API stands on. */

import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { GuardOptions } from '#http/access/guard.ts';
import type { BreakerState } from '#ports/breaker.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { Operator } from '#roles/operator.ts';
import type { Submission } from '#roles/submission.ts';

/** One request, for the access log. */
export type Access = Readonly<{
  method: string;
  /** Without its query, which may hold what a person searched for. */
  path: string;
  /** Null: nobody that is known. */
  principal: string | null;
  tenant: string | null;
  status: number;
  /** The order that was submitted; null for anything else. */
  submitted: string | null;
}>;

export type Watch = (listener: (record: ProcessRecord) => void) => () => void;

/** How orders in flight stand, by state: those that are not at their end. */
export type AliveCounts = Readonly<Record<'Pending' | 'Processing' | 'Error', number>>;

/** What went on in the last hour, and how things stand now. */
export interface Activity {
  /** Since when it was counted: a process counts from its start. */
  readonly since: number;
  /** Sixty, oldest first; the last one is the present minute. */
  readonly minutes: readonly {
    readonly at: number;
    readonly submitted: number;
    readonly processed: number;
    readonly undone: number;
    readonly error: number;
  }[];
  readonly workflows: readonly {
    readonly name: string;
    readonly version: number;
    readonly orders: AliveCounts;
  }[];
  readonly agents: readonly AgentActivity[];
  /** Those that were owed a status message since the start; named null: the operators, who are owed alerts. */
  readonly channels: readonly ChannelActivity[];
}

export interface ChannelActivity {
  readonly name: string | null;
  /** Messages that have not been told yet. */
  readonly undelivered: number;
  /** When the first of those failures happened that are not made good yet; null: there is none. */
  readonly failingSince: number | null;
}

export interface AgentActivity {
  readonly name: string;
  /** Calls that are out. */
  readonly inFlight: number;
  /** Calls whose turn has come and that are not out: before a first try, or between two. */
  readonly waiting: number;
  /** When the order among them that stands still the longest last got on. */
  readonly oldestAt: number | null;
  /** How calls of the last hour ended. */
  readonly succeeded: number;
  readonly failed: number;
  readonly timedOut: number;
  /** Of the last thousand calls that succeeded or timed out; the latter with their whole deadline. */
  readonly latencyMs: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
  readonly breaker: BreakerState | null;
}

export interface ApiPorts {
  readonly submission: Submission;
  readonly operator: Operator;
  readonly store: StateStore;
  readonly registry: WorkflowRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly guard: GuardOptions;
  /**
   * Committed records as they happen; the function given back ends it. Null where they cannot be
   * had, as in a function that ends with its request: the event routes are then not served.
   */
  readonly watch: Watch | null;
  /** Null where nobody sees everything that happens: the route is then not served. */
  readonly activity: (() => Activity) | null;
  /** Told of each request that changes something, or is refused; null where what stands before the API keeps that log. */
  readonly accessLog: ((access: Access) => void) | null;
  /** Whether what the last process left alive is still being taken back; all is served meanwhile. */
  readonly isStarting: () => boolean;
  readonly lastSweepAt: () => number | null | Promise<number | null>;
  /** Stored rows found damaged; any makes the health degraded. Absent where the store cannot tell. */
  readonly damaged?: () => number;
  /** The code with which the store refuses writes, which makes the health degraded; null while it takes them. */
  readonly refusal?: () => string | null;
  /** A sweep older than this, ms, makes the health degraded. */
  readonly sweepLateMs: number;
}
