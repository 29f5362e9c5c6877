/** The ejected endpoints that all instances of an agent share. They are advisory (R26). */
import type { Ejection } from '#core/flow/endpoint-member.ts';

/** Every method may throw {@link UnavailableError}. */
export interface Ejections {
  /** The latest stored ejection of each endpoint; it may have ended, and be some seconds old. */
  read(agent: string): Promise<readonly Ejection[]>;
  /**
   * Stores the ejection, unless the stored one of its endpoint still lasts. One that lasts longer than any ejection comes from
   * a wrong clock, and is replaced.
   */
  store(agent: string, ejection: Ejection, nowMs: number): Promise<void>;
}
