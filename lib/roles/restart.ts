/**
 * The recovery after a restart of the one process. The restart lost every call and message of the former process, so
 * each live order is interrupted, without a failure counted (R20): in due order and in slices, while Reeve already
 * accepts work, and not before its turn in the ramp comes, because until then it would only wait. Three invariants:
 *
 * 1. Nothing else changes such an order before it is interrupted: a role that is about to calls `interruptNow`. The submission may
 *    cancel one that has made no call, of which the restart lost nothing (debounce.ts).
 * 2. No sweep reaches it before: the sweep would count a failure for each call that the restart ended.
 * 3. An order that was submitted since the start is not interrupted.
 *
 * An order that the store refuses to change, or that cannot be read, must not stop the recovery: it is `uninterrupted` until the
 * sweep that finds it, or the next role that is about to change it, interrupts it.
 */
import { loggedText, UnavailableError } from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Page, StateStore } from '#ports/state-store.ts';
import { type FormerOrders, formerOrders } from './recovery/former-orders.ts';
import type { Uninterrupted } from './recovery/recover-page.ts';
import { restartRamp } from './recovery/restart-ramp.ts';
import type { Outcome, Transitions } from './transitions/transitions.ts';

/** Orders interrupted at once at most. */
const defaultSliceMax = 100;
/** The size of the first slice: its code runs for the first time, some twenty times slower than later. */
const firstSlice = 10;
/** After a slice that takes longer, ms, the next has half its size: a slice blocks the event loop. */
const sliceMs = 15;
/** The delay before failed writes are retried, ms. */
const retryAfterMs = 250;

/** The ports of {@link restart}. */
export interface RestartPorts {
  readonly store: StateStore;
  readonly transitions: Transitions;
  readonly clock: Clock;
  readonly log: Log;
  /** Orders interrupted at once at most. Default 100. */
  readonly sliceMax?: number;
  /** Orders dispatched again per second at most. Default 1,000: {@link limits.recoveryRampPerSecond}. */
  readonly rampPerSecond?: number;
}

/** The recovery of the former process's orders. */
export interface Restart {
  /**
   * Finds the live orders of the former process, and interrupts the first slice. Nothing may change an order before
   * this resolves. Returns the orders found, in due order.
   *
   * @throws {UnavailableError} `sweep-unwritten` when that slice cannot be written: do not start
   */
  begin(): Promise<readonly OrderId[]>;
  /** Resolves when every order was interrupted, with the number of orders changed; never after `stop`. */
  readonly done: Promise<number>;
  isDone(): boolean;
  /** Whether no order is left to be interrupted: done, and none is `uninterrupted`. */
  isSettled(): boolean;
  /** The orders whose interruption failed although the store was available: sweeps interrupt them, and count no failure. */
  readonly uninterrupted: Uninterrupted;
  /** The state store for sweeps: hides the orders that are not interrupted yet. */
  readonly sweptStore: StateStore;
  /**
   * Interrupts those of these orders that wait for it, and returns their new records; call it before anything changes them.
   *
   * @throws {UnavailableError} as the store gave it, when one of them could not be written: it still waits
   */
  interruptNow(orderIds: readonly OrderId[]): Promise<readonly ProcessRecord[]>;
  stop(): void;
}

