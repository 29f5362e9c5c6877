/**
 * Promises that fail and that no code waits for, such as a call without `await`. Node would end the process, with the stack of the
 * simulation; here they are mistakes of the code that is proven.
 */

/** See {@link catchLostPromises}. */
export interface LostPromises {
  /** What the promises that were lost since the last call failed with. */
  take(): readonly unknown[];
  /** Gives the process its own listeners back. */
  release(): void;
}

const event = 'unhandledRejection';

/** Takes the place of the listeners of the process, such as those of a test runner. */
export function catchLostPromises(): LostPromises {
  const others = process.listeners(event);
  let lost: unknown[] = [];
  const onLost = (reason: unknown) => {
    lost.push(reason);
  };
  process.removeAllListeners(event);
  process.on(event, onLost);
  return {
    take() {
      const taken = lost;
      lost = [];
      return taken;
    },
    release() {
      process.off(event, onLost);
      for (const other of others) process.on(event, other);
    },
  };
}
