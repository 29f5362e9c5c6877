/** The ports of the API. */

import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { CircuitState } from '#core/flow/circuit.ts';
import type { EndpointStatus } from '#core/flow/endpoint-pool.ts';
import type { GateOfAgent } from '#core/model/hold.ts';
import type { Priority, ProcessRecord } from '#core/model/record.ts';
import type { GuardOptions } from '#http/access/guard.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { AgentControl } from '#roles/agent-control.ts';
import type { LimitControl } from '#roles/limit-control.ts';
import type { Operator } from '#roles/operator.ts';
import type { SubmissionBatch } from '#roles/submission/submission-batch.ts';
import type { Submission } from '#roles/submission.ts';

/** A request in the access log. */
export type Access = Readonly<{
  method: string;
  /** Without the query, which may contain personal search terms. */
  path: string;
  /** Null: not identified. */
  principal: string | null;
  tenant: string | null;
  status: number;
  /** The order that was submitted; null for anything else. */
  submitted: string | null;
}>;

export type Watch = (listener: (record: ProcessRecord) => void) => () => void;

/** The numbers of live orders by state. */
export type AliveCounts = Readonly<Record<'Pending' | 'Processing' | 'Error', number>>;

/** Counts of the last hour, and the present load. */
export interface Activity {
  /** The start of the counts, ms since the epoch: the start of the process. */
  readonly since: number;
  /** Whether live orders of the former process are not counted yet. */
  readonly isCounting: boolean;
  /** Sixty, oldest first; the last is the current minute. */
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
  readonly pools: readonly PoolActivity[];
  readonly flow: FlowActivity;
  /** The channels that have had a message since the start; name null: the alerts of operators. */
  readonly channels: readonly ChannelActivity[];
}

export interface ChannelActivity {
  readonly name: string | null;
  /** The number of undelivered messages. */
  readonly undelivered: number;
  /** The time of the first failure that no delivery has resolved, ms since the epoch; null: none. */
  readonly failingSince: number | null;
}

export interface AgentActivity {
  readonly name: string;
  /** Calls in flight. */
  readonly inFlight: number;
  /** Steps that are ready and not in flight: before the first attempt, or between two. */
  readonly waiting: number;
  /** The last progress of the order that has waited longest, ms since the epoch; null: none. */
  readonly oldestAt: number | null;
  /** Calls of the last hour, by outcome. */
  readonly succeeded: number;
  readonly failed: number;
  readonly timedOut: number;
  /** Over the last thousand calls that succeeded or timed out; a timeout counts with its whole deadline. */
  readonly latencyMs: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
  /** The steps that wait for its gate, by the reason. */
  readonly held: readonly HeldActivity[];
  readonly circuit: CircuitActivity;
  /** Of its service; none when it has one address. */
  readonly endpoints: readonly EndpointStatus[];
}

/** What waits for any member of a pool. */
export interface PoolActivity
  extends Pick<AgentActivity, 'name' | 'waiting' | 'oldestAt' | 'held'> {
  /** The agents that may get any of its calls. */
  readonly members: readonly string[];
}

/** Steps that are ready, and not started because the gate of their agent lets no call through. */
export interface HeldActivity {
  readonly gate: GateOfAgent;
  readonly steps: number;
  /** Since when the one that has waited longest waits, ms since the epoch, to the second. */
  readonly since: number;
}

/** The circuit of an agent. Instants are ms since the epoch. */
export interface CircuitActivity {
  readonly state: CircuitState;
  /** Every change of the state begins a new one. */
  readonly epoch: number;
  /** When it opened; null while it is closed. */
  readonly since: number | null;
  /** When the next call tests the service; null unless it is open. */
  readonly probeAt: number | null;
}

/** What waits for Reeve itself. */
export interface FlowActivity {
  /** The orders that wait for a Scheduler or for a gate. */
  readonly waiting: number;
  /** Since when a nudge waits for a Scheduler, ms since the epoch; null: none does. */
  readonly nudgeSince: number | null;
  /** How long the longest overdue order of the latest sweep had been due, ms. */
  readonly sweepLagMs: number;
  /** The orders that were refused since the start because too many waited, by class. */
  readonly refused: Readonly<Record<Priority, number>>;
  /** The last refusal, ms since the epoch; null: none. */
  readonly lastRefusedAt: number | null;
}

export interface ApiPorts {
  readonly submission: Submission;
  readonly batch: SubmissionBatch;
  readonly operator: Operator;
  readonly agents: AgentControl;
  readonly limits: LimitControl;
  readonly store: StateStore;
  readonly registry: WorkflowRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly guard: GuardOptions;
  /** Receives each request that changes something or is refused; null when a gateway keeps the access log. */
  readonly accessLog: ((access: Access) => void) | null;
  /** True while the orders of the former process are being recovered; every route is served meanwhile. */
  readonly isStarting: () => boolean;
  /** True from the begin of the stop on. Absent where nothing asks meanwhile. */
  readonly isStopping?: () => boolean;
  /** Whether orders were refused recently because too many wait. Absent where nothing refuses. */
  readonly isOverloaded?: () => boolean;
  /** Whether a service is unavailable, so that its orders are held. Absent where this process does not know. */
  readonly isCircuitOpen?: () => boolean;
  readonly lastSweepAt: () => number | null | Promise<number | null>;
  /** The number of stored rows found damaged; any makes the health degraded. Absent when the store does not check. */
  readonly damaged?: () => number;
  /** The code of the error with which the store refuses writes, which makes the health degraded; null: it accepts them. */
  readonly refusal?: () => string | null;
  /** When the last sweep is older than this, ms, the health is degraded. */
  readonly sweepLateMs: number;
}

/** Of a process that lives on between requests and sees every change. */
export interface ProcessApiPorts extends ApiPorts {
  /** Calls the listener with every committed record; the returned function ends that. */
  readonly watch: Watch;
  readonly activity: () => Activity;
}
