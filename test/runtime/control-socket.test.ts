/** The socket by which the command line asks a running Reeve for a backup. */
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askForBackup, serveControl } from '#runtime/node/control-socket.ts';
import { testLog } from '../support/log.ts';
import { folder } from '../support/stored-data.ts';

test('a request without an end is not collected in memory, and others are carried out', async () => {
  const path = join(folder(), 'control.sock');
  const asked: string[] = [];
  const log = testLog();
  onTestFinished(serveControl({ path, backup: async (to) => void asked.push(to), log }));
  await askForBackup(path, 'first.db');
  const socket = connect(path).on('error', () => {});
  socket.write('x'.repeat(10_000));
  await once(socket, 'close');
  await askForBackup(path, 'second.db');
  expect(asked).toEqual(['first.db', 'second.db']);
});

test('a user who may not use the socket is not advised that Reeve is stopped', async () => {
  const directory = folder();
  const path = join(directory, 'control.sock');
  onTestFinished(serveControl({ path, backup: async () => {}, log: testLog() }));
  chmodSync(directory, 0o000);
  onTestFinished(() => chmodSync(directory, 0o700));
  const isRoot = process.getuid?.() === 0;
  // No permission is refused to root.
  if (isRoot) process.seteuid?.(65_534);
  const asked = askForBackup(path, 'backup.db').catch((error: unknown) => error);
  if (isRoot) process.seteuid?.(0);
  expect(await asked).toMatchObject({
    code: 'file-unusable',
    message: `Cannot ask the Reeve at ${path} for a backup: this user has no permission. Run the command as the user that Reeve runs as.`,
  });
});

test('a start goes on without a socket where one cannot be made', async () => {
  const path = join(folder(), 'control.sock');
  mkdirSync(path);
  const log = testLog();
  const stop = serveControl({ path, backup: async () => {}, log });
  expect(log.lines).toMatchObject([{ event: 'control-unavailable' }]);
  stop();
});
