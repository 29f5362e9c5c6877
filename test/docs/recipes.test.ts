/**
 * docs/recipes.md: its messages are decoded, and its commands show what they say, against the Reeve that
 * `reeve start` runs. The code of the page is tested in recipes-code.test.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '#cli/run-cli.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { shippedOrders } from '#runtime/command/shipped-orders.ts';
import { startCommand } from '#runtime/command/start-command.ts';
import { dataCommand, dataDirOf } from '#runtime/local/data-commands.ts';
import { shopDataDir } from '#runtime/local/data-directory.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { freePort } from '../support/dynamo-server.ts';
import { commandsOf, runInShell } from '../support/tutorial.ts';

const blocks = codeBlocks(readFileSync('docs/recipes.md', 'utf8'));
const SHOP_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
let folder: string;
let receiver: ChildProcess;
let receiverPort: number;
/** Ends Reeve, and resolves when it has ended. */
let stopReeve: () => Promise<void> = async () => {};
const env: Record<string, string> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reeve-recipes-'));
  receiverPort = await freePort();
  receiver = spawn(process.execPath, ['examples/recipes/webhook-receiver.ts'], {
    env: { ...process.env, SHOP_WEBHOOK_SECRET, RECEIVER_PORT: String(receiverPort) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
});

afterAll(async () => {
  await stopReeve();
  if (receiver.exitCode === null) {
    const gone = once(receiver, 'exit');
    receiver.kill('SIGKILL');
    await gone;
  }
  rmSync(folder, { recursive: true });
});

/** As `reeve start` does it, in this process; resolves when it listens. */
async function startReeve(): Promise<void> {
  const stop = Promise.withResolvers<void>();
  const listens = Promise.withResolvers<string>();
  const data = {
    REEVE_DATA: join(folder, shopDataDir),
    REEVE_CHANNELS: join(folder, 'channels.json'),
  };
  let said = '';
  const ended = startCommand(
    {
      env: { ...data, SHOP_WEBHOOK_SECRET, PORT: '0', REEVE_SUPPLIERS_PORT: '0' },
      stdout: (text) => {
        said += text;
        if (/^Reeve listens on \S+$/m.test(said)) listens.resolve(said);
      },
      stderr: (text) => {
        said += text;
      },
      terminal: () => null,
      stopped: stop.promise,
    },
    shippedOrders,
  );
  stopReeve = async () => {
    stop.resolve();
    await ended;
  };
  const welcome = await Promise.race([listens.promise, ended.then(() => said)]);
  const urlOf = (what: string) => new RegExp(`^${what} (\\S+)$`, 'm').exec(welcome)?.[1] ?? '';
  env['REEVE_URL'] = urlOf('Reeve listens on');
  env['REEVE_SUPPLIERS_URL'] = urlOf('Simulated suppliers on');
}

/** The command line in this process: to start it anew for each command takes longer than all commands. */
async function reeve(words: readonly string[]) {
  let said = '';
  const say = (text: string) => {
    said += text;
  };
  const code = await runCli(words, {
    env,
    stdout: say,
    stderr: say,
    stdin: () => Promise.reject(new Error('nothing is piped in')),
    readFile: (path) => readFile(join(folder, path)),
    fetch: (url, init) => fetch(url, init),
    terminal: () => null,
    sleep: (ms) => sleep(ms),
    random: () => 0,
    version: '0',
    now: systemClock.now,
    aws: () => Promise.reject(new Error('no AWS here')),
    data: (command, dataDir) =>
      dataCommand(
        join(folder, dataDirOf({}, dataDir)),
        'file' in command ? { ...command, file: join(folder, command.file) } : command,
        systemClock,
      ),
    start: () => Promise.reject(new Error('it is running')),
    dev: () => Promise.reject(new Error('it is running')),
    prove: () => Promise.reject(new Error('it is running')),
  });
  return { said, failed: code !== 0 };
}

/** Runs the commands of the blocks one after the other; `ID` is the order that was printed last. */
async function runBlocks(found: typeof blocks): Promise<void> {
  let id = 'none';
  for (const block of found) {
    const commands = block.text.includes('<<')
      ? [{ command: block.text.replace(':4500/', `:${receiverPort}/`), shows: null }]
      : commandsOf(block);
    for (const { command, shows } of commands) {
      const [, words] = /^npx reeve (.+)$/.exec(command) ?? [];
      const { said, failed } = await (words === undefined
        ? runInShell(folder, command, env)
        : reeve(
            words
              .trim()
              .replace(/\bID\b/, id)
              .split(/ +/),
          ));
      if (shows === null) expect({ command, said, failed }).toMatchObject({ failed: false });
      else expect({ command, said }).toEqual({ command, said: expect.stringContaining(shows) });
      id = /\b01[0-9a-z]{24}\b/.exec(said)?.[0] ?? id;
    }
  }
}

test('its messages are those that queues carry', () => {
  const messages = blocks.filter(
    ({ language, text }) => language === 'json' && /"kind"/.test(text),
  );
  const decoded = messages.map(({ text }) =>
    text.includes('"kind": "request"') ? requestCodec.decode(text) : replyCodec.decode(text),
  );
  expect(decoded.map(({ kind }) => kind)).toEqual(['message', 'message', 'message']);
});

test('its commands show what the page says, and its receiver gets the status messages', async () => {
  if (receiver.stdout === null) throw new Error('it has no standard output');
  const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
  const setup = blocks.filter(({ text }) => text.includes('> channels.json'));
  await runBlocks(setup);
  await startReeve();
  await runBlocks(blocks.filter((one) => one.language === 'sh' && !setup.includes(one)));
  const said: string[] = [];
  while (said.at(-1) !== 'cart-4711 is Processed') {
    const { value, done } = await lines.next();
    if (done) throw new Error('the receiver ended');
    said.push(value);
  }
  expect(said).toEqual(['Pending', 'Processing', 'Processed'].map((is) => `cart-4711 is ${is}`));
  await stopReeve();
  await runBlocks(blocks.filter(({ language }) => language === 'sh stopped'));
});

test('its receiver outlives a sender that leaves, and takes nothing that is not signed', async () => {
  const url = `http://127.0.0.1:${receiverPort}/`;
  const unsigned = async () => (await fetch(url, { method: 'POST', body: '{}' })).status;
  await expect.poll(() => unsigned().catch(() => null)).toBe(401);
  const leaving = connect(receiverPort, '127.0.0.1');
  leaving.on('error', () => {});
  await once(leaving, 'connect');
  leaving.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  // It has taken the first request when it answers the second one.
  expect(await unsigned()).toBe(401);
  leaving.destroy();
  await sleep(200);
  expect(await unsigned()).toBe(401);
});

test('every block of the page is one of these', () => {
  const languages = new Set(blocks.map(({ language }) => language));
  expect([...languages].toSorted()).toEqual([
    ...['json', 'sh', 'sh receiver', 'sh stopped', 'text', 'ts'],
  ]);
});
