/** A log with one JSON line per event. */
import type { Clock } from '#ports/clock.ts';
import type { Log, LogFields } from '#ports/log.ts';

/** In ascending order; `silent` writes nothing. */
export const logLevels = ['info', 'warn', 'error', 'silent'] as const;
/** See {@link logLevels}. */
export type LogLevel = (typeof logLevels)[number];

/** Writes events of `level` and above. */
export function jsonLog(clock: Clock, level: LogLevel, write: (line: string) => void): Log {
  const line = (of: LogLevel) => (event: string, fields: LogFields) => {
    if (logLevels.indexOf(of) < logLevels.indexOf(level)) return;
    write(
      `${JSON.stringify({ at: new Date(clock.now()).toISOString(), level: of, event, ...fields })}\n`,
    );
  };
  return { info: line('info'), warn: line('warn'), error: line('error') };
}
