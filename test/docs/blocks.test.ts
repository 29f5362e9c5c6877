/**
 * Every block of code of every page is run, compiled or checked: by the test of its page, or here. A block that no test covers
 * fails, so that a page cannot show what does not work.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { type CodeBlock, codeBlocks } from '../support/code-blocks.ts';
import { pages } from '../support/pages.ts';
import { settings } from './block-settings.ts';

const run = promisify(execFile);

interface Block extends CodeBlock {
  readonly page: string;
}

const blocks: readonly Block[] = pages.flatMap((page) =>
  codeBlocks(readFileSync(page, 'utf8')).map((block) => ({ ...block, page })),
);

/** The tests that run the blocks of a page as its reader does. */
const ownTests: readonly { page: string; covers: (block: Block) => boolean; by: string }[] = [
  {
    page: 'README.md',
    covers: ({ language, text }) => language === 'ts' && text.includes('startLocalReeve'),
    by: 'test/docs/readme.test.ts',
  },
  {
    page: 'docs/recipes.md',
    covers: ({ language }) => language === 'ts',
    by: 'test/docs/recipes-code.test.ts',
  },
  {
    page: 'docs/recipes.md',
    covers: ({ language }) => ['json', 'sh', 'sh receiver', 'sh stopped'].includes(language),
    by: 'test/docs/recipes.test.ts',
  },
  { page: 'docs/testing.md', covers: () => true, by: 'test/docs/testing.test.ts' },
  {
    page: 'docs/tutorial.md',
    covers: ({ language }) => ['ts', 'sh'].includes(language),
    by: 'test/bin/tutorial.test.ts',
  },
  {
    page: 'docs/tutorial.md',
    covers: ({ language }) => language === 'sh aws',
    by: 'test/deploy/tutorial.suite.ts',
  },
];
const hasOwnTest = (block: Block) =>
  ownTests.some(({ page, covers }) => page === block.page && covers(block));

/** What is done here with the blocks of a language that have no test of their own. */
const languages = ['ts', 'json', 'sh'] as const;
/** Drawings, and what a command prints. */
const shown = ['mermaid', 'text'];

const left = (language: (typeof languages)[number]) =>
  blocks
    .filter((block) => block.language === language && !hasOwnTest(block))
    .map((block, at) => ({
      ...block,
      title: `${block.page}: ${block.text.split('\n', 1)[0]}`,
      at,
    }));

test('every fence of every page opens a block of a language that a test covers', () => {
  const covered = (block: Block) =>
    hasOwnTest(block) || [...shown, ...languages].includes(block.language);
  expect(blocks.filter((block) => !covered(block))).toEqual([]);
  for (const page of pages) {
    const fences = [...readFileSync(page, 'utf8').matchAll(/^ *(`{3,}|~{3,})/gm)];
    const found = blocks.filter((block) => block.page === page);
    expect({ page, fences: fences.length }).toEqual({ page, fences: 2 * found.length });
  }
});

test.each(ownTests)('the test $by of $page exists, and covers a block', ({ page, covers, by }) => {
  expect(existsSync(by)).toBe(true);
  expect(blocks.filter((block) => block.page === page && covers(block))).not.toEqual([]);
});

test.each(left('json'))('$title is JSON', ({ text }) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

/** Imports precede what a page shows of a function or of a class. */
function moduleOf({ page, text }: Block): string {
  const { declares = '', inside } =
    settings.find((one) => one.page === page && text.includes(one.of)) ?? {};
  if (inside === undefined) return `${declares}\n${text}`;
  const [imports = ''] = /^(?:import .*\n|\n)*/.exec(text) ?? [];
  return `${declares}\n${imports}\n${inside} {\n${text.slice(imports.length)}}\n`;
}

test('every other block of TypeScript compiles, where its page says it stands', async () => {
  // Below the repository, so that its packages and Reeve itself are found.
  const folder = mkdtempSync(resolve('test/docs/.page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
  const config = { extends: '../../../tsconfig.json', compilerOptions, include: ['**/*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, exclude: [] }));
  const found = left('ts');
  for (const block of found) {
    const own = join(folder, String(block.at));
    mkdirSync(own);
    writeFileSync(join(own, 'block.ts'), moduleOf(block));
    const { beside = {} } =
      settings.find((one) => one.page === block.page && block.text.includes(one.of)) ?? {};
    for (const [name, text] of Object.entries(beside)) writeFileSync(join(own, name), text);
  }
  expect(found.length).toBeGreaterThan(3);
  const compiled = run('tsc', ['--pretty', 'false', '-p', folder], {
    env: { ...process.env, PATH: `${resolve('node_modules/.bin')}:${process.env['PATH']}` },
  });
  await expect(compiled.catch(({ stdout }) => ({ stdout }))).resolves.toMatchObject({ stdout: '' });
});

test.each(settings)('the setting of "$of" is that of a block of $page', ({ page, of }) => {
  const found = left('ts').filter((block) => block.page === page && block.text.includes(of));
  expect(found).toHaveLength(1);
});

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

/** Made by a command before it. */
const made = ['hello.ts', 'dist/create-reeve/create-reeve.js'];

/** The commands of a page, by their beginning, and what has to be right in each. */
const commands: readonly (readonly [RegExp, (name: string) => boolean])[] = [
  // With their words by test/docs/commands.test.ts, in every page.
  [/^(?:npx )?(reeve) /, () => true],
  // With their parameters by test/infra/documented-commands.test.ts, and test/package/cdk.suite.ts.
  [/^npx cdk (bootstrap|deploy|synth)\b/, () => true],
  [/^npm (?:run )?(start|test|[a-z:]+)/, (name) => name in scripts || isOfNpm.test(name)],
  [/^node (\S+)/, (file) => made.includes(file) || existsSync(file)],
  // The service and its operation need an account to be tried; the shell checks the quotes.
  [/^aws ([a-z]+) [a-z-]+ /, () => true],
  [/^(?:export )([A-Z_]+)=/, (name) => /^REEVE_|_SECRET$/.test(name)],
  [/^python3 -m (venv) /, () => true],
  [/^\.venv\/bin\/pip install -r (\S+)/, (file) => existsSync(join('examples/agent-python', file))],
  [/^\.venv\/bin\/python (\S+)/, (file) => existsSync(join('examples/agent-python', file))],
  [/^cd (\S+)/, () => true],
];
const isOfNpm = /^(ci|install|create|pack)$/;

const isKnown = (command: string) =>
  commands.some(([form, isRight]) => {
    const [, name] = form.exec(command) ?? [];
    return name !== undefined && isRight(name);
  });

/** A command for each line, and for each part of a line that `&&` joins. */
const commandsIn = (text: string) =>
  text
    .replaceAll(/\\\n\s*/g, '')
    .trim()
    .split(/\n| && /)
    .map((line) => line.trim());

test.each(left('sh'))('$title and its other lines are commands that exist', async ({ text }) => {
  expect(commandsIn(text).filter((command) => !isKnown(command))).toEqual([]);
  await expect(run('sh', ['-n', '-c', text])).resolves.toMatchObject({ stderr: '' });
});

test('a command, a script and a program that do not exist are found', () => {
  const wrong = ['npm run no-such', 'node missing.ts', 'reve list', 'npx cdk deplo', 'npx vite'];
  expect(wrong.filter(isKnown)).toEqual([]);
});
