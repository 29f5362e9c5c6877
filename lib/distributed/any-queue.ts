/**
 * Several queues among which the concurrency of one agent is divided, as one channel. A batch goes to the queue to which this
 * instance has sent the least, in which classes its requests may be: so an idle class leaves its share to the others.
 * Classes need no queues of their own here, because the queues are kept short and the orders that wait are started by class
 * (next-held.ts).
 */
import type { Channel } from '#ports/channels.ts';
import type { Random } from '#ports/random.ts';

/**
 * Sends each batch whole, so that it costs no more requests than with one queue. The first one goes to a random queue: many instances send
 * a few batches each, after a cold start, and the same queue would have the most of them, whose part of the concurrency is no larger.
 */
export function anyQueue<Message>(
  ordered: readonly Channel<Message>[],
  random: Random,
): Channel<Message> {
  const first = Math.floor(random.next() * ordered.length);
  const queues = [...ordered.slice(first), ...ordered.slice(0, first)];
  const sent = queues.map(() => 0);
  return {
    async send(messages) {
      const at = sent.indexOf(Math.min(...sent));
      sent[at] = (sent[at] ?? 0) + messages.length;
      await queues[at]?.send(messages);
    },
  };
}
