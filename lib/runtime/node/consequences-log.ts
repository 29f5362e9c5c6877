/**
 * While the store refuses writes (which it logs once, at level error, before the first of them fails), or is closed because the process
 * ends, every call and message fails. This log writes those failures at level info, because they only repeat the cause.
 */
import type { Log } from '#ports/log.ts';

/** Events for a failed write that will be retried. */
const consequences: readonly string[] = [
  'delivery-failed',
  'message-failed',
  'recovery-delayed',
  'recovery-failed',
  'request-failed',
  'retention-failed',
  'sweep-failed',
];

/**
 * The log with these failures at level info.
 *
 * @param log any object with the methods of a log, such as an instance of a class
 * @param failure returns the code of the error of all writes at present; null when writes succeed
 */
export function consequencesLog(log: Log, failure: () => string | null): Log {
  return {
    info: (event, fields) => log.info(event, fields),
    warn: (event, fields) => log.warn(event, fields),
    error(event, fields) {
      if (failure() !== null && consequences.includes(event)) log.info(event, fields);
      else log.error(event, fields);
    },
  };
}
