/** Delivers messages of a channel again after a pause. */
import type { Clock } from '#ports/clock.ts';

/** Options of {@link redelivery}. */
export interface RedeliveryOptions<Message> {
  /** The pause, ms. */
  readonly retryAfterMs: number;
  readonly put: (messages: readonly Message[]) => void;
  readonly clock: Clock;
}

/** See {@link redelivery}. */
export interface Redelivery<Message> {
  later(messages: readonly Message[]): void;
  isClosed(): boolean;
  /** Messages that wait, or come later, are lost. */
  close(): void;
}

/** Makes the redelivery of one channel. */
export function redelivery<Message>({
  retryAfterMs,
  put,
  clock,
}: RedeliveryOptions<Message>): Redelivery<Message> {
  let closed = false;
  /** Cancels the timers. */
  const waits = new Set<() => void>();
  return {
    later(messages) {
      if (closed) return;
      const cancel = clock.after(retryAfterMs, () => {
        waits.delete(cancel);
        put(messages);
      });
      waits.add(cancel);
    },
    isClosed: () => closed,
    close() {
      closed = true;
      for (const cancel of waits) cancel();
    },
  };
}
