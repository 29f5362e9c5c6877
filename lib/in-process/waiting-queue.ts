/** The steps that wait in fair turns, and before them those that have had their turn already. */
import { type FairQueue, fairQueue } from '#core/flow/fair-queue.ts';
import type { Nudge } from '#core/model/message.ts';
import type { TenantWeights } from './tenant-weights.ts';

/** See {@link waitingQueue}. */
export interface WaitingQueue extends Pick<FairQueue<string, Nudge>, 'size' | 'has'> {
  /** A step that waits already has the class of this nudge from now on. */
  add(step: string, nudge: Nudge): void;
  /** A step that has had its turn, and could not go on then. */
  addFirst(step: string, nudge: Nudge): void;
  /** The next one; undefined: none waits. */
  peek(): { readonly key: string; readonly item: Nudge } | undefined;
  /** Removes the one that `peek` gave. */
  take(): void;
  remove(step: string): void;
}

/** Makes an empty queue. */
export function waitingQueue(weights: TenantWeights): WaitingQueue {
  const first = new Map<string, Nudge>();
  const fair = fairQueue<string, Nudge>({ weightOf: weights.of });
  weights.watch(fair.reweigh);
  return {
    size: () => first.size + fair.size(),
    has: (step) => first.has(step) || fair.has(step),
    add(step, nudge) {
      if (first.has(step)) first.set(step, nudge);
      else fair.add(step, nudge, nudge);
    },
    addFirst: (step, nudge) => void first.set(step, nudge),
    peek() {
      for (const [key, item] of first) return { key, item };
      return fair.peek();
    },
    take() {
      for (const [key] of first) return void first.delete(key);
      fair.take();
    },
    remove(step) {
      first.delete(step);
      fair.remove(step);
    },
  };
}
