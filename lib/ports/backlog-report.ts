/** The orders of a deployment that wait, as the Supervisor reports them to the front doors. The report is advisory (R26). */
import type { HeldBacklog } from '#core/flow/held-backlog.ts';

/** Every method may throw {@link UnavailableError}. */
export interface BacklogReport {
  /** Null when none was stored, or one that this release cannot read. The answer may be some seconds old. */
  read(): Promise<HeldBacklog | null>;
  /** Replaces the stored report. */
  store(backlog: HeldBacklog): Promise<void>;
}
