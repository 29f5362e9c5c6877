/** One key of a limit, and the steps that wait for room in it: shared fairly between classes and tenants (R24). */
import { fairQueue } from '#core/flow/fair-queue.ts';
import type { Nudge } from '#core/model/message.ts';
import type { Clock } from '#ports/clock.ts';
import type { TenantWeights } from '../tenant-weights.ts';
import {
  type LimitBucket,
  type LimitBucketOptions,
  limitBucket,
  type Room,
} from './limit-bucket.ts';

/** A step that waits. */
export interface LimitWaiter {
  readonly step: string;
  /** Of its order, in its present class. */
  nudge: Nudge;
  /** The step has room, which it keeps. */
  readonly passes: (room: Room) => void;
}

/** See {@link limitQueue}. */
export interface LimitQueue {
  readonly bucket: LimitBucket;
  /** Whether a step that comes now has room: others that wait are before it. */
  hasRoom(): boolean;
  /** A step that waits already keeps its position, unless its order has another class now. */
  add(waiter: LimitWaiter): void;
  remove(step: string): void;
  /** Lets those pass that have room now: call it when the limit allows more than before. */
  fill(): void;
  reweigh(tenant: string | null): void;
  /** Whether it can be forgotten. */
  isIdle(): boolean;
  /** Lets no step pass any more. */
  close(): void;
}

/** Options of {@link limitQueue}. */
export interface LimitQueueOptions extends Omit<LimitBucketOptions, 'onFree'> {
  readonly weights: TenantWeights;
  readonly clock: Clock;
}

/** Makes the queue of one key. */
export function limitQueue(options: LimitQueueOptions): LimitQueue {
  const { weights, clock } = options;
  const bucket = limitBucket({ ...options, onFree: fill });
  const waits = fairQueue<string, LimitWaiter>({ weightOf: weights.of });
  let cancelTimer = () => {};
  let isClosed = false;

  let isFilling = false;

  /** One that passes may give its room back at once: then the loop that let it pass goes on. */
  function fill(): void {
    if (isFilling) return;
    isFilling = true;
    try {
      while (!isClosed && waits.size() > 0 && mayPass()) {
        waits.take()?.item.passes(bucket.reserve());
      }
    } finally {
      isFilling = false;
    }
  }

  function mayPass(): boolean {
    const at = bucket.freeAt();
    // The end of a call makes room.
    if (at === null) return false;
    if (at <= clock.now()) return true;
    cancelTimer();
    cancelTimer = clock.after(Math.max(1, Math.ceil(at - clock.now())), fill);
    return false;
  }

  return {
    bucket,
    hasRoom() {
      const at = waits.size() === 0 ? bucket.freeAt() : null;
      return at !== null && at <= clock.now();
    },
    add(waiter) {
      waits.add(waiter.step, waiter, waiter.nudge);
      fill();
    },
    remove: (step) => void waits.remove(step),
    fill,
    reweigh: waits.reweigh,
    isIdle: () => waits.size() === 0 && bucket.isIdle(),
    close() {
      isClosed = true;
      cancelTimer();
    },
  };
}
