/**
 * A process, or a function's environment: it has a clock of its own, calls over a network that fails,
 * and crashes or freezes at any await. Calls that it had sent before a crash still take effect.
 */
import type { Clock } from '#ports/clock.ts';
import type { Line, Moment } from '#sim/faults/crash-points.ts';
import { type Call, type Caller, remoteCall } from '#sim/ports/remote-call.ts';
import type { SimContext } from './sim-context.ts';

export interface Machine {
  readonly name: string;
  readonly clock: Clock;
  /** Ms since an arbitrary instant, which no setting of its clock changes. */
  readonly uptime: () => number;
  /** The time by its clock, or by a correct one where that is later, ms since the epoch. */
  latestNow(): number;
  isAlive(): boolean;
  isFrozen(): boolean;
  /** Resolves with the answer, rejects with an {@link UnavailableError}, or never settles. */
  call<Value>(call: Call<Value>): Promise<Value>;
  /** Runs the work at once, or when the machine thaws, unless it has crashed by then. */
  whenAwake(work: () => void): void;
  die(): void;
  freeze(ms: number): void;
  setClock(skewMs: number): void;
}

/** Makes a part of a machine when it is first used: most use few of their parts, and many live for seconds. */
export function once<Part>(make: () => Part): () => Part {
  let made: { readonly part: Part } | null = null;
  return () => {
    made ??= { part: make() };
    return made.part;
  };
}

/** @param onDeath called once, when the machine crashes */
export function machine(name: string, around: SimContext, onDeath: () => void): Machine {
  const { timeline, chance, faults, trace, crashPoints } = around;
  let alive = true;
  let frozenUntil = 0;
  let skewMs = 0;
  const isAlive = () => alive;
  const isFrozen = () => frozenUntil > timeline.now();

  function die(): void {
    if (!alive) return;
    alive = false;
    trace.record(`${name} dies`);
    onDeath();
  }

  function whenAwake(work: () => void): void {
    if (!alive) return;
    if (isFrozen()) timeline.at(frozenUntil, () => whenAwake(work));
    else work();
  }

  function crash(lines: readonly Line[], moment: Moment): void {
    if (!alive) return;
    crashPoints.mark(lines, moment);
    die();
  }

  function after(ms: number, work: () => void): () => void {
    if (!alive) return () => {};
    const at = timeline.now() + Math.max(0, ms);
    if (!faults.strike('crash-while-waiting')) return awakeAfter(at, work);
    const lines = crashPoints.here();
    if (chance.hits(0.5)) return timeline.at(at, () => crash(lines, 'after'));
    crash(lines, 'before');
    return () => {};
  }

  /** A timer that is due while the machine is frozen can be cancelled until it thaws. */
  function awakeAfter(at: number, work: () => void): () => void {
    let isCancelled = false;
    const cancel = timeline.at(at, () =>
      whenAwake(() => {
        if (!isCancelled) work();
      }),
    );
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  const caller: Caller = { name, isAlive, whenAwake, crash };
  return {
    name,
    clock: { now: () => timeline.now() + skewMs, after },
    uptime: timeline.now,
    latestNow: () => timeline.now() + Math.max(0, skewMs),
    isAlive,
    isFrozen,
    call: (asked) => remoteCall(caller, around, asked),
    whenAwake,
    die,
    freeze(ms) {
      // A shorter one must not end it: what waits for the end of the longer one would come after what follows it.
      frozenUntil = Math.max(frozenUntil, timeline.now() + ms);
    },
    setClock(skew) {
      skewMs = skew;
    },
  };
}
