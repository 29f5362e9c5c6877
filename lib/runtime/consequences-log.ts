/**
 * While the store refuses writes, which it has logged once, each call and each message that fails for it would be a
 * line of its own: those are told at level info.
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

export function consequencesLog(log: Log, refusal: () => string | null): Log {
  return {
    ...log,
    error(event, fields) {
      const isTold = refusal() !== null && consequences.includes(event);
      (isTold ? log.info : log.error)(event, fields);
    },
  };
}
