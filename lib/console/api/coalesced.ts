/** Work that is asked for often and done seldom. */

export interface Coalesced {
  /** Asks for it: at once when it rested long enough, else once for all who asked meanwhile. */
  ask(): void;
  stop(): void;
}

/** Never twice at a time, and at least `restMs` between the end of one and the next. */
export function coalesced(
  work: () => Promise<void>,
  restMs: number,
  after: (ms: number, work: () => void) => () => void,
): Coalesced {
  let state: 'ready' | 'working' | 'resting' | 'stopped' = 'ready';
  let asked = false;
  let cancel = () => {};
  const rested = () => {
    if (state === 'stopped') return;
    state = 'ready';
    if (asked) run();
  };
  const run = () => {
    state = 'working';
    asked = false;
    void work().finally(() => {
      if (state === 'stopped') return;
      state = 'resting';
      cancel = after(restMs, rested);
    });
  };
  return {
    ask() {
      if (state === 'ready') run();
      else asked = true;
    },
    stop() {
      state = 'stopped';
      cancel();
    },
  };
}
