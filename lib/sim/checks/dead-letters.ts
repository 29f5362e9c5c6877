/** R19: what cannot be read, or is refused, is a dead letter; nothing else is parked. */
import type { Breach } from '#checkers/violation.ts';
import type { FaultName } from '#sim/faults/fault-rates.ts';
import type { SimQueue } from '#sim/ports/sim-queue.ts';

/** A message that no release can read. */
export interface Poison {
  readonly queue: Pick<SimQueue, 'name' | 'deadLetters'>;
  readonly body: string;
}

/** Submissions with a key of another order are refused, with any content. */
const refusal = 'key-reused: ';
/** Faults for which a valid message is parked, with the reason: no further try would succeed. */
const reasonOf: ReadonlyMap<FaultName, string> = new Map([
  ['record-unreadable', 'record-corrupt'],
  ['write-refused', 'store-refused'],
]);

/** @param hits the faults that happened */
export function judgeDeadLetters(
  queues: readonly Poison['queue'][],
  poison: readonly Poison[],
  hits: ReadonlyMap<FaultName, number>,
  breach: Breach,
): void {
  const known = [...reasonOf].flatMap(([fault, reason]) => (hits.has(fault) ? [reason] : []));
  for (const { queue, body } of poison) {
    if (queue.deadLetters.some((dead) => dead.body === body)) continue;
    breach('R19', `${body} is not among the dead letters of ${queue.name}`);
  }
  for (const queue of queues) {
    const unreadable = poison.filter((one) => one.queue === queue).map(({ body }) => body);
    const parked = queue.deadLetters.find(
      ({ body, reason }) =>
        reason !== null &&
        !unreadable.includes(body) &&
        !reason.startsWith(refusal) &&
        !known.includes(reason),
    );
    if (parked === undefined) continue;
    breach('R19', `${queue.name} has a valid message as a dead letter: ${parked.reason}`);
  }
}
