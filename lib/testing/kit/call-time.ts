/** The virtual time that the calls of a test need: those that wait for a timer would never end, because no time passes by itself. */
import type { LocalReeve } from '#runtime/local/local-reeve.ts';
import { KitError } from './kit-error.ts';
import { settled, type TestClock } from './test-clock.ts';

/** See {@link callTime}. */
export interface CallTime {
  /** Moves the clock on behalf of the test, which has precedence: no call moves it meanwhile. */
  moving<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs one part of such a move when those before it have ended: a test may run several orders at the same time. */
  turn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The call, for which time passes while it waits for a timer and nothing else moves the clock. */
  passing<Result>(call: Promise<Result>): Promise<Result>;
  /** The process has ended, and with it the calls in flight: none of them would ever end. */
  endAll(): void;
}

/** A call that waits for longer waits for something else than time, ms. */
const passMaxMs = 3_600_000;

/** Lets time pass for calls in flight, from one event to the next, and only while nothing else happens in the process. */
export function callTime(clock: TestClock): CallTime {
  /** The calls in flight, each with what ends it when its process does. */
  const calls = new Set<() => void>();
  let moves = 0;
  let isPassing = false;
  let step: Promise<void> = Promise.resolve();
  let lastTurn: Promise<unknown> = Promise.resolve();

  /** Whether something happens without that time passes. */
  async function isAtWork(): Promise<boolean> {
    const before = clock.works();
    await settled();
    return clock.works() > before;
  }

  async function pass(): Promise<void> {
    if (isPassing) return;
    isPassing = true;
    const end = clock.now() + passMaxMs;
    while (calls.size > 0 && clock.pending() > 0 && clock.now() < end) {
      if ((await isAtWork()) || calls.size === 0 || moves > 0) continue;
      step = clock.next();
      await step;
    }
    isPassing = false;
  }

  return {
    async moving(work) {
      moves += 1;
      try {
        await step;
        return await work();
      } finally {
        moves -= 1;
      }
    },
    turn<Result>(work: () => Promise<Result>): Promise<Result> {
      const own = lastTurn.then(work);
      lastTurn = own.catch(() => {});
      return own;
    },
    passing<Result>(call: Promise<Result>): Promise<Result> {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      const lost = () => {
        // A test that ends its process may not look at what became of the call.
        promise.catch(() => {});
        reject(new KitError('reeve-killed', 'The process of Reeve has ended during this call.'));
      };
      calls.add(lost);
      call.then(resolve, reject).finally(() => calls.delete(lost));
      void pass();
      return promise;
    },
    endAll() {
      for (const lost of calls) lost();
      calls.clear();
    },
  };
}

/** The same Reeve, whose calls end though they wait for a timer. What waits for an order (`result`, `follow`) waits as before. */
export function withCallTime(reeve: LocalReeve, { passing }: CallTime): LocalReeve {
  const timed = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: readonly unknown[]) => {
          const result: unknown = Reflect.apply(value, target, given);
          return result instanceof Promise ? passing(result) : result;
        };
      },
    });
  const { submission, operator, agents, limits, supervisor, store } = reeve;
  return {
    ...reeve,
    submit: timed(reeve).submit,
    submission: timed(submission),
    operator: timed(operator),
    agents: timed(agents),
    limits: timed(limits),
    supervisor: timed(supervisor),
    store: timed(store),
    get recovered() {
      return passing(reeve.recovered);
    },
  };
}
