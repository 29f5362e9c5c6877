/** `reeve backup` of a Reeve that sees other files than the command, as in a container, or with a folder for temporary files of its own. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dataCommand } from '#runtime/local/data-commands.ts';
import { databaseIn, socketIn } from '#runtime/local/data-directory.ts';
import { serveControl } from '#runtime/node/control-socket.ts';
import { testLog } from '../support/log.ts';
import { folder, opened } from '../support/stored-data.ts';
import { virtualClock } from '../support/virtual-clock.ts';

test('a backup that the command does not see is not taken for a damaged one', async () => {
  const [dataDir, elsewhere, file] = [folder(), folder(), join(folder(), 'backup.db')];
  const { store } = opened(databaseIn(dataDir));
  const backup = (to: string) => store.backup(join(elsewhere, basename(to)));
  onTestFinished(serveControl({ path: socketIn(dataDir), backup, log: testLog() }));
  const refused = await dataCommand(dataDir, { kind: 'backup', file }, virtualClock());
  const [part = ''] = readdirSync(elsewhere);
  const message = `Reeve has made the backup ${join(dirname(file), part)}, but there is no such file here: it sees other files than this command, as in a container. Delete that file there, and run the command where Reeve runs, or name a file in a directory that both see.`;
  expect(refused).toMatchObject({ exitCode: 2, error: { code: 'file-unusable', message } });
  expect(readdirSync(dirname(file))).toEqual([]);
});
