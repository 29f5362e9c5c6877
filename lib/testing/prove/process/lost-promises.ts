/**
 * Promises that fail and that no code waits for, such as a call without `await`. Node would end the process, with the stack of the
 * simulation; here they are mistakes of the code that is proven.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** See {@link catchLostPromises}. */
export interface LostPromises {
  /** Runs the code of the proof, whose promises these are. */
  within<Value>(code: () => Value): Value;
  /** What the promises that were lost since the last call failed with. */
  take(): readonly unknown[];
  /** Gives the process its own listeners back. */
  release(): void;
}

const event = 'unhandledRejection';

const proofs = new AsyncLocalStorage<true>();

/**
 * Takes the place of the listeners of the process, such as those of a test runner, for promises of the proof. Those of other code, such as
 * of a test beside it, still reach these listeners.
 */
export function catchLostPromises(): LostPromises {
  const others = process.listeners(event);
  let lost: unknown[] = [];
  const onLost = (reason: unknown, promise: unknown) => {
    if (proofs.getStore() === true || others.length === 0) lost.push(reason);
    else for (const other of others) Reflect.apply(other, process, [reason, promise]);
  };
  process.removeAllListeners(event);
  process.on(event, onLost);
  return {
    within: (code) => proofs.run(true, code),
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
