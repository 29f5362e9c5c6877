/** The commands of the command line with their arguments and options, as commander has them. */
import type { Argument, Command, Option } from 'commander';
import { reasons } from '#cli/cli-error.ts';
import type { CliEnvironment } from '#cli/environment.ts';
import { exitCodeMeanings } from '#cli/exit-code.ts';
import { commandLineVariables } from '#cli/help-text.ts';
import { buildProgram } from '#cli/program.ts';
import { code, markdownTable } from './markdown-table.ts';

export function commandSection(): string {
  const program = buildProgram(nowhere, () => {}, false);
  return [
    '## Command line',
    'Options of every command:',
    optionTable(program, []),
    'Environment variables that the command line reads:',
    markdownTable(
      ['variable', 'meaning'],
      Object.entries(commandLineVariables).map(([names, meaning]) => [
        names.split(', ').map(code).join(', '),
        meaning,
      ]),
    ),
    ...program.commands.flatMap((command) => commandParts(command, ['reeve'])),
    '## Exit codes',
    markdownTable(['exit code', 'meaning'], Object.entries(exitCodeMeanings)),
    'With `--json` an error has the `code` of the [problem document](#problem-codes) or, without one, one of these codes. The commands `check`, `backup` and `restore` give the [code of the error](#error-codes).',
    markdownTable(
      ['code', 'meaning'],
      Object.entries(reasons).map(([name, meaning]) => [code(name), meaning]),
    ),
  ].join('\n\n');
}

/** A command and the commands in it. */
function commandParts(command: Command, path: readonly string[]): string[] {
  const words = [...path, command.name()];
  const usage = [...words, ...command.registeredArguments.map(argumentText)].join(' ');
  const isEmpty = command.registeredArguments.length === 0 && command.options.length === 0;
  return [
    `### ${code(words.join(' '))}`,
    `${code(usage)}: ${command.description()}.`,
    ...(isEmpty ? [] : [optionTable(command, command.registeredArguments)]),
    ...command.commands.flatMap((inner) => commandParts(inner, words)),
  ];
}

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function optionTable(command: Command, args: readonly Argument[]): string {
  return markdownTable(
    ['argument or option', 'meaning', 'default'],
    [
      ...args.map((argument) => row(argumentText(argument), argument)),
      ...command.options.map((option) => row(option.flags, option)),
    ],
  );
}

/** A default is stated in the description, because most depend on the environment. */
function row(form: string, { description, argChoices, ...rest }: Argument | Option): string[] {
  const [, text = description, byDefault = ''] =
    /^(.*?) \(default: (.*)\)$/.exec(description) ?? [];
  const choices = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`;
  const isRequired = 'mandatory' in rest && rest.mandatory;
  return [code(form), `${text}${choices}`, isRequired ? 'required' : byDefault];
}

/** No command is run. */
const nowhere: CliEnvironment = {
  env: {},
  stdout: () => {},
  stderr: () => {},
  terminal: () => null,
  stdin: unreachable,
  readFile: unreachable,
  fetch: unreachable,
  sleep: unreachable,
  version: '',
  random: () => 0,
  now: () => 0,
  aws: unreachable,
  data: unreachable,
  start: unreachable,
  dev: unreachable,
  prove: unreachable,
};

function unreachable(): Promise<never> {
  return Promise.reject(new Error('The reference runs no command.'));
}
