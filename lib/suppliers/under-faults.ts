/**
 * Runs one call as a faulty service would. The caller cannot distinguish a fault before the effect from one after it,
 * which is the purpose of these faults.
 */
import type { Faults } from './supplier-faults.ts';

/** Random numbers and time: real in the process, scripted in tests. */
export interface World {
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** Resolves after `ms`, or early when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborts when the process closes; no call may use the ledger after that. */
  readonly closing: AbortSignal;
}

type Moment = 'before' | 'after';
type Mishap = 'none' | `transient-${Moment}` | `hang-${Moment}`;

/**
 * Waits for the latency, then does the work, with the chosen fault before or after it. The call continues when the
 * client disconnects, so that effects also happen after the caller's deadline.
 *
 * @param gone aborts when the client disconnects; ends a call that hangs
 * @param work causes the effect and returns the answer
 * @param lost returns the answer of a call whose own answer is lost
 */
export async function underFaults<Answer>(
  faults: Faults,
  world: World,
  gone: AbortSignal,
  work: () => Promise<Answer>,
  lost: () => Answer,
): Promise<Answer> {
  if (faults.latencyMs > 0) await world.sleep(faults.latencyMs, world.closing);
  if (world.closing.aborted) return lost();
  switch (mishapOf(faults, world.random)) {
    case 'none':
      return work();
    case 'transient-before':
      return lost();
    case 'transient-after':
      await work();
      return lost();
    case 'hang-before':
      await aborted(gone);
      return lost();
    case 'hang-after':
      await work();
      await aborted(gone);
      return lost();
  }
}

function mishapOf(faults: Faults, random: () => number): Mishap {
  const transient = strike(faults.transientRate, random());
  if (transient !== null) return `transient-${transient}`;
  const hang = strike(faults.hangRate, random());
  if (hang !== null) return `hang-${hang}`;
  return 'none';
}

/** One random number decides both: the lower half of the rate is a fault before the effect. */
function strike(rate: number, draw: number): Moment | null {
  if (draw >= rate) return null;
  return draw < rate / 2 ? 'before' : 'after';
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
