/** A process whose output cannot be written: /dev/full is a full disk. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { noServices, reeveChild, submitOrder } from '../support/reeve-child.ts';
import { smallDisk } from '../support/small-disk.ts';

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
