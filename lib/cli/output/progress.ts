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

export function progress({ world, json }: Context): Progress {
  const size = world.terminal();
  if (size !== null && !json) {
    const line = terminalLine(world);
    return { write: (text) => line.write(text(size.columns)), clear: line.clear };
  }
  let saidAt = world.now();
  return {
    write: (text) => {
      if (world.now() - saidAt < heartbeatMs) return;
      saidAt = world.now();
      world.stderr(`${text(logColumns)}\n`);
    },
    clear: () => {},
  };
}
