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

/** The commands that do not end, and the line after which they can be used. */
const servers: Readonly<Record<string, RegExp>> = {
  'node src/services.ts': /^The services listen\.$/,
  'npx reeve dev ./src/index.ts': /^Reeve listens on (\S+)$/,
};
let folder: string;
let env: Record<string, string>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = beginTutorial();
  const port = await freePort();
  env = { PORT: '0', GIFT_PORT: String(port), GIFT_SERVICES: `http://127.0.0.1:${port}` };
  writeFiles(folder);
});

afterAll(async () => {
  await Promise.all(
    running.map(async (child) => {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    }),
  );
  rmSync(folder, { recursive: true });
});

async function startServer(command: string, isReady: RegExp): Promise<void> {
  const [program = '', ...args] = command
    .replace('npx reeve', 'node node_modules/reeve/bin/reeve.ts')
    .split(' ');
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const found = isReady.exec(line);
    if (found === null) continue;
    if (found[1] !== undefined) env['REEVE_URL'] = found[1];
    return;
  }
  throw new Error(`${command} ended`);
}

const strict = {
  ...{ target: 'es2024', lib: ['es2024', 'esnext.disposable'], module: 'nodenext' },
  ...{ types: ['node'], noEmit: true, strict: true, skipLibCheck: true },
  ...{ noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true },
  ...{ allowImportingTsExtensions: true, verbatimModuleSyntax: true, erasableSyntaxOnly: true },
  exactOptionalPropertyTypes: true,
};

function compile(include: readonly string[]) {
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: strict, include }),
  );
  return runInShell(folder, 'tsc --pretty false', env);
}

test('its code compiles under strict settings', async () => {
  expect(await compile(['src', 'test'])).toEqual({ said: '', failed: false });
});

test('the code that it calls invalid does not compile', async () => {
  const workflow = tutorialBlocks.find(({ file }) => file === 'src/workflow.ts')?.text ?? '';
  const wrong = {
    'outputs.ts': workflow.replace(
      '({ details }) => ({ gift:',
      '({ details, outputs }) => ({ c: outputs.charge, gift:',
    ),
    'token.ts': workflow.replace(', token: details.token }', ' }'),
  };
  mkdirSync(join(folder, 'wrong'));
  for (const [name, text] of Object.entries(wrong)) {
    expect(text).not.toBe(workflow);
    writeFileSync(join(folder, 'wrong', name), text);
  }
  const { said } = await compile(['wrong']);
  expect(said).toContain('wrong/outputs.ts');
  expect(said).toContain('wrong/token.ts');
});

test('its commands, one after the other, show what the page says', async () => {
  const blocks = tutorialBlocks.filter(({ language }) => language === 'sh');
  expect(blocks.length).toBeGreaterThan(8);
  for (const block of blocks) {
    const commands = block.text.includes('<<')
      ? [{ command: block.text, shows: null }]
      : commandsOf(block);
    for (const { command, shows } of commands) {
      const isReady = servers[command];
      if (isReady !== undefined) {
        await startServer(command, isReady);
        continue;
      }
      const { said, failed } = await runInShell(folder, command, env);
      if (shows === null) expect({ command, said, failed }).toMatchObject({ failed: false });
      else expect({ command, said }).toEqual({ command, said: expect.stringContaining(shows) });
    }
  }
}, 180_000);

test('its services answer what is no call with 400, and go on', async () => {
  const send = async (body: string) => {
    const sent = { method: 'POST', headers: { 'idempotency-key': 'k' }, body };
    return (await fetch(`${env['GIFT_SERVICES']}/charge`, sent)).status;
  };
  const statuses = [];
  for (const body of ['no JSON', '{}', '{"token":"tok_visa"}']) statuses.push(await send(body));
  expect(statuses).toEqual([400, 400, 200]);
});
