/** Functions of the application that Reeve calls while orders run. */
import { errorKind } from '#core/model/errors.ts';
import type { Log } from '#ports/log.ts';

/**
 * Calls `listener`. What it throws, or rejects with, goes to the log: it must not change what becomes of an order, and must not end the process.
 *
 * @param name the option or the method by which the application gave it
 */
export const guarded =
  <Args extends readonly unknown[]>(
    name: string,
    listener: (...args: Args) => unknown,
    log: Log,
  ): ((...args: Args) => void) =>
  (...args) => {
    const failed = (error: unknown) =>
      log.error('listener-failed', { listener: name, error: errorKind(error) });
    try {
      const result = listener(...args);
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
