/**
 * A channel in memory that hands on each message at once and by itself, because what bounds their number comes before it.
 * As with every channel of a process, a crash may lose its messages.
 */
import { describeError } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';
import type { LocalChannel } from './local-channel.ts';

/** Options of {@link directChannel}. */
export interface DirectChannelOptions<Message> {
  /** For the log. */
  readonly name: string;
  /** When it rejects, the message is delivered again. */
  readonly receive: (message: Message) => Promise<Delivery>;
  /** The delay before a redelivery, ms. */
  readonly retryAfterMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes the channel. */
export function directChannel<Message>({
  name,
  receive,
  retryAfterMs,
  clock,
  log,
}: DirectChannelOptions<Message>): LocalChannel<Message> {
  let waiting: Message[] = [];
  let closed = false;
  /** Cancels the timers of redeliveries. */
  const waits = new Set<() => void>();

  // After the turn of the sender, so that the agent's code does not run inside it.
  function put(message: Message): void {
    if (waiting.length === 0) queueMicrotask(pump);
    waiting.push(message);
  }

  function pump(): void {
    const batch = waiting;
    waiting = [];
    if (closed) return;
    for (const message of batch) deliver(message);
  }

  function deliver(message: Message): void {
    receive(message).then(
      (answer) => {
        if (answer.kind === 'retry') later(message);
        if (answer.kind === 'park') {
          log.error('message-parked', { channel: name, reason: answer.reason });
        }
      },
      (error: unknown) => {
        if (!closed) log.error('delivery-failed', { channel: name, error: describeError(error) });
        later(message);
      },
    );
  }

  function later(message: Message): void {
    if (closed) return;
    const cancel = clock.after(retryAfterMs, () => {
      waits.delete(cancel);
      put(message);
    });
    waits.add(cancel);
  }

  return {
    async send(messages) {
      for (const message of messages) put(message);
    },
    close() {
      closed = true;
      for (const cancel of waits) cancel();
    },
  };
}
