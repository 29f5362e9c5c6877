/** A bound on work that might never end. */
import { setTimeout as pause } from 'node:timers/promises';

export async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | 'too late'> {
  const over = new AbortController();
  const late = pause(ms, 'too late' as const, { signal: over.signal }).catch(
    () => 'too late' as const,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
