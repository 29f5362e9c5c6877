/** R19: what cannot be read, or is refused, is a dead letter; nothing else is parked. */
import type { Breach } from '#checkers/violation.ts';
import type { SimQueue } from '#sim/ports/sim-queue.ts';

/** A message that no release can read. */
export interface Poison {
  readonly queue: Pick<SimQueue, 'name' | 'deadLetters'>;
  readonly body: string;
}

/** Why valid messages are parked too: a submission has the key of another order; the record of an order cannot be read. */
const refusal = 'key-reused: ';
const unreadableRecord = 'record-corrupt';

/** @param wasUnreadable whether a record could not be read in this world */
export function judgeDeadLetters(
  queues: readonly Poison['queue'][],
  poison: readonly Poison[],
  wasUnreadable: boolean,
  breach: Breach,
): void {
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
        !(wasUnreadable && reason === unreadableRecord),
    );
    if (parked === undefined) continue;
    breach('R19', `${queue.name} has a valid message as a dead letter: ${parked.reason}`);
  }
}
