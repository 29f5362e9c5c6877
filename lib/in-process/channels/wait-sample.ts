/** Since when messages wait in a queue: measured on one of them at a time, so that it costs next to nothing. */
import type { Clock } from '#ports/clock.ts';

/** See {@link waitSample}. */
export interface WaitSample<Message> {
  sent(message: Message): void;
  /** `isEmpty`: nothing is left in the queue. */
  taken(batch: readonly Message[], isEmpty: boolean): void;
  /** A message has waited since this instant, ms since the epoch; null: none waits. */
  since(): number | null;
}

/** Makes the measurement of one queue. `keyOf`: messages with one key are one message. */
export function waitSample<Message>(
  clock: Clock,
  keyOf: (message: Message) => unknown = (message) => message,
): WaitSample<Message> {
  let sample: { readonly key: unknown; readonly since: number } | null = null;
  return {
    sent(message) {
      sample ??= { key: keyOf(message), since: clock.now() };
    },
    taken(batch, isEmpty) {
      if (sample === null) return;
      const { key } = sample;
      if (isEmpty || batch.some((message) => keyOf(message) === key)) sample = null;
    },
    since: () => sample?.since ?? null,
  };
}
