/**
 * The recovery after a restart of the one process. Every call and message of the former process is lost, so
 * that each order it left alive is taken back, uncounted (R20): in due order and in slices, while Reeve
 * already takes work. So that this is right:
 *
 * 1. Nothing else changes such an order before it was taken back: `first` does it for whoever is about to.
 * 2. No sweep meets it before: it would count as a failure what the restart interrupted.
 * 3. An order that was submitted since is none of them.
 */
import { describeError, UnavailableError } from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Page, StateStore } from '#ports/state-store.ts';
import type { Operator } from './operator.ts';
import type { Scheduler } from './scheduler.ts';
import type { Transitions } from './transitions.ts';

/** Orders taken back in one go at most. */
const defaultSliceMax = 100;
/** The first slice: the code that takes orders back runs for the first time, some twenty times slower than later. */
const firstSlice = 10;
/** A slice that takes longer is followed by one of half its size, ms: nothing else gets its turn meanwhile. */
const sliceMs = 15;
/** Index entries read in one go: nothing else can happen yet, so that a page may be long. */
const pageMax = 10_000;
/** Before what could not be written is tried again, ms. */
const retryAfterMs = 250;

export interface RestartPorts {
  readonly store: StateStore;
  readonly transitions: Transitions;
  readonly clock: Clock;
  readonly log: Log;
  /** Default 100. */
  readonly sliceMax?: number;
}

export interface Restart {
  /**
   * Finds what the former process left, and takes back the first slice. Nothing may change an order before
   * it resolves; it gives the number of orders found.
   *
   * @throws {UnavailableError} `sweep-unwritten` when that slice cannot be written: do not start
   */
  begin(): Promise<readonly OrderId[]>;
  /** Resolves when every order was taken back, with how many were changed; never after `stop`. */
  readonly done: Promise<number>;
  isDone(): boolean;
  /** The state store as sweeps see it: without the orders that were not taken back yet. */
  readonly sweptStore: StateStore;
  /** Takes back these now, as far as they are of the former process: call it before anything changes them. */
  first(orderIds: readonly OrderId[]): Promise<void>;
  stop(): void;
}

export function restart(ports: RestartPorts): Restart {
  const { store, clock, log, sliceMax = defaultSliceMax } = ports;
  const finished = Promise.withResolvers<number>();
  const startedAt = clock.now();
  const former = formerOrders();
  let isDone = false;
  let isStopped = false;
  const size = sliceSize(clock, sliceMax);
  let place = 0;
  let recovered = 0;
  /** One slice at a time, so that no order is taken back twice. */
  let last: Promise<void> = Promise.resolve();

  async function takeBack(slice: readonly OrderId[]): Promise<void> {
    const outcomes = await ports.transitions.apply(
      slice.map((orderId) => ({ orderId, event: interrupted(startedAt, place++) })),
    );
    let unwritten = 0;
    for (const [at, orderId] of slice.entries()) {
      const outcome = outcomes[at];
      if (outcome?.kind === 'committed') recovered += 1;
      const error = outcome?.kind === 'failed' ? outcome.error : null;
      if (error !== null) log.error('recovery-failed', { orderId, error: describeError(error) });
      // One that cannot be read stays as it is: the sweep that meets it says so again.
      if (error instanceof UnavailableError) unwritten += 1;
      else former.left.delete(orderId);
    }
    if (unwritten > 0) throw notWritten(unwritten, slice.length);
  }

  async function inTurn(choose: () => readonly OrderId[]): Promise<void> {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    try {
      await takeBack(choose());
    } finally {
      resolve();
    }
  }

  async function rest(): Promise<void> {
    while (former.left.size > 0 && !isStopped) {
      const before = recovered;
      try {
        await size.measure((max) => inTurn(() => former.slice(max)));
        // A write lets others have their turn; where nothing was written, nothing else has.
        if (recovered === before) await after(clock, 0);
      } catch (error) {
        if (isStopped) return;
        log.error('recovery-delayed', { orders: former.left.size, error: describeError(error) });
        await after(clock, retryAfterMs);
      }
    }
    if (isStopped) return;
    isDone = true;
    finished.resolve(recovered);
  }

  return {
    done: finished.promise,
    isDone: () => isDone,
    sweptStore: sweptStore(store, former, startedAt),
    async begin() {
      for (let shard = 0; shard < store.dueShards; shard += 1) {
        for (const orderId of await dueIn(store, shard)) former.add(orderId);
      }
      if (former.left.size > 0) await size.measure((max) => inTurn(() => former.slice(max)));
      void rest();
      return former.found;
    },
    async first(orderIds) {
      if (isDone || !orderIds.some((orderId) => former.left.has(orderId))) return;
      await inTurn(() => [...new Set(orderIds)].filter((orderId) => former.left.has(orderId)));
    },
    stop() {
      isStopped = true;
    },
  };
}

