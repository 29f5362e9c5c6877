/** The socket by which the command line asks a running Reeve for a backup. */
import { once } from 'node:events';
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
