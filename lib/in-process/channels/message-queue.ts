/** The order in which the messages of one channel are delivered: as they came, or shared fairly between flows. */
import { type FlowLabel, fairQueue } from '#core/flow/fair-queue.ts';
import type { TenantWeights } from '../tenant-weights.ts';

/** The messages that wait. */
export interface MessageQueue<Message> {
  isEmpty(): boolean;
  add(message: Message): void;
  /** Removes the next messages, at most `max`. */
  take(max: number): readonly Message[];
}

/** First in, first out. */
export function fifoQueue<Message>(): MessageQueue<Message> {
  let messages: Message[] = [];
  let taken = 0;
  return {
    isEmpty: () => taken === messages.length,
    add(message) {
      messages.push(message);
    },
    take(max) {
      const batch = messages.slice(taken, taken + max);
      taken += batch.length;
      // Dropped in bulk, because each shift of a long array moves all of it.
      if (taken === messages.length || taken > 10_000) {
        messages = messages.slice(taken);
        taken = 0;
      }
      return batch;
    },
  };
}

/** Options of {@link fairMessageQueue}. */
export interface FairMessageQueueOptions<Message> {
  readonly flowOf: (message: Message) => FlowLabel;
  /** Messages with one key are one message: the later one replaces the earlier one, in its own flow. Default: none are. */
  readonly keyOf?: (message: Message) => string;
  readonly weights: TenantWeights;
}

/**
 * Shared between classes and tenants. As long as all waiting messages are of one flow, they are in an {@link fifoQueue},
 * which is faster and gives the same order. The fair queue has them from the first message of another flow until it is
 * empty.
 */
export function fairMessageQueue<Message>({
  flowOf,
  keyOf,
  weights,
}: FairMessageQueueOptions<Message>): MessageQueue<Message> {
  const single = fifoQueue<Message>();
  let flow: FlowLabel = { priority: 'normal' };
  const shared = fairQueue<string | number, Message>({ weightOf: weights.of });
  weights.watch(shared.reweigh);
  let added = 0;

  function share(message: Message): void {
    added += 1;
    shared.add(keyOf?.(message) ?? added, message, flowOf(message));
  }

  return {
    isEmpty: () => single.isEmpty() && shared.size() === 0,
    add(message) {
      if (shared.size() === 0) {
        const label = flowOf(message);
        if (single.isEmpty()) flow = label;
        if (isSame(flow, label)) {
          single.add(message);
          return;
        }
        for (const earlier of single.take(Infinity)) share(earlier);
      }
      share(message);
    },
    take(max) {
      if (shared.size() === 0) return single.take(max);
      const batch: Message[] = [];
      while (batch.length < max) {
        const next = shared.take();
        if (next === undefined) break;
        batch.push(next.item);
      }
      return batch;
    },
  };
}

const isSame = (one: FlowLabel, other: FlowLabel) =>
  one.priority === other.priority && (one.tenant ?? null) === (other.tenant ?? null);
