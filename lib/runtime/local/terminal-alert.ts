/** Formats an alert for the terminal of `reeve start`. */
import { styleText } from 'node:util';
import type { AlertText } from './alert-grouping.ts';

/** The environment that decides about colours. */
export interface Screen {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Null when standard output is not a terminal. */
  readonly terminal: () => object | null;
}

/** The lines of an alert, with colours where the terminal shows them. */
export function terminalAlert(
  { what, why, command }: AlertText,
  { env, terminal }: Screen,
): string {
  // https://no-color.org: set, and not empty.
  const isPlain = terminal() === null || (env['NO_COLOR'] ?? '') !== '';
  const bold = (text: string) =>
    isPlain ? text : styleText(['bold', 'red'], text, { validateStream: false });
  // The message of a fault is untrusted: an escape sequence in it could control the terminal.
  const plain = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ');
  return `${bold(plain(`${what}:`))} ${plain(why)}.\n  When the cause is fixed: ${plain(command)}\n`;
}
