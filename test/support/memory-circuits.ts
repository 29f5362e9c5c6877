/** Circuits in memory, with the number of reads and writes, and failures on request. */
import type { SharedCircuit } from '#core/flow/shared-circuit.ts';
import { UnavailableError } from '#core/model/errors.ts';
import type { Circuits } from '#ports/health/circuits.ts';

export interface MemoryCircuits extends Circuits {
  readonly stored: ReadonlyMap<string, SharedCircuit>;
  /** The states that were stored, in order. */
  readonly changes: readonly string[];
  readonly reads: () => number;
  readonly writes: () => number;
  /** From now on, every call fails, or none. */
  fail(isFailing: boolean): void;
  /** The next write takes effect, and its answer is lost. */
  loseAnswer(): void;
  /** The next write takes effect, and fails. */
  breakOff(): void;
}

export function memoryCircuits(): MemoryCircuits {
  const stored = new Map<string, SharedCircuit>();
  const changes: string[] = [];
  let [reads, writes] = [0, 0];
  let isFailing = false;
  let isLost = false;
  let isBrokenOff = false;
  const unlessFailing = () => {
    if (isFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
  };
  return {
    stored,
    changes,
    reads: () => reads,
    writes: () => writes,
    fail(failing) {
      isFailing = failing;
    },
    loseAnswer() {
      isLost = true;
    },
    breakOff() {
      isBrokenOff = true;
    },
    async read(agent) {
      reads += 1;
      unlessFailing();
      return stored.get(agent) ?? null;
    },
    async store(agent, circuit, after) {
      writes += 1;
      unlessFailing();
      const isNext = (stored.get(agent)?.epoch ?? 0) === after;
      if (isNext) {
        stored.set(agent, circuit);
        changes.push(circuit.state);
      }
      if (isBrokenOff) {
        isBrokenOff = false;
        throw new UnavailableError('aws-unavailable', 'No answer.');
      }
      // The SDK tries again, and finds its own write.
      const answer = isNext && !isLost;
      isLost = false;
      return answer;
    },
  };
}
