/** What `reeve --help` says beside the commands. */
import { exitCodeMeanings } from './exit-code.ts';

/** The environment variables that the command line reads, with their meanings. */
export const commandLineVariables = {
  REEVE_URL: 'the address of Reeve, if --url is not given',
  REEVE_STACK: 'the stack of Reeve, if neither --stack nor --url is given',
  REEVE_TOKEN: 'the token to send, if Reeve requires one',
  'HOST, PORT': 'where `reeve start` listens; used as the address if none of the above is given',
  REEVE_SUPPLIERS_URL: 'the address of the simulated suppliers',
  REEVE_SUPPLIERS_PORT: 'their port on this machine, if no address is given',
  NO_COLOR: 'no colours, even on a terminal',
} as const;

/** Characters of a line of help. */
const helpWidth = 92;

export const environmentHelp = `
Environment:
${lines(commandLineVariables)}

Exit codes:
${lines(exitCodeMeanings)}`;

/** Two columns; a long meaning continues on the next line. */
function lines(meanings: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(meanings).map((name) => name.length));
  return Object.entries(meanings)
    .flatMap(([name, meaning]) =>
      wrapped(meaning, helpWidth - width - 4).map(
        (line, at) => `  ${(at === 0 ? name : '').padEnd(width)}  ${line}`,
      ),
    )
    .join('\n');
}

function wrapped(text: string, width: number): string[] {
  const all: string[] = [];
  for (const word of text.split(' ')) {
    const last = all.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) all.push(word);
    else all[all.length - 1] = `${last} ${word}`;
  }
  return all;
}
