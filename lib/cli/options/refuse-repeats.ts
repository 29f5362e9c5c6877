/** An option with a value is given once: the first of two values would have no effect, and two filters would read as both. */
import { type Command, InvalidArgumentError } from 'commander';

/**
 * Of the commands of the program. Its own options are those of every command: an alias of a shell may give them first, and the last one counts.
 *
 * @param repeatable the names of options that may be given again
 */
export function refuseRepeats(program: Command, repeatable: readonly string[]): void {
  for (const command of program.commands) {
    for (const option of command.options) {
      if (!option.required || repeatable.includes(option.long ?? '')) continue;
      const { parseArg } = option;
      option.argParser((text: string, former: unknown): unknown => {
        if (former !== undefined) throw new InvalidArgumentError('It is given twice.');
        return parseArg === undefined ? text : parseArg<unknown>(text, undefined);
      });
    }
    refuseRepeats(command, repeatable);
  }
}
