/** A process whose output cannot be written: /dev/full is a full disk. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { noServices, reeveChild, submitOrder } from '../support/reeve-child.ts';
import { smallDisk } from '../support/small-disk.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('It has no port.');
  return address.port;
}

test.each(['--version', '--help', 'completion bash', '--version --json'])(
  'reeve %s on a full disk ends with 4 and one sentence',
  async (line) => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const child = spawn(process.execPath, ['bin/reeve.ts', ...line.split(' ')], {
      stdio: ['ignore', full, 'pipe'],
    });
    if (child.stderr === null) throw new Error('It has no standard error.');
    const ended = once(child, 'close');
    expect(await text(child.stderr)).toMatch(
      /^error: Standard output cannot be written: .*ENOSPC.*\.\n$/,
    );
    expect((await ended)[0]).toBe(4);
  },
);

test('a Reeve whose output nobody reads any more goes on, as in `reeve start | head -1`', async () => {
  const port = await freePort();
  const child = spawn(process.execPath, ['bin/reeve.ts', 'start'], {
    env: {
      ...{ ...process.env, ...noServices, PORT: String(port) },
      REEVE_DATA: mkdtempSync(join(inject('temporaryFolder'), 'unread-')),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  child.stdout.destroy();
  const health = async () => {
    if (child.exitCode !== null) return `it ended with ${child.exitCode}`;
    return (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null))?.status;
  };
  await expect.poll(health).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('a Reeve whose output cannot be written still accepts orders', async () => {
  const { path } = smallDisk(8);
  const reeve = reeveChild({
    dataDir: path,
    env: { ...noServices, REEVE_LOG: 'info' },
    run: ['sh', '-c', 'exec "$0" "$@" 2>/dev/full'],
  });
  const url = await reeve.url;
  expect(typeof (await submitOrder(url, 'one'))).toBe('string');
  reeve.kill('SIGTERM');
  expect(await reeve.ended).toBe(0);
});
