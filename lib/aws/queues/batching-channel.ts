/** Batches messages sent at about the same time, so that ten replies take one request. */
import type { Channel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';

export interface BatchingOptions<Message> {
  readonly channel: Channel<Message>;
  readonly clock: Clock;
  /** How long the first message waits for others, ms: short compared with any step's deadline. */
  readonly waitMs: number;
  /** The number of messages that is sent without waiting. */
  readonly batchMax: number;
}

/** Each `send` settles as the request with its messages does. */
export function batchingChannel<Message>(options: BatchingOptions<Message>): Channel<Message> {
  const { channel, clock, waitMs, batchMax } = options;
  let pending: Message[] = [];
  let sent = Promise.withResolvers<void>();
  let cancel: (() => void) | undefined;

  function flush(): void {
    cancel?.();
    cancel = undefined;
    const { resolve, reject } = sent;
    const messages = pending;
    pending = [];
    sent = Promise.withResolvers<void>();
    channel.send(messages).then(resolve, reject);
  }

  return {
    send(messages) {
      pending.push(...messages);
      const { promise } = sent;
      if (pending.length >= batchMax) flush();
      else cancel ??= clock.after(waitMs, flush);
      return promise;
    },
  };
}
