/**
 * Delivers messages of a channel again after a pause. Messages with one key are one message: of those that fail again and again, one
 * waits for each key, and its pause grows.
 */
import { type BackOff, backOffWindowMs } from '#core/model/back-off.ts';
import type { Clock } from '#ports/clock.ts';

/** Options of {@link redelivery}. */
export interface RedeliveryOptions<Message> {
  /** The first pause, ms. */
  readonly retryAfterMs: number;
  /** Default: no messages are one, and each pause is as long as the first. */
  readonly keyOf?: (message: Message) => string;
  readonly put: (messages: readonly Message[]) => void;
  readonly clock: Clock;
}

/** See {@link redelivery}. */
export interface Redelivery<Message> {
  later(messages: readonly Message[]): void;
  /** Whether one with the key of the message waits. It has the content of this one from then on. */
  takes(message: Message): boolean;
  /** The message was delivered: the next pause of its key is the first one again. */
  delivered(message: Message): void;
  isClosed(): boolean;
  /** Messages that wait, or come later, are lost. */
  close(): void;
}

/** The longest pause, ms: what has failed for a while may succeed again at any time, and a slot may be reserved for its order meanwhile. */
const pauseMaxMs = 2_000;

/** Makes the redelivery of one channel. */
export function redelivery<Message>({
  retryAfterMs,
  keyOf,
  put,
  clock,
}: RedeliveryOptions<Message>): Redelivery<Message> {
  const backOff: BackOff = { firstMs: retryAfterMs, maxMs: pauseMaxMs };
  let closed = false;
  /** Cancels the timers. */
  const waits = new Set<() => void>();
  const waiting = new Map<string, Message>();
  const failures = new Map<string, number>();

  function after(ms: number, work: () => void): void {
    const cancel = clock.after(ms, () => {
      waits.delete(cancel);
      work();
    });
    waits.add(cancel);
  }

  function takes(message: Message): boolean {
    if (keyOf === undefined || waiting.size === 0 || !waiting.has(keyOf(message))) return false;
    waiting.set(keyOf(message), message);
    return true;
  }

  function fails(key: string, message: Message): number {
    const times = (failures.get(key) ?? 0) + 1;
    failures.set(key, times);
    waiting.set(key, message);
    return backOffWindowMs(backOff, times);
  }

  function putOnce(keys: readonly string[]): void {
    const due = keys.flatMap((key) => waiting.get(key) ?? []);
    for (const key of keys) waiting.delete(key);
    put(due);
  }

  return {
    later(messages) {
      if (closed) return;
      if (keyOf === undefined) return after(retryAfterMs, () => put(messages));
      const keys = new Map<number, string[]>();
      for (const message of messages) {
        if (takes(message)) continue;
        const pauseMs = fails(keyOf(message), message);
        const own = keys.get(pauseMs) ?? [];
        own.push(keyOf(message));
        keys.set(pauseMs, own);
      }
      for (const [pauseMs, own] of keys) after(pauseMs, () => putOnce(own));
    },
    takes,
    delivered(message) {
      if (keyOf !== undefined && failures.size > 0) failures.delete(keyOf(message));
    },
    isClosed: () => closed,
    close() {
      closed = true;
      for (const cancel of waits) cancel();
    },
  };
}
