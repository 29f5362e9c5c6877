/** Shows the errors of the application's own code on the terminal of `reeve dev`: each one once, and how often it comes again. */
import { styleText } from 'node:util';
import type { Clock } from '#ports/clock.ts';
import type { OnCodeError } from '#runtime/local/errors/code-error.ts';
import { consequenceOf, subjectOf } from '#runtime/local/errors/error-kinds.ts';
import { errorHead, userFrames } from '#runtime/node/user-stack.ts';
import { plainText } from '#text/plain-text.ts';
import { isPlainOn, type Screen } from './terminal-alert.ts';

/** An error that comes again is shown so often, ms, with how often it came. */
const againMs = 60_000;
/** Messages with ids of orders are without number: beyond, all are new again. */
const errorsMax = 1_000;

/** Options of {@link terminalErrors}. */
export interface TerminalErrorsOptions {
  readonly show: (text: string) => void;
  readonly clock: Clock;
  readonly screen: Screen;
}

interface Shown {
  /** Ms since the epoch. */
  readonly at: number;
  /** How often it came since then. */
  readonly since: number;
}

/** Makes the listener of one process. */
export function terminalErrors({ show, clock, screen }: TerminalErrorsOptions): OnCodeError {
  const known = new Map<string, Shown>();
  const bold = (text: string) =>
    isPlainOn(screen) ? text : styleText(['bold', 'red'], text, { validateStream: false });
  return (thrown) => {
    const [subject, head] = [sentenceCase(subjectOf(thrown)), plainText(errorHead(thrown.error))];
    const id = `${subject}: ${head}`;
    const before = known.get(id);
    const now = clock.now();
    // `abs`: a clock that was set back must not keep an error from being shown.
    if (before !== undefined && Math.abs(now - before.at) < againMs) {
      known.set(id, { at: before.at, since: before.since + 1 });
      return;
    }
    if (before === undefined && known.size >= errorsMax) known.clear();
    known.set(id, { at: now, since: 0 });
    if (before !== undefined) {
      const times = before.since + 1;
      show(`${bold(`${subject} failed again`)} (${times} more): ${head}\n`);
      return;
    }
    const frames = userFrames(thrown.error).map((frame) => `    ${plainText(frame)}\n`);
    show(
      `${bold(`${subject} failed:`)} ${head}\n${frames.join('')}  ${sentenceCase(consequenceOf(thrown))}.\n`,
    );
  };
}

const sentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The message is untrusted: an escape sequence in it could control the terminal. */
