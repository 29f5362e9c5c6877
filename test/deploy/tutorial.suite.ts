/** The end of the tutorial as written: its stack is deployed, and its order submitted. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { freePort } from '../support/dynamo-server.ts';
import {
  beginTutorial,
  commandsOf,
  runInShell,
  tutorialBlocks,
  writeFiles,
} from '../support/tutorial.ts';
import { bootstrap, destroy } from './cdk.ts';
import { commandLine } from './command-line.ts';
import { type BreakableSuppliers, breakableSuppliers, Deployed } from './deployed.ts';
import { type MiniStack, startMiniStack } from './ministack.ts';

let cloud: MiniStack;
let suppliers: BreakableSuppliers;
let folder: string;
let wrapping: ChildProcess;
let wrappingUrl: string;

beforeAll(async () => {
  suppliers = await breakableSuppliers();
  cloud = await startMiniStack();
  Object.assign(process.env, cloud.env);
  folder = beginTutorial();
  writeFiles(folder);
  const port = await freePort();
  wrappingUrl = `http://127.0.0.1:${port}`;
  const listen = `const { service } = await import('./gift/service.ts');
    service.listen(${port}, '127.0.0.1', () => console.log('listening'));`;
  wrapping = spawn(process.execPath, ['--input-type=module', '--eval', listen], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (wrapping.stdout !== null) await once(wrapping.stdout, 'data');
  await bootstrap(cloud.env);
});

afterAll(async () => {
  try {
    await destroy('gift-dev');
  } finally {
    wrapping.kill('SIGKILL');
    await cloud.close();
    await suppliers.close();
    rmSync(folder, { recursive: true });
  }
});

test('its stack is deployed, and its order is Processed there', async () => {
  const write = tutorialBlocks.find(({ text }) => text.includes('> gift/order.json'));
  await runInShell(folder, write?.text ?? '', {});
  const block = tutorialBlocks.find(({ language }) => language === 'sh aws');
  if (block === undefined) throw new Error('the tutorial has no block for AWS');
  const [deploy, submit, ...more] = commandsOf(block);
  expect(more).toEqual([]);

  const here = (deploy?.command ?? '')
    .replace('https://wrapping.example.com', wrappingUrl)
    .replace('https://payment.example.com', `${suppliers.url}/payment`);
  expect(here).not.toContain('example.com');
  const { said, failed } = await runInShell(
    folder,
    `${here} --require-approval never --outputs-file outputs.json`,
    cloud.env,
  );
  expect({ said, failed }).toMatchObject({ failed: false });
  const outputs = z
    .object({ 'gift-dev': z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(folder, 'outputs.json'), 'utf8')));
  const reeve = new Deployed(cloud, outputs['gift-dev']);

  const words = (submit?.command ?? '').replace(' gift/', ` ${folder}/gift/`).split(' ');
  expect(words.slice(0, 2)).toEqual(['npx', 'reeve']);
  const { stdout, exitCode } = await commandLine(reeve, ...words.slice(2));
  expect({ stdout, exitCode }).toEqual({
    stdout: expect.stringContaining(submit?.shows ?? 'a comment'),
    exitCode: 0,
  });
});
