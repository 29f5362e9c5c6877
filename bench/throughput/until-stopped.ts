/** Ends a program that was asked to end after it has removed its files: by default it would end at once, and leave them. */

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Works until it is done, or until a signal asks the process to end. Then `stopped` aborts, and when the work has ended, the process ends by
 * the same signal.
 */
export async function untilStopped(work: (stopped: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  let by: NodeJS.Signals | null = null;
  const note = (signal: NodeJS.Signals) => {
    by ??= signal;
    stop.abort();
  };
  for (const signal of signals) process.on(signal, note);
  try {
    await work(stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    for (const signal of signals) process.off(signal, note);
  }
  if (by !== null) process.kill(process.pid, by);
}
