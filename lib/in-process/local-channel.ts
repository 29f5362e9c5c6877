/**
 * An in-process channel. It may lose everything in a crash: on start every live order counts as due
 * (docs/design.md, "Embedded"). Messages are handed over in batches as they are, and never waited for by the sender.
 */
import { describeError } from '#core/model/errors.ts';
import type { Channel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';

export interface LocalChannelOptions<Message> {
  /** For the log. */
  readonly name: string;
  /** One delivery for each message, in place; when it rejects, all are delivered again. */
  readonly receive: (messages: readonly Message[]) => Promise<readonly Delivery[]>;
  /** Messages in one call of `receive`. */
  readonly batchMax: number;
  /** Calls of `receive` at once. */
  readonly inFlightMax: number;
  /** Wait before a message is delivered again, ms. */
  readonly retryAfterMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface LocalChannel<Message> extends Channel<Message> {
  /** Delivers nothing more. */
  close(): void;
}

export function localChannel<Message>(
  options: LocalChannelOptions<Message>,
): LocalChannel<Message> {
  let queue: Message[] = [];
  let taken = 0;
  let inFlight = 0;
  let closed = false;
  const waits = new Set<() => void>();

  function pump(): void {
    while (!closed && inFlight < options.inFlightMax && taken < queue.length) {
      const batch = queue.slice(taken, taken + options.batchMax);
      taken += batch.length;
      inFlight += 1;
      void deliver(batch);
    }
    // Taken messages are dropped in bulk: shifting each would move the whole queue each time.
    if (taken === queue.length || taken > 10_000) {
      queue = queue.slice(taken);
      taken = 0;
    }
  }

  async function deliver(batch: readonly Message[]): Promise<void> {
    try {
      const answers = await options.receive(batch);
      const again: Message[] = [];
      for (const [at, message] of batch.entries()) {
        const answer = answers[at];
        if (answer?.kind === 'retry') again.push(message);
        if (answer?.kind === 'park') {
          options.log.error('message-parked', { channel: options.name, reason: answer.reason });
        }
      }
      if (again.length > 0) later(again);
    } catch (error) {
      const name = describeError(error);
      if (!closed) options.log.error('delivery-failed', { channel: options.name, error: name });
      later(batch);
    } finally {
      inFlight -= 1;
      pump();
    }
  }

  function later(messages: readonly Message[]): void {
    if (closed) return;
    const cancel = options.clock.after(options.retryAfterMs, () => {
      waits.delete(cancel);
      put(messages);
    });
    waits.add(cancel);
  }

  function put(messages: readonly Message[]): void {
    if (queue.length === taken) queueMicrotask(pump);
    for (const message of messages) queue.push(message);
  }

  return {
    async send(messages) {
      put(messages);
    },
    close() {
      closed = true;
      for (const cancel of waits) cancel();
    },
  };
}
