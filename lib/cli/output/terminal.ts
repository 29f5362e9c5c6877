/** Rewrites one line, or the whole screen, of a terminal. */
import type { CliEnvironment } from '#cli/environment.ts';

/** `\x1b[2K` and `\x1b[K` clear a line and its rest, `\x1b[J` what is below; `\x1b[H` goes to the top. */
export const clearLine = '\r\x1b[2K';
const clearScreen = '\x1b[2J\x1b[H';
const top = '\x1b[H';
const clearRest = '\x1b[K';
const clearBelow = '\x1b[J';

/**
 * Turns wrapping off, so that the terminal cuts long lines: a wrapped line would take two rows, and the count
 * of rows would be wrong. Each write turns wrapping on again, so that Ctrl-C leaves the terminal usable.
 */
const unwrapped = (text: string) => `\x1b[?7l${text}\x1b[?7h`;

export function terminalLine({ stdout }: Pick<CliEnvironment, 'stdout'>) {
  return {
    write: (line: string) => stdout(`${clearLine}${unwrapped(line)}`),
    clear: () => stdout(clearLine),
  };
}

export function terminalFrame({ stdout, terminal }: Pick<CliEnvironment, 'stdout' | 'terminal'>) {
  let isFirst = true;
  return {
    /** Writes `head`, and the last lines of `tail` that fit below it. */
    draw: (head: readonly string[], tail: readonly string[]) => {
      // The last row is for the cursor; otherwise the screen would scroll. A terminal of no rows does not know how many it has.
      const room = (terminal()?.rows || Number.POSITIVE_INFINITY) - 1;
      const shown = head.slice(0, room);
      const lines = [...shown, ...tail.slice(Math.max(0, tail.length - (room - shown.length)))];
      const text = lines.map((line) => `${line}${clearRest}\n`).join('');
      stdout(`${isFirst ? clearScreen : top}${unwrapped(text)}${clearBelow}`);
      isFirst = false;
    },
    clear: () => {
      if (!isFirst) stdout(`${top}${clearBelow}`);
    },
  };
}
