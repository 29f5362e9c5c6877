/** Coalesces frequent requests for the same work. */

export interface Coalesced {
  /** Runs the work at once after a rest, otherwise once later for all requests since. */
  ask(): void;
  stop(): void;
}

/** Runs never overlap, and at least `restMs` pass between two: as it is after the first one. */
export function coalesced(
  work: () => Promise<void>,
  restMs: () => number,
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
      cancel = after(restMs(), rested);
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
