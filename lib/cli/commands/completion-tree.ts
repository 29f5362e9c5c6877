/** The words that each command accepts, read from the program itself, so that there is no second list. */
import type { Argument, Command, Option } from 'commander';

/** The possible values: one of a few words, the name of a file, or any text. */
export type Value =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' }
  | { readonly kind: 'free' };

export interface Word {
  readonly word: string;
  readonly description: string;
}

export interface OptionWord extends Word {
  /** Null for an option that takes no value. */
  readonly value: Value | null;
}

export interface CommandNode {
  /** Its words: empty for the program, `suppliers set` for a nested command. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly OptionWord[];
  /** The first argument; null when the command takes none. */
  readonly argument: Value | null;
}

export function completionTree(program: Command): readonly CommandNode[] {
  const nodes: CommandNode[] = [];
  const visit = (command: Command, path: readonly string[]) => {
    const help = command.createHelp();
    help.showGlobalOptions = true;
    const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
    const [argument] = command.registeredArguments;
    nodes.push({
      path: path.join(' '),
      commands: help.visibleCommands(command).map((inner) => ({
        word: inner.name(),
        description: help.subcommandDescription(inner),
      })),
      options: options.flatMap((option) => optionWord(option) ?? []),
      argument: argument === undefined ? null : completed(argument.name(), argument),
    });
    for (const inner of command.commands) visit(inner, [...path, inner.name()]);
  };
  visit(program, []);
  return nodes;
}

function optionWord(option: Option): OptionWord | null {
  if (option.long === undefined || option.long === null) return null;
  const takesValue = option.required || option.optional;
  return {
    word: option.long,
    description: option.description,
    value: takesValue ? completed(/<(.+)>/.exec(option.flags)?.[1] ?? '', option) : null,
  };
}

/** The name of an argument, or of an option's value, says whether it is a file. */
function completed(name: string, { argChoices }: Pick<Argument | Option, 'argChoices'>): Value {
  if (argChoices !== undefined) return { kind: 'words', words: argChoices };
  return { kind: /\b(file|module|dir)\b/.test(name) ? 'file' : 'free' };
}