/** How many orders the next slice has: twice as many as the last one, or half of them where that took too long. */
function sliceSize(clock: Clock, max: number) {
  let size = Math.min(firstSlice, max);
  return {
    async measure(slice: (size: number) => Promise<void>): Promise<void> {
      const began = clock.now();
      await slice(size);
      const isSlow = clock.now() - began > sliceMs;
      size = isSlow ? Math.max(1, Math.floor(size / 2)) : Math.min(max, 2 * size);
    },
  };
}

interface FormerOrders {
  /** In due order. */
  readonly found: readonly OrderId[];
  /** Those that were not taken back yet. */
  readonly left: Set<OrderId>;
  add(orderId: OrderId): void;
  /** The next ones that are left; at the end it begins anew, with those that could not be written. */
  slice(max: number): readonly OrderId[];
  isHidden(orderId: OrderId): boolean;
  hidesAny(): boolean;
}

/**
 * Sweeps see none of them until each was met once: those that were taken back already wait for their nudge so
 * long, because to dispatch them would take the time that the recovery of the others needs.
 */
function formerOrders(): FormerOrders {
  const found: OrderId[] = [];
  const left = new Set<OrderId>();
  let hidden: ReadonlySet<OrderId> = left;
  let passes = 0;
  let next = 0;
  return {
    found,
    left,
    add(orderId) {
      found.push(orderId);
      left.add(orderId);
    },
    slice(max) {
      if (next === 0 && passes === 0) hidden = new Set(found);
      const slice: OrderId[] = [];
      for (; next < found.length && slice.length < max; next += 1) {
        const orderId = found[next];
        if (orderId !== undefined && left.has(orderId)) slice.push(orderId);
      }
      if (next === found.length) {
        hidden = left;
        passes += 1;
        next = 0;
      }
      return slice;
    },
    isHidden: (orderId) => hidden.has(orderId),
    hidesAny: () => hidden.size > 0,
  };
}

/** Nudges of an order that was not taken back yet wait until it was. */
export function afterRestart(restarted: Restart, of: Scheduler): Scheduler {
  return {
    onReplies: of.onReplies,
    async onNudges(nudges) {
      if (!restarted.isDone()) await restarted.first(nudges.map(({ orderId }) => orderId));
      return of.onNudges(nudges);
    },
  };
}

/** As above, for what a person decides. */
export function operatorAfterRestart(restarted: Restart, of: Operator): Operator {
  return {
    async resubmit(orderId, ...rest) {
      await restarted.first([orderId]);
      return of.resubmit(orderId, ...rest);
    },
    async cancel(orderId, ...rest) {
      await restarted.first([orderId]);
      return of.cancel(orderId, ...rest);
    },
  };
}

/** Dispatches again in the order of urgency, so many a second, lest the recovery be the next outage. */
function interrupted(startedAt: number, place: number): () => RecordEvent {
  const seconds = Math.floor(place / limits.recoveryRampPerSecond);
  return () => ({ type: 'interrupted', reason: 'restart', notBefore: startedAt + seconds * 1_000 });
}

/** What was taken back, or submitted since, is due after the start: nothing before it is looked through. */
function sweptStore(store: StateStore, former: FormerOrders, startedAt: number): StateStore {
  return {
    ...store,
    async due(query) {
      if (!former.hidesAny()) return store.due(query);
      const page = await store.due({ ...query, from: Math.max(query.from, startedAt) });
      return { ...page, items: page.items.filter((orderId) => !former.isHidden(orderId)) };
    },
  };
}

async function dueIn(store: StateStore, shard: number): Promise<readonly OrderId[]> {
  const found: OrderId[] = [];
  const range = { shard, from: 0, to: Number.MAX_SAFE_INTEGER, limit: pageMax };
  let cursor: string | null = null;
  do {
    const page: Page<OrderId> = await store.due({ ...range, cursor });
    for (const orderId of page.items) found.push(orderId);
    cursor = page.cursor;
  } while (cursor !== null);
  return found;
}

function notWritten(unwritten: number, of: number): UnavailableError {
  return new UnavailableError(
    'sweep-unwritten',
    `${unwritten} of ${of} orders that the last process left could not be taken back. See that the store can be written, then start again.`,
  );
}

const after = (clock: Clock, ms: number) =>
  new Promise<void>((resolve) => {
    clock.after(ms, resolve);
  });
