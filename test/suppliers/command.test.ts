import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { tempDir } from './scenario.ts';

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

function command(...args: string[]) {
  const child = spawn(process.execPath, ['bin/suppliers.ts', ...args]);
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
