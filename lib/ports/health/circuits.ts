/** The circuits that all instances of a deployment share, one for each agent. They are advisory (R26). */
import type { SharedCircuit } from '#core/flow/shared-circuit.ts';

/** Every method may throw {@link UnavailableError}. */
export interface Circuits {
  /** Null when the circuit of the agent never opened. The answer may be some seconds old. */
  read(agent: string): Promise<SharedCircuit | null>;
  /**
   * Stores the circuit of the agent if the stored one has the epoch `after`, 0 for none. Returns whether it did; false also
   * when the first answer was lost: read what is stored.
   */
  store(agent: string, circuit: SharedCircuit, after: number): Promise<boolean>;
}
