/** How the batches that an agent may work on at once are divided over its priority classes. */
import { ReeveError } from '#core/model/errors.ts';

/** The smallest limit that Lambda takes for the mapping of one queue (Lambda with SQS, maximum concurrency). */
const shareMin = 2;

/**
 * A share for each class, the highest first; together they are the total. Equal, and what is left over goes to the
 * higher classes: no class waits for another, and the service never gets more than the total.
 *
 * A limit of the function itself would be the total too, and would let an idle class leave its share to
 * the others. But a queue's message that the function is too busy for counts as received, and after five of those it is a dead letter.
 *
 * @throws {ReeveError} `concurrency-indivisible` when a class would have less than Lambda takes
 */
export function sharesOf(agent: string, total: number, classes: number): readonly number[] {
  const share = Math.floor(total / classes);
  if (share < shareMin) {
    throw new ReeveError(
      'concurrency-indivisible',
      `Agent ${agent} may work on ${total} batches at once, which cannot be divided over ${classes} priority classes: Lambda takes ${shareMin} for a queue at least. Set its concurrency to ${classes * shareMin} or more, or deploy fewer classes.`,
    );
  }
  const left = total % classes;
  return Array.from({ length: classes }, (_, at) => share + (at < left ? 1 : 0));
}
