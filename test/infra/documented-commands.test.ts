/** The documented commands that synthesise or deploy the stack, run as written, up to the template. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { pages } from '../support/pages.ts';

const program = resolve('node_modules/.bin/cdk');
/** Those of other apps are run by test/bin/tutorial.test.ts and test/package/cdk.suite.ts. */
const ofOtherApps = ['docs/tutorial.md', 'examples/cdk-app/README.md'];
/** In code blocks, and in the text as `code`; a command without arguments only names the command. */
const command = /(?:^|`)npx cdk (?:synth|deploy)( [^`\n#]*[^`\n# ])/gm;
const commands = pages
  .filter((page) => !ofOtherApps.includes(page))
  .flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(command)].map(
      ([, words = '']) => [page, words] as const,
    ),
  );

/** Synthesises with these arguments, as a shell splits them, in an empty folder. */
async function cdk(words: string) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-documented-'));
  try {
    const TMPDIR = join(folder, 'tmp');
    mkdirSync(TMPDIR);
    const { code, said } = await run(`exec "${program}" --output "${folder}/out" ${words}`, {
      HOME: folder,
      TMPDIR,
      NO_COLOR: '1',
    });
    return { code, said, left: readdirSync(TMPDIR) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function run(script: string, env: Readonly<Record<string, string>>) {
  const { PATH = '' } = process.env;
  const child = spawn('sh', ['-c', script], {
    env: { ...env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  const [code] = await once(child, 'close');
  return { code, said };
}

test('the documentation has such commands', () => {
  expect(commands.map(([page]) => page)).toEqual(
    expect.arrayContaining(['README.md', 'docs/aws.md']),
  );
});

test.concurrent.each([...new Set(commands.map(([, words]) => words))])(
  '`npx cdk deploy%s` creates a template, and leaves nothing in the temporary folder',
  async (words) => {
    expect(await cdk(`synth --quiet ${words}`)).toEqual({
      code: 0,
      said: expect.any(String),
      left: [],
    });
  },
  180_000,
);

test('a production without services is rejected with a message, not deployed', async () => {
  const { code, said } = await cdk('synth --quiet');
  expect(code).toBe(1);
  for (const agent of ['fraud', 'inventory', 'payment', 'shipping']) {
    expect(said).toContain(`services.${agent}`);
  }
}, 180_000);

test('commands that need no service run without one: the list of stacks, and so bootstrap and destroy', async () => {
  expect(await cdk('ls')).toMatchObject({ code: 0, said: expect.stringContaining('reeve-prod') });
}, 180_000);
