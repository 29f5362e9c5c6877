/** Gathers what is sent at about the same time, so that ten replies are one request and not ten. */
import type { Channel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';

export interface BatchingOptions<Message> {
  readonly channel: Channel<Message>;
  readonly clock: Clock;
  /** How long the first message waits for others, ms: short beside any step's deadline. */
  readonly waitMs: number;
  /** At so many it is sent at once. */
  readonly batchMax: number;
}

/** Each `send` resolves, or rejects, with the request that its messages left by. */
export function batchingChannel<Message>(options: BatchingOptions<Message>): Channel<Message> {
  const { channel, clock, waitMs, batchMax } = options;
  let gathered: Message[] = [];
  let leaving = Promise.withResolvers<void>();
  let cancel: (() => void) | undefined;

  function leave(): void {
    cancel?.();
    cancel = undefined;
    const { resolve, reject } = leaving;
    const messages = gathered;
    gathered = [];
    leaving = Promise.withResolvers<void>();
    channel.send(messages).then(resolve, reject);
  }

  return {
    send(messages) {
      gathered.push(...messages);
      const { promise } = leaving;
      if (gathered.length >= batchMax) leave();
      else cancel ??= clock.after(waitMs, leave);
      return promise;
    },
  };
}
