/** The tutorial as a user follows it: its files in an empty folder, and its commands. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type CodeBlock, codeBlocks } from './code-blocks.ts';

export const tutorialBlocks: readonly CodeBlock[] = codeBlocks(
  readFileSync('docs/tutorial.md', 'utf8'),
);

/** What the tutorial installs besides Reeve, which is this repository. */
const installed = [
  ...['zod', 'typescript', '@types/node', 'vitest'],
  ...['aws-cdk', 'aws-cdk-lib', 'constructs', 'esbuild'],
];

/** Creates a folder in which all packages are installed. */
export function beginTutorial(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-tutorial-'));
  const modules = join(folder, 'node_modules');
  for (const name of installed) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(resolve('node_modules', name), join(modules, name));
  }
  symlinkSync(resolve('.'), join(modules, 'reeve'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

export function writeFiles(folder: string): void {
  for (const { file, text } of tutorialBlocks) {
    if (file === null) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

/** Installing is already done, and `npx` finds the packages. */
const shims = `
npm() { case "$1" in init|pkg|install) ;; *) return 1 ;; esac; }
npx() { if test "$1" = reeve; then shift; node node_modules/reeve/bin/reeve.ts "$@"; else "$@"; fi; }
`;

/** Runs the text as a shell does; returns its whole output, whether or not it failed. */
export function runInShell(
  folder: string,
  script: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly said: string; readonly failed: boolean }> {
  const PATH = `${resolve('node_modules', '.bin')}:${process.env['PATH']}`;
  const options = { cwd: folder, env: { HOME: folder, NO_COLOR: '1', ...env, PATH } };
  return new Promise((done) => {
    execFile('sh', ['-c', shims + script], options, (error, stdout, stderr) =>
      done({ said: stdout + stderr, failed: error !== null }),
    );
  });
}

/** The commands of its lines, and the output that a comment announces for each. */
export function commandsOf({ text }: CodeBlock): { command: string; shows: string | null }[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [, command = line, shows = null] = /^(.*?) {2,}# (.+)$/.exec(line) ?? [];
      return { command, shows };
    });
}
