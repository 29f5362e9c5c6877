/** The tutorial, block by block as written; the deploy test covers its AWS part. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/dynamo-server.ts';
import {
  beginTutorial,
  commandsOf,
  runInShell,
  tutorialBlocks,
  writeFiles,
} from '../support/tutorial.ts';

const server = 'npx node bin/gift.ts';
let folder: string;
let env: Record<string, string>;
let running: ChildProcess | undefined;

beforeAll(async () => {
  folder = beginTutorial();
  const suppliers = await freePort();
  env = {
    PORT: '0',
    GIFT_PORT: String(await freePort()),
    REEVE_SUPPLIERS_PORT: String(suppliers),
    REEVE_SUPPLIERS_URL: `http://127.0.0.1:${suppliers}`,
  };
  writeFiles(folder);
});

afterAll(async () => {
  if (running !== undefined && running.exitCode === null) {
    const gone = once(running, 'exit');
    running.kill('SIGKILL');
    await gone;
  }
  rmSync(folder, { recursive: true });
});

/** The only command that does not end keeps running. */
async function startServer(): Promise<void> {
  running = spawn(process.execPath, server.split(' ').slice(2), {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (running.stdout === null) throw new Error('it has no standard output');
  for await (const line of createInterface({ input: running.stdout })) {
    const [, url] = /^Reeve listens on (\S+)$/.exec(line) ?? [];
    if (url === undefined) continue;
    env['REEVE_URL'] = url;
    return;
  }
  throw new Error(`${server} ended`);
}

test('its code compiles under the strict settings of the repository', async () => {
  expect(await compile(['gift', 'bin/gift.ts', 'test'])).toEqual({ said: '', failed: false });
}, 120_000);

test('its code passes the linter of the repository', async () => {
  const lint = 'biome check --error-on-warnings gift bin/gift.ts test/gift';
  const { said, failed } = await runInShell(folder, lint, env);
  expect({ said, failed }).toMatchObject({ failed: false });
});

test('the code that it calls invalid does not compile', async () => {
  const workflow = tutorialBlocks.find(({ file }) => file === 'gift/workflow.ts')?.text ?? '';
  const wrong = {
    'outputs.ts': workflow.replace(
      '({ details }) => ({ gift:',
      '({ details, outputs }) => ({ c: outputs.charge, gift:',
    ),
    'token.ts': workflow.replace('token: details.token,', ''),
  };
  mkdirSync(join(folder, 'wrong'));
  for (const [name, text] of Object.entries(wrong)) {
    expect(text).not.toBe(workflow);
    writeFileSync(join(folder, 'wrong', name), text);
  }
  const { said } = await compile(['wrong']);
  expect(said).toContain('wrong/outputs.ts');
  expect(said).toContain('wrong/token.ts');
}, 120_000);

function compile(include: readonly string[]) {
  const settings = { extends: './tsconfig.json', include };
  writeFileSync(join(folder, 'tsconfig.gift.json'), JSON.stringify(settings));
  return runInShell(folder, 'tsc --project tsconfig.gift.json', env);
}

test('its commands, one after the other, show what the page says', async () => {
  const blocks = tutorialBlocks.filter(({ language }) => language === 'sh');
  expect(blocks.length).toBeGreaterThan(6);
  for (const block of blocks) {
    const commands = block.text.includes('<<')
      ? [{ command: block.text, shows: null }]
      : commandsOf(block);
    for (const { command, shows } of commands) {
      if (command === server) await startServer();
      else {
        const { said, failed } = await runInShell(folder, command, env);
        if (shows === null) expect({ command, said, failed }).toMatchObject({ failed: false });
        else expect({ command, said }).toEqual({ command, said: expect.stringContaining(shows) });
      }
    }
  }
}, 180_000);
