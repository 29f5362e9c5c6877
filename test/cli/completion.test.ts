/** The completion scripts; that for bash is run by bash itself. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scenario } from './scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'reeve-completion-'));
const script = async (shell: string) => (await scenario().run(`completion ${shell}`)).stdout;

beforeAll(async () => {
  writeFileSync(join(folder, 'reeve.bash'), await script('bash'));
  writeFileSync(join(folder, 'order.json'), '{}');
  writeFileSync(join(folder, 'two words.json'), '{}');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The proposals of bash for the last of these words. */
const proposed = (...words: readonly string[]) => completed('', words);

/** @param before what bash runs before it completes */
async function completed(before: string, words: readonly string[]): Promise<string[]> {
  const complete = `set -eu; source ./reeve.bash; ${before} COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
set +e; _reeve; printf '%s\\n' "\${COMPREPLY[@]:-}"`;
  const options = { cwd: folder, env: { PATH: process.env['PATH'] } };
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    ['--norc', '-c', complete, 'bash', 'reeve', ...words],
    options,
  );
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

test.each([
  [['su'], ['submit', 'suppliers']],
  [['--ver'], ['--version']],
  [
    ['list', '--sta'],
    ['--state', '--stack'],
  ],
  [
    ['list', '--state', ''],
    ['Pending', 'Processing', 'Processed', 'Error', 'Undone'],
  ],
  [
    ['list', '--state', 'Proc'],
    ['Processing', 'Processed'],
  ],
  [['list', '--state', '=', 'Er'], ['Error']],
  [
    ['list', '--state', '='],
    ['Pending', 'Processing', 'Processed', 'Error', 'Undone'],
  ],
  [['list', '--workflow', ''], []],
  [
    ['--url', 'list', 'su'],
    ['submit', 'suppliers'],
  ],
  [
    ['--url', '=', 'http://x', 'su'],
    ['submit', 'suppliers'],
  ],
  [['suppliers', 're'], ['reset']],
  [['suppliers', 'reset', '--su'], ['--suppliers-url']],
  [['dlq', 'redrive', '--y'], ['--yes']],
  [['submit', 'ord'], ['order.json']],
  [['submit', 'two'], ['two words.json']],
  [['submit', '--key', 'k', 'order.json', '--w'], ['--wait']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['show', 'o-1', '--wat'], ['--watch']],
  [['frobnicate', '--frob'], []],
])('after reeve %j bash proposes %j', async (words, expected) => {
  const found = await proposed(...words);
  const isWord = (text: string) => !text.startsWith('--') || expected.includes(text);
  expect(found.filter(isWord).toSorted()).toEqual(expected.toSorted());
});

/** What bash has while it completes, and a script has not. With this option, it quotes names and adds the slash of a folder. */
const compopt = 'compopt() { echo "compopt $*"; };';

test.each(['submit', 'dev', 'prove', 'backup', 'restore', 'check --data', 'backup --data'])(
  'reeve %s: the names of files are proposed as such',
  async (words) => {
    const found = await completed(compopt, [...words.split(' '), 'two']);
    expect(found.toSorted()).toEqual(['compopt -o filenames', 'two words.json']);
  },
);

test('words that are no files are not taken for folders of the same name', async () => {
  expect(await completed(compopt, ['su'])).toEqual(['submit', 'suppliers']);
});

test('every command and option of the help is proposed', async () => {
  const { run } = scenario();
  for (const command of ['', 'submit', 'show', 'list', 'resubmit', 'cancel', 'suppliers', 'dlq']) {
    const { stdout } = await run(`${command} --help`);
    const named = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+|[a-z]+) /gm)].map(
      ([, word]) => word,
    );
    expect(named.length).toBeGreaterThan(4);
    expect(await proposed(...command.split(' ').filter(Boolean), '')).toEqual(
      expect.arrayContaining(named.filter((word) => command === '' || word?.startsWith('--'))),
    );
  }
});

test('the script for zsh is that for bash, which zsh runs', async () => {
  expect(await script('zsh')).toContain('bashcompinit');
  expect(await script('zsh')).toContain(await script('bash'));
});

test('the script for fish has each command and option with its description', async () => {
  const lines = (await script('fish')).split('\n');
  expect(lines).toContainEqual(
    expect.stringMatching(
      /-n 'not __fish_seen_subcommand_from dev .*' -a 'show' -d 'show an order/,
    ),
  );
  expect(lines).toContain(
    "complete -c reeve -n '__fish_seen_subcommand_from list' -l state -d 'only those in this state, in upper or lower case' -r -a 'Pending Processing Processed Error Undone'",
  );
  expect(lines.find((line) => line.includes("seen_subcommand_from submit' -F"))).toBeDefined();
});

test.each(['completion', 'completion tcsh', 'completion bash --json', 'completion bash --url x'])(
  '%s is wrong usage',
  async (line) => {
    expect((await scenario().run(line)).exitCode).toBe(2);
  },
);
