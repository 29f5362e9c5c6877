/**
 * Runs one call the way a service in trouble would. The caller cannot tell a fault before the effect
 * from one after it: that is what these faults are for.
 */
import type { Faults } from './supplier-faults.ts';

/** Where chance and time come from; the process has real ones, tests have scripted ones. */
export interface World {
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** Resolves after `ms`, or early when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborts when the process closes: nothing may touch the ledger after that. */
  readonly closing: AbortSignal;
}

type Moment = 'before' | 'after';
type Mishap = 'none' | `transient-${Moment}` | `hang-${Moment}`;

/**
 * Waits, then works, with what the faults do in between. The wait goes on when the client has gone
 * away: a request that was received is worked on, so effects come after the caller's deadline too.
 *
 * @param gone aborts when the client goes away; ends a call that hangs
 * @param work has the effect and makes the answer
 * @param lost makes the answer of a call whose own answer is lost
 */
export async function underFaults<Answer>(
  faults: Faults,
  world: World,
  gone: AbortSignal,
  work: () => Answer,
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
      work();
      return lost();
    case 'hang-before':
      await aborted(gone);
      return lost();
    case 'hang-after':
      work();
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

/** One draw decides whether and when: the lower half of the rate is before the effect. */
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
