/** The sweeps of production in a test: one every second, of which only those are made that find a due order. */
import { dueAt } from '#core/decide/due.ts';
import { describeError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Clock } from '#ports/clock.ts';
import type { LocalReeve } from '#runtime/local/local-reeve.ts';

/** The default period of sweeps of an embedded Reeve, ms. */
const periodMs = 1_000;

/**
 * Recovers each order at the first whole second after the instant at which it is due, unless something else has done so: some things wait
 * for a sweep, such as the end of a hold.
 *
 * @param dues when each live order is due; kept up to date here
 * @param clock of the process: nothing rings after its end
 */
export function promptSweeps(
  reeve: LocalReeve,
  clock: Clock,
  dues: Map<OrderId, number>,
): { stop(): void } {
  let nextAt = Number.POSITIVE_INFINITY;
  let cancel = () => {};
  let isStopped = false;

  /** The timer may ring when nothing is due any more: an order that is due later is not worth a search for the earliest. */
  function sweepAfter(due: number): void {
    const at = secondAfter(Math.max(due, clock.now()));
    if (isStopped || at >= nextAt) return;
    cancel();
    nextAt = at;
    cancel = clock.after(at - clock.now(), () => void sweep());
  }

  async function sweep(): Promise<void> {
    nextAt = Number.POSITIVE_INFINITY;
    const nowMs = clock.now();
    const due = [...dues].flatMap(([id, at]) => (at < nowMs ? [id] : []));
    try {
      // A restart interrupts the calls of the former process first: no failure is counted for them.
      if (due.length > 0 && !reeve.isStarting())
        await reeve.supervisor.recover(due, reeve.isStarting);
    } catch (error) {
      if (!isStopped) reeve.log.error('sweep-failed', { error: describeError(error) });
    }
    if (dues.size > 0) sweepAfter(earliestOf(dues));
  }

  const unwatch = reeve.watch((record) => {
    const due = dueAt(record);
    if (due === null) {
      dues.delete(record.orderId);
      return;
    }
    dues.set(record.orderId, due);
    sweepAfter(due);
  });
  if (dues.size > 0) sweepAfter(earliestOf(dues));
  return {
    stop() {
      isStopped = true;
      unwatch();
      cancel();
    },
  };
}

const secondAfter = (instant: number) => (Math.floor(instant / periodMs) + 1) * periodMs;

function earliestOf(dues: ReadonlyMap<OrderId, number>): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (const at of dues.values()) earliest = Math.min(earliest, at);
  return earliest;
}