/** Makes the recovery; `begin` starts it. */
export function restart(ports: RestartPorts): Restart {
  const { store, clock, log, sliceMax = defaultSliceMax } = ports;
  const finished = Promise.withResolvers<number>();
  const startedAt = clock.now();
  const former = formerOrders();
  let isDone = false;
  let isStopped = false;
  const ramp = restartRamp(clock, ports.rampPerSecond);
  const size = sliceSize(clock, sliceMax);
  /** One slice at a time, so that no order is interrupted twice. */
  const inTurn = oneAtATime();

  async function interruptSlice(
    slice: readonly OrderId[],
    errorOf: ErrorOf,
  ): Promise<readonly Outcome[]> {
    const outcomes = await ports.transitions.apply(
      slice.map((orderId, at) => ({ orderId, event: interruptedAt(ramp.turnOf(at)) })),
    );
    // An order that was not at work is not changed, and takes no place in the ramp.
    ramp.note(outcomes.filter(({ kind }) => kind === 'committed').length);
    const [first, ...others] = noteOutcomes(former, log, slice, outcomes);
    if (first !== undefined) throw errorOf([first, ...others], slice.length);
    return outcomes;
  }

  const nextSlice = () =>
    size.measure((max) =>
      inTurn(() => interruptSlice(former.slice(Math.min(max, ramp.placesLeft())), notWritten)),
    );

  async function interruptNext(): Promise<void> {
    const before = ramp.interrupted();
    await nextSlice();
    // A write yields to the event loop; without one, yield here.
    if (ramp.interrupted() === before) await ramp.pause(0);
  }

  async function interruptRest(): Promise<void> {
    while (former.left.size > 0 && !isStopped) {
      try {
        if (ramp.placesLeft() > 0) await interruptNext();
        else await ramp.next();
      } catch (error) {
        if (isStopped) return;
        log.error('recovery-delayed', { orders: former.left.size, error: loggedText(error) });
        await ramp.pause(retryAfterMs);
      }
    }
    if (isStopped) return;
    isDone = true;
    finished.resolve(ramp.interrupted());
  }

  return {
    done: finished.promise,
    isDone: () => isDone,
    isSettled: () => isDone && former.uninterrupted.size === 0,
    uninterrupted: former.uninterrupted,
    sweptStore: sweptStore(store, former, startedAt),
    async begin() {
      for (let shard = 0; shard < store.dueShards; shard += 1) {
        for (const orderId of await dueIn(store, shard)) former.add(orderId);
      }
      if (former.left.size > 0) await nextSlice();
      void interruptRest();
      return former.found;
    },
    async interruptNow(orderIds) {
      if (!orderIds.some(former.waits)) return [];
      const outcomes = await inTurn(() =>
        interruptSlice([...new Set(orderIds)].filter(former.waits), ([error]) => error),
      );
      return outcomes.flatMap((outcome) => (outcome.kind === 'committed' ? [outcome.record] : []));
    },
    stop() {
      isStopped = true;
      ramp.stop();
    },
  };
}

/** What to throw when the store was unavailable for some of so many orders, which are still to be written. */
type ErrorOf = (
  errors: readonly [UnavailableError, ...UnavailableError[]],
  of: number,
) => UnavailableError;

/** Returns the errors of the orders that are still to be written: the store was unavailable for them. */
function noteOutcomes(
  former: FormerOrders,
  log: Log,
  slice: readonly OrderId[],
  outcomes: readonly Outcome[],
): readonly UnavailableError[] {
  const unwritten: UnavailableError[] = [];
  for (const [at, orderId] of slice.entries()) {
    const outcome = outcomes[at];
    const error = outcome?.kind === 'failed' ? outcome.error : null;
    if (error !== null) log.error('recovery-failed', { orderId, error: loggedText(error) });
    if (error instanceof UnavailableError) {
      unwritten.push(error);
      continue;
    }
    former.left.delete(orderId);
    if (error === null) former.uninterrupted.delete(orderId);
    else former.uninterrupted.add(orderId);
  }
  return unwritten;
}

function oneAtATime() {
  let last: Promise<void> = Promise.resolve();
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    try {
      return await work();
    } finally {
      resolve();
    }
  };
}

/** The size of the next slice: twice that of the last one, or half of it when that one took too long. */
function sliceSize(clock: Clock, max: number) {
  let size = Math.min(firstSlice, max);
  return {
    async measure(slice: (size: number) => Promise<unknown>): Promise<void> {
      const began = clock.now();
      await slice(size);
      const isSlow = clock.now() - began > sliceMs;
      size = isSlow ? Math.max(1, Math.floor(size / 2)) : Math.min(max, 2 * size);
    },
  };
}

const interruptedAt = (notBefore: number) => (): RecordEvent => ({
  type: 'interrupted',
  reason: 'restart',
  notBefore,
});

/** Interrupted and new orders are due after the start, so earlier index entries are not read. */
function sweptStore(store: StateStore, former: FormerOrders, startedAt: number): StateStore {
  return {
    ...store,
    async due(query) {
      if (former.left.size === 0) return store.due(query);
      const page = await store.due({ ...query, from: Math.max(query.from, startedAt) });
      return { ...page, items: page.items.filter((orderId) => !former.left.has(orderId)) };
    },
  };
}

async function dueIn(store: StateStore, shard: number): Promise<readonly OrderId[]> {
  const found: OrderId[] = [];
  const range = { shard, from: 0, to: Number.MAX_SAFE_INTEGER, limit: limits.startPage };
  let cursor: string | null = null;
  do {
    const page: Page<OrderId> = await store.due({ ...range, cursor });
    for (const orderId of page.items) found.push(orderId);
    cursor = page.cursor;
  } while (cursor !== null);
  return found;
}

const notWritten: ErrorOf = (errors, of) =>
  new UnavailableError(
    'sweep-unwritten',
    `${errors.length} of ${of} orders of the last process could not be written. Make the store writable, then start again.`,
  );
