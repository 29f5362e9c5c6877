/**
 * Turns of the event loop, as the process has them at its start. Fake timers of a test replace the global `setImmediate`, and the
 * properties of `node:timers`, by functions that call back only when the test says so: a store or a clock that used those would stop.
 */
import timers from 'node:timers';

/** `setImmediate` of Node.js: runs after the microtasks of this turn. */
export const { setImmediate } = timers;

/** Resolves in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
