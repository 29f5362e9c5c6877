/** The end of the tutorial as written: its stack is deployed, and its order submitted. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { addressesOutput } from '#text/addresses-output.ts';
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
import { Deployed } from './deployed.ts';
import { type MiniStack, startMiniStack } from './ministack.ts';

let cloud: MiniStack;
let folder: string;
let services: ChildProcess;
let servicesUrl: string;

beforeAll(async () => {
  cloud = await startMiniStack();
  Object.assign(process.env, cloud.env);
  folder = beginTutorial();
  writeFiles(folder);
  const port = await freePort();
  servicesUrl = `http://127.0.0.1:${port}`;
  services = spawn(process.execPath, ['src/services.ts'], {
    cwd: folder,
    env: { ...process.env, GIFT_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (services.stdout !== null) await once(services.stdout, 'data');
  await bootstrap(cloud.env);
});

afterAll(async () => {
  try {
    await destroy('gift');
  } finally {
    services.kill('SIGKILL');
    await cloud.close();
    rmSync(folder, { recursive: true });
  }
});

const addresses = z.record(z.string(), z.string());

test('its stack is deployed, and its order is Processed there', async () => {
  const write = tutorialBlocks.find(({ text }) => text.includes('> order.json'));
  await runInShell(folder, write?.text ?? '', {});
  const block = tutorialBlocks.find(({ language }) => language === 'sh aws');
  if (block === undefined) throw new Error('the tutorial has no block for AWS');
  const [deploy, submit, ...more] = commandsOf(block);
  expect(more).toEqual([]);

  const here = (deploy?.command ?? '').replace('https://services.example.com', servicesUrl);
  expect(here).toContain(servicesUrl);
  const { said, failed } = await runInShell(
    folder,
    `${here} --require-approval never --outputs-file outputs.json`,
    cloud.env,
  );
  expect({ said, failed }).toMatchObject({ failed: false });
  const outputs = z
    .object({ gift: addresses })
    .parse(JSON.parse(readFileSync(join(folder, 'outputs.json'), 'utf8')));
  const ours = JSON.parse(outputs.gift[addressesOutput(['Orders'])] ?? '');
  const reeve = new Deployed(cloud, addresses.parse(ours));

  const words = (submit?.command ?? '').replace(' order.json', ` ${folder}/order.json`).split(' ');
  expect(words.slice(0, 2)).toEqual(['npx', 'reeve']);
  const { stdout, exitCode } = await commandLine(reeve, ...words.slice(2));
  expect({ stdout, exitCode }).toEqual({
    stdout: expect.stringContaining(submit?.shows ?? 'a comment'),
    exitCode: 0,
  });
});
