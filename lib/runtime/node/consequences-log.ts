/**
 * While the store refuses writes, which it has logged once, or is closed because the process ends, each call and each
 * message that fails for it would be a line of its own: those are of level info.
 */
import type { Log } from '#ports/log.ts';

/** Events that say that a write failed and is tried again. */
const consequences: readonly string[] = [
  'delivery-failed',
  'message-failed',
  'recovery-delayed',
  'recovery-failed',
  'request-failed',
  'retention-failed',
  'sweep-failed',
];

/** `failure`: the code of what every write fails with at present; null when writes succeed. */
export function consequencesLog(log: Log, failure: () => string | null): Log {
  return {
    ...log,
    error(event, fields) {
      const isConsequence = failure() !== null && consequences.includes(event);
      (isConsequence ? log.info : log.error)(event, fields);
    },
  };
}
