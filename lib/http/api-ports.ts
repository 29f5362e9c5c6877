/** What the API stands on. */
import type { ProcessRecord } from '#core/record.ts';
import type { WorkflowRegistry } from '#core/registry.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { Operator } from '#roles/operator.ts';
import type { Submission } from '#roles/submission.ts';
import type { GuardOptions } from './guard.ts';

export type Watch = (listener: (record: ProcessRecord) => void) => () => void;

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
  /** Who asks, for the history; given what the server knows of the request. */
  readonly callerOf: (env: unknown) => string;
  readonly lastSweepAt: () => number | null | Promise<number | null>;
  /** A sweep older than this, ms, makes the health degraded. */
  readonly sweepLateMs: number;
}
