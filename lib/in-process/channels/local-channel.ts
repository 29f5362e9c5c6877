/**
 * A channel in memory. A crash may lose its messages, because a start recovers every live order (docs/design.md,
 * "Embedded"). Messages are delivered in batches; the sender never waits for the delivery.
 */
import { timedQueue } from '#core/flow/timed-queue.ts';
import { describeError } from '#core/model/errors.ts';
import type { Channel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';
import { type FairMessageQueueOptions, fairMessageQueue, fifoQueue } from './message-queue.ts';
import { redelivery } from './redelivery.ts';
import type { WaitSample } from './wait-sample.ts';

/** Options of {@link localChannel}. */
export interface LocalChannelOptions<Message> {
  /** For the log. */
  readonly name: string;
  /** Returns one delivery per message, in the same order; when it rejects, all are delivered again. */
  readonly receive: (messages: readonly Message[]) => Promise<readonly Delivery[]>;
  /** Messages per call of `receive`, at most. */
  readonly batchMax: number;
  /** Concurrent calls of `receive`, at most. */
  readonly inFlightMax: number;
  /** The delay before a redelivery, ms; for messages with a key, before the first one. */
  readonly retryAfterMs: number;
  /** Shares the deliveries between classes and tenants. Default: in the order in which the messages were sent. */
  readonly fair?: FairMessageQueueOptions<Message>;
  /** Not to deliver the message before this instant, ms since the epoch; undefined: at once. Default: all at once. */
  readonly atOf?: (message: Message) => number | undefined;
  /** Measures how long messages wait. Default: nothing is measured. */
  readonly waits?: WaitSample<Message>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A channel that can be closed. */
export interface LocalChannel<Message> extends Channel<Message> {
  /** Ends all deliveries; waiting messages are lost. */
  close(): void;
}

/**
 * Messages that wait for their instant, at most: some 15 MB. A channel that has so many loses the others, as every channel
 * may.
 */
const delayedMax = 100_000;

/** Makes a channel in memory. */
export function localChannel<Message>(
  options: LocalChannelOptions<Message>,
): LocalChannel<Message> {
  const { fair, atOf, clock } = options;
  const line = fair === undefined ? fifoQueue<Message>() : fairMessageQueue(fair);
  let inFlight = 0;
  const { retryAfterMs } = options;
  const keyOf = fair?.keyOf;
  const redelivered = redelivery<Message>({
    ...{ retryAfterMs, put, clock },
    ...(keyOf !== undefined && { keyOf }),
  });
  const delayed = timedQueue<Message>({ clock, max: delayedMax, onTime: put });

  function pump(): void {
    while (!redelivered.isClosed() && inFlight < options.inFlightMax && !line.isEmpty()) {
      inFlight += 1;
      const batch = line.take(options.batchMax);
      options.waits?.taken(batch, line.isEmpty());
      void deliver(batch);
    }
  }

  async function deliver(batch: readonly Message[]): Promise<void> {
    try {
      const answers = await options.receive(batch);
      const again: Message[] = [];
      for (const [at, message] of batch.entries()) {
        const answer = answers[at];
        if (answer?.kind === 'retry') again.push(message);
        else redelivered.delivered(message);
        if (answer?.kind === 'park') {
          options.log.error('message-parked', { channel: options.name, reason: answer.reason });
        }
      }
      if (again.length > 0) redelivered.later(again);
    } catch (error) {
      const name = describeError(error);
      if (!redelivered.isClosed())
        options.log.error('delivery-failed', { channel: options.name, error: name });
      redelivered.later(batch);
    } finally {
      inFlight -= 1;
      pump();
    }
  }

  function put(messages: readonly Message[]): void {
    if (line.isEmpty()) queueMicrotask(pump);
    for (const message of messages) line.add(message);
    const [first] = messages;
    if (first !== undefined) options.waits?.sent(first);
  }

  function isDelayed(message: Message): boolean {
    const at = atOf?.(message);
    if (at === undefined || at <= clock.now()) return false;
    delayed.add(message, at);
    return true;
  }

  return {
    send(messages) {
      if (atOf === undefined && keyOf === undefined) put(messages);
      else put(messages.filter((message) => !isDelayed(message) && !redelivered.takes(message)));
      return sent;
    },
    close() {
      redelivered.close();
      delayed.close();
    },
  };
}

const sent = Promise.resolve();
