/** Divides an agent's concurrent batches among its priority classes. */
import { ReeveError } from '#core/model/errors.ts';

/** The smallest maximum concurrency that Lambda accepts for one queue (Lambda with SQS). */
const shareMin = 2;

/**
 * Returns the share of each class, the highest class first; the shares sum to `total`. Shares are equal, with
 * the remainder to the higher classes: no class waits for another, and the service never gets more than the
 * total.
 *
 * A reserved concurrency of the function would also limit the total and let other classes use an idle class's
 * share. But a message that the throttled function cannot take counts as received, and becomes a dead letter
 * after too many receives.
 *
 * @throws {ReeveError} `concurrency-indivisible` when a class would get less than Lambda accepts
 */
export function sharesOf(agent: string, total: number, classes: number): readonly number[] {
  const share = Math.floor(total / classes);
  if (share < shareMin) {
    throw new ReeveError(
      'concurrency-indivisible',
      `Agent ${agent} has a concurrency of ${total}, which cannot be divided among ${classes} priority classes: Lambda requires at least ${shareMin} per queue. Set its concurrency to ${classes * shareMin} or more, or deploy fewer classes.`,
    );
  }
  const left = total % classes;
  return Array.from({ length: classes }, (_, at) => share + (at < left ? 1 : 0));
}
