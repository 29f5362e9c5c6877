/**
 * A channel in memory that hands on each message at once and by itself, because what bounds their number comes before it.
 * As with every channel of a process, a crash may lose its messages.
 */
import { describeError } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';
import type { LocalChannel } from './local-channel.ts';
import { redelivery } from './redelivery.ts';

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
  const again = redelivery<Message>({ retryAfterMs, put, clock });

  // After the turn of the sender, so that the agent's code does not run inside it.
  function put(messages: readonly Message[]): void {
    if (waiting.length === 0) queueMicrotask(pump);
    waiting.push(...messages);
  }

  function pump(): void {
    const batch = waiting;
    waiting = [];
    if (again.isClosed()) return;
    for (const message of batch) deliver(message);
  }

  function deliver(message: Message): void {
    receive(message).then(
      (answer) => {
        if (answer.kind === 'retry') again.later([message]);
        if (answer.kind === 'park') {
          log.error('message-parked', { channel: name, reason: answer.reason });
        }
      },
      (error: unknown) => {
        if (again.isClosed()) return;
        log.error('delivery-failed', { channel: name, error: describeError(error) });
        again.later([message]);
      },
    );
  }

  return {
    send(messages) {
      put(messages);
      return sent;
    },
    close: again.close,
  };
}

const sent = Promise.resolve();
