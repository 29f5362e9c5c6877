/** Commands that the command line proposes. */
import type { Context } from '#cli/context.ts';
import { quoted } from './quoted.ts';

/** The text of a command for a POSIX shell: it calls the Reeve that this command has called. @param words not quoted */
export function commandText(
  { addressOptions }: Pick<Context, 'addressOptions'>,
  command: string,
  words: readonly string[],
): string {
  return ['reeve', command, ...addressOptions, ...words].map(quoted).join(' ');
}
