/**
 * How far a long command is: a line that is rewritten on a terminal; elsewhere lines on standard
 * error, so that standard output has the result alone and a log shows that something goes on.
 */
import type { Context } from '#cli/context.ts';
import { terminalLine } from './terminal.ts';

/** Between two lines that say nothing new, ms: soon enough to see that it has not hung. */
export const heartbeatMs = 5_000;

export interface Progress {
  /** `columns`: the width there is for it. */
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
