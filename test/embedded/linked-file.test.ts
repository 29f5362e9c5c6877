/** A database that is reached by a symbolic link: SQLite puts the log beside the file itself. */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { restoreData } from '#embedded/copies/restore.ts';
import { acceptLoss, examineData } from '#embedded/integrity/examine.ts';
import { liveDefinitions } from '#embedded/live-definitions.ts';
import { accepted, folder, opened, somewhere, stored } from '../support/stored-data.ts';

/** A link to the file, in a folder of its own. */
function linkTo(path: string): string {
  const link = join(folder(), 'reeve.db');
  symlinkSync(path, link);
  return link;
}

/** What a kill leaves of data of which the log has three of six orders. */
async function killed(): Promise<string> {
  const path = await stored('one', 'two', 'three');
  const { store } = opened(path);
  await accepted(store, 'four', 'five', 'six');
  const copy = folder();
  cpSync(dirname(path), copy, { recursive: true });
  store.close();
  return join(copy, 'reeve.db');
}

const log = (path: string) => `${path}-wal`;
const contentOf = (path: string) =>
  readdirSync(dirname(path)).map((name) => [
    name,
    readFileSync(join(dirname(path), name), 'latin1'),
  ]);

test('a start by a link whose log lost its end is refused, and changes no file', async () => {
  const path = await killed();
  truncateSync(log(path), statSync(log(path)).size - 5_000);
  const link = linkTo(path);
  const before = contentOf(path);
  expect(() => opened(link)).toThrow(
    expect.objectContaining({
      code: 'store-damaged',
      message: expect.stringContaining('lost accepted work'),
    }),
  );
  expect(examineData(link)).toMatchObject({
    findings: [{ table: 'Totals', reason: expect.stringContaining('Work is missing') }],
  });
  expect(contentOf(path)).toEqual(before);
  expect(acceptLoss(link)).toBe(`${path}-wal.damaged`);
});

test('the files of data that are opened by a link are all beside the database', async () => {
  const path = await killed();
  const link = linkTo(path);
  expect(liveDefinitions(link)).toMatchObject([{ orders: 6 }]);
  const { store } = opened(link);
  await accepted(store, 'seven');
  store.close();
  expect(readdirSync(dirname(link))).toEqual(['reeve.db']);
  expect(readdirSync(dirname(path))).toEqual(['reeve.db', 'reeve.db-totals']);
  expect(opened(path).log.lines).toEqual([]);
});

test('a link to a file that is not there begins no new data', async () => {
  const path = await stored('one');
  const link = linkTo(path);
  opened(link).store.close();
  const mounted = dirname(path);
  renameSync(mounted, `${mounted}-away`);
  mkdirSync(mounted);
  expect(() => opened(link)).toThrow(
    expect.objectContaining({
      code: 'store-unusable',
      message: `Cannot open the state store ${link}: it is a link to ${path}, which does not exist. Nothing was changed. Mount its disk, or remove the link to begin with new data.`,
    }),
  );
  expect(existsSync(path)).toBe(false);
  renameSync(`${mounted}-away/reeve.db`, path);
});

test('a restore by a link replaces the file, and keeps the former one beside it with its log', async () => {
  const backup = await stored('saved');
  const path = await killed();
  const link = linkTo(path);
  expect(restoreData(backup, link, 'then')).toEqual({
    kept: `${path}.replaced-then`,
    orders: 1,
    changes: 1,
  });
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readdirSync(dirname(path))).toEqual([
    'reeve.db',
    'reeve.db-totals',
    'reeve.db.replaced-then',
    'reeve.db.replaced-then-totals',
    'reeve.db.replaced-then-wal',
  ]);
  const { store } = opened(link);
  expect([...(await store.records([orderId('saved')])).keys()]).toEqual(['saved']);
});

test('a link to data with a log is no backup', async () => {
  const link = linkTo(await killed());
  expect(() => restoreData(link, somewhere(), 'then')).toThrow(
    expect.objectContaining({ code: 'backup-damaged', message: expect.stringContaining('-wal') }),
  );
});
