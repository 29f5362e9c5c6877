/** What the API stands on. */
import type { ProcessRecord } from '#core/record.ts';
import type { WorkflowRegistry } from '#core/registry.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { Operator } from '#roles/operator.ts';
import type { Submission } from '#roles/submission.ts';
import type { GuardOptions } from './guard.ts';

export interface ApiPorts {
  readonly submission: Submission;
  readonly operator: Operator;
  readonly store: StateStore;
  readonly registry: WorkflowRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly guard: GuardOptions;
  /** Committed records as they happen; the function given back ends it. */
  readonly watch: (listener: (record: ProcessRecord) => void) => () => void;
  readonly lastSweepAt: () => number | null;
  /** A sweep older than this, ms, makes the health degraded. */
  readonly sweepLateMs: number;
}
