/**
 * The progress of a long command: on a terminal, a line that is rewritten; elsewhere, lines on standard
 * error, so that standard output has only the result, and a log shows that the command works.
 */
import type { Context } from '#cli/context.ts';
import { terminalLine } from './terminal.ts';

/** Between two lines without news, ms: short enough to show that the command does not hang. */
export const heartbeatMs = 5_000;

export interface Progress {
  /** @param line returns the text for this width in columns */
  write(line: (columns: number) => string): void;
  clear(): void;
}

const logColumns = 80;

export function progress({ environment, json }: Context): Progress {
  const size = environment.terminal();
  if (size !== null && !json) {
    const line = terminalLine(environment);
    return { write: (text) => line.write(text(size.columns)), clear: line.clear };
  }
  let saidAt = environment.now();
  return {
    write: (text) => {
      if (environment.now() - saidAt < heartbeatMs) return;
      saidAt = environment.now();
      environment.stderr(`${text(logColumns)}\n`);
    },
    clear: () => {},
  };
}
