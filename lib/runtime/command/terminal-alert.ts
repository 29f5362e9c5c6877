/** Formats an alert for the terminal of `reeve start`. */
import { styleText } from 'node:util';
import type { CircuitEvent } from '#in-process/circuit-watch.ts';
import type { AlertText } from '#runtime/local/alert-grouping.ts';
import { plainText } from '#text/plain-text.ts';

/** The environment that decides about colours. */
export interface Screen {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Null when standard output is not a terminal. */
  readonly terminal: () => object | null;
}

/** The line about a service that is unavailable, or available again. */
export function terminalCircuit({ agent, kind }: CircuitEvent, screen: Screen): string {
  return kind === 'opened'
    ? `${boldOn(screen)(`The service of ${agent} is unavailable:`)} orders wait for it without a failure, and continue by themselves.\n`
    : `The service of ${agent} is available again; the orders that waited continue.\n`;
}

/** The lines of an alert, with colours where the terminal shows them. */
export function terminalAlert({ what, why, command }: AlertText, screen: Screen): string {
  const bold = boldOn(screen);
  // The message of a fault is untrusted: an escape sequence in it could control the terminal.
  return `${bold(plainText(`${what}:`))} ${plainText(why)}.\n  When the cause is fixed: ${plainText(command)}\n`;
}

function boldOn(screen: Screen): (text: string) => string {
  const isPlain = isPlainOn(screen);
  return (text) => (isPlain ? text : styleText(['bold', 'red'], text, { validateStream: false }));
}

/** https://no-color.org: the variable is set, and not empty. */
export const isPlainOn = ({ env, terminal }: Screen): boolean =>
  terminal() === null || (env['NO_COLOR'] ?? '') !== '';
