/** Bounds the waits of a call: by time, and by the signal of the caller. */

/** The bounds of one wait; end it with `end`. */
export interface CallLimit {
  /** For what can be aborted, such as `fetch`. */
  readonly signal: AbortSignal;
  /** Rejects when the time has passed or the caller aborts: race it against work that may ignore its signal. */
  readonly passed: Promise<never>;
  end(): void;
}

/**
 * `AbortSignal.any` would do the same; made once per second for a signal that lives for days, its parts are freed late.
 *
 * @param ms the time; at its end `passed` rejects with what `late` makes
 */
export function callLimit(
  ms: number,
  late: () => Error,
  outer: AbortSignal | undefined,
): CallLimit {
  const controller = new AbortController();
  const { promise: passed, reject } = Promise.withResolvers<never>();
  passed.catch(() => {});
  const pass = (reason: unknown) => {
    reject(reason);
    controller.abort(reason);
  };
  const abort = () => pass(outer?.reason);
  const timer = setTimeout(() => pass(late()), ms);
  if (outer?.aborted === true) abort();
  else outer?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    passed,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}

/** Waits for this time, ms; rejects with the reason of the signal when it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
