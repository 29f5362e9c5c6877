import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { inputs, tempDir } from './scenario.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

test('it prints its address as one line of JSON, serves, and closes on SIGTERM', async () => {
  const { child, printed, closed } = command('--port', '0', '--data', tempDir());
  const url = await addressOf(printed);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
  expect(printed.text.trimEnd().split('\n')).toHaveLength(1);
});

test('with --with-parent it ends when its stdin does', async () => {
  const { child, printed, closed } = command('--port', '0', '--data', tempDir(), '--with-parent');
  await addressOf(printed);
  child.stdin.end();
  expect(await closed).toEqual([0, null]);
});

test('without --with-parent it outlives its stdin', async () => {
  const { child, printed, closed } = command('--port', '0', '--data', tempDir());
  child.stdin.end();
  const url = await addressOf(printed);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill('SIGINT');
  expect(await closed).toEqual([0, null]);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a further %s while it closes changes nothing: it ends with 0',
  async (signal) => {
    // Its exit waits for the end of its stdin, so that the second signal comes before it.
    const slowExit = `import { readSync, writeSync } from 'node:fs';
process.on('exit', () => { writeSync(1, 'exits'); readSync(0, Buffer.alloc(1)); });`;
    const { child, printed, closed } = program(
      ...['--import', `data:text/javascript,${encodeURIComponent(slowExit)}`],
      ...['bin/suppliers.ts', '--port', '0', '--data', tempDir()],
    );
    await addressOf(printed);
    child.kill(signal);
    await expect.poll(() => printed.text).toContain('exits');
    child.kill(signal);
    child.stdin.end();
    expect(await closed).toEqual([0, null]);
  },
);

test('what it has answered is there after it is killed, and its data and its port are free', async () => {
  const dataDir = tempDir();
  const first = command('--port', '0', '--data', dataDir);
  const url = await addressOf(first.printed);
  const pay = (key: string) =>
    fetch(`${url}/payment/perform`, {
      method: 'POST',
      headers: { 'idempotency-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(inputs.payment),
    });
  const keys = Array.from({ length: 5 }, (_, number) => `k-${number}`);
  for (const { status } of await Promise.all(keys.map(pay))) expect(status).toBe(200);
  first.child.kill('SIGKILL');
  expect(await first.closed).toEqual([null, 'SIGKILL']);
  const next = command('--port', new URL(url).port, '--data', dataDir);
  expect(await addressOf(next.printed)).toBe(url);
  const ledger = await (await fetch(`${url}/ledger`)).json();
  expect(ledger).toMatchObject({ entries: keys.map(() => ({ state: 'applied', effects: 1 })) });
});

test('a bad port is refused by name', async () => {
  const { child, closed } = command('--port', '70000', '--data', tempDir());
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  expect(await closed).toEqual([2, null]);
  expect(errors).toContain('--port 70000');
});

interface Printed {
  text: string;
  readonly line: Promise<void>;
}

const command = (...args: string[]) => program('bin/suppliers.ts', ...args);

function program(...args: string[]) {
  const child = spawn(process.execPath, args);
  children.push(child);
  const line = Promise.withResolvers<void>();
  const printed: Printed = { text: '', line: line.promise };
  child.stdout.on('data', (chunk) => {
    printed.text += String(chunk);
    if (printed.text.includes('\n')) line.resolve();
  });
  return { child, printed, closed: once(child, 'close') };
}

async function addressOf(printed: Printed): Promise<string> {
  await printed.line;
  const match = /^\{"url":"(http:\/\/127\.0\.0\.1:\d+)"\}\n$/.exec(printed.text);
  return match?.[1] ?? '';
}
