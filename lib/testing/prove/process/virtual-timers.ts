/** The timers of JavaScript, in the virtual time of a simulated world. */
import { replaced } from './replaced.ts';

/** Runs work in so many ms; returns what cancels it. */
type After = (ms: number, work: () => void) => () => void;

type Work = (...given: readonly unknown[]) => void;

interface VirtualTimer {
  readonly ref: () => VirtualTimer;
  readonly unref: () => VirtualTimer;
  readonly hasRef: () => boolean;
  /** Begins its time anew. */
  readonly refresh: () => VirtualTimer;
  readonly close: () => void;
  readonly [Symbol.dispose]: () => void;
}

/**
 * Takes the place of `setTimeout`, `setInterval` and what clears them, until the returned function is called.
 *
 * @param current what the code that runs has in their place; undefined: the real ones
 */
export function installTimers(current: () => { readonly after: After } | undefined): () => void {
  const { setTimeout: setTimer, setInterval: setRepeated } = globalThis;
  const timers = new WeakSet<object>();
  const made = (after: After, work: () => void, given: { ms: unknown; repeats: boolean }) => {
    const timer = virtualTimer(after, work, given);
    timers.add(timer);
    return timer;
  };
  const setting =
    (real: typeof setTimer | typeof setRepeated, repeats: boolean) =>
    (work: Work, ms?: number, ...given: readonly unknown[]) => {
      const own = current();
      // The real one refuses what is no function.
      if (own === undefined || typeof work !== 'function') return real(work, ms, ...given);
      return made(own.after, () => work(...given), { ms, repeats });
    };
  const clearing = (real: typeof clearTimeout) => (handle: Parameters<typeof real>[0]) => {
    if (typeof handle === 'object' && timers.has(handle)) handle.close();
    else real(handle);
  };
  const restores = [
    replaced(globalThis, 'setTimeout', Object.assign(setting(setTimer, false), setTimer)),
    replaced(globalThis, 'setInterval', setting(setRepeated, true)),
    replaced(globalThis, 'clearTimeout', clearing(clearTimeout)),
    replaced(globalThis, 'clearInterval', clearing(clearInterval)),
  ];
  return () => {
    for (const restore of restores) restore();
  };
}

function virtualTimer(
  after: After,
  work: () => void,
  { ms, repeats }: { readonly ms: unknown; readonly repeats: boolean },
): VirtualTimer {
  const waitMs = delayOf(ms);
  let cancel = () => {};
  function start(): void {
    cancel();
    cancel = after(waitMs, () => {
      // Before the work, which may clear it.
      if (repeats) start();
      work();
    });
  }
  const timer: VirtualTimer = {
    ref: () => timer,
    unref: () => timer,
    hasRef: () => true,
    refresh() {
      start();
      return timer;
    },
    close: () => cancel(),
    [Symbol.dispose]: () => cancel(),
  };
  start();
  return timer;
}

const delayMaxMs = 2 ** 31 - 1;

/** As Node has it: what is out of range, or no number, is 1 ms. */
function delayOf(ms: unknown): number {
  const given = Number(ms);
  return given >= 1 && given <= delayMaxMs ? Math.trunc(given) : 1;
}
