/** A restore that is killed: the next start has all of the former data, or all of the backup, or is refused. */
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { restoreData } from '#embedded/copies/restore.ts';
import { killPoints } from '../support/kill-points.ts';
import { accepted, folder, opened, somewhere, stored } from '../support/stored-data.ts';

/** The orders that a start has, or the code with which it is refused. */
async function start(path: string): Promise<string> {
  try {
    const { store } = opened(path);
    const records = await store.records(['old', 'new', 'later'].map(orderId));
    store.close();
    return [...records.keys()].join();
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}

/** Data of a Reeve that was killed, of which only these files are left, beside a backup of order `old`. */
async function dataWith(backup: string, ...left: readonly string[]): Promise<string> {
  const own = somewhere();
  if (backup === 'of the same data') {
    const { store } = opened(own);
    await accepted(store, 'old');
    await store.backup(join(dirname(own), 'backup.db'));
    store.close();
  } else {
    const { store } = opened(await stored('old'));
    await store.backup(join(dirname(own), 'backup.db'));
  }
  const { store } = opened(own);
  await accepted(store, 'new', 'later');
  const path = somewhere();
  copyFileSync(join(dirname(own), 'backup.db'), join(dirname(path), 'backup.db'));
  for (const suffix of left) copyFileSync(own + suffix, path + suffix);
  return path;
}

/** The bytes of the files that are there, by what their names have behind that of the database. */
const filesOf = (path: string, ...suffixes: readonly string[]) =>
  new Map(
    suffixes
      .filter((suffix) => existsSync(path + suffix))
      .map((suffix) => [suffix, readFileSync(path + suffix)]),
  );

const filesLeft: readonly (readonly string[])[] = [
  ['', '-wal', '-totals'],
  ['', '-wal'],
  ['', '-totals'],
  [''],
  ['-wal', '-totals'],
  ['-wal'],
  ['-totals'],
  [],
];
const kinds = ['of the same data', 'of other data'].flatMap((backup) =>
  filesLeft.map((left) => ({ backup, left })),
);

test.each(kinds)('of $left with a backup $backup', async ({ backup, left }) => {
  const path = await dataWith(backup, ...left);
  const former = filesOf(path, ...left);
  const unchanged = join(folder(), basename(path));
  for (const suffix of left) copyFileSync(path + suffix, unchanged + suffix);
  const formerly = await start(unchanged);
  const points = killPoints(dirname(path), () =>
    restoreData(join(dirname(path), 'backup.db'), path, 'now'),
  );
  expect(points.length).toBeGreaterThan(5);
  let last: unknown;
  for (const { before, folder: at } of points) {
    const killed = join(at, basename(path));
    const files = filesOf(killed, '', '-wal', '-totals');
    if (isDeepStrictEqual(files, last)) continue;
    last = files;
    const copy = join(folder(), basename(path));
    for (const suffix of files.keys()) copyFileSync(killed + suffix, copy + suffix);
    const found = await start(copy);
    expect([before, [formerly, 'old', 'store-damaged'].includes(found), found]).toContain(true);
    // The same command again completes it, and the former data are kept.
    restoreData(join(at, 'backup.db'), killed, 'now');
    expect([before, await start(killed)]).toEqual([before, 'old']);
    for (const [suffix, bytes] of former) {
      const kept = readdirSync(at).filter((name) => name.includes('.replaced-now'));
      const isKept = kept.some(
        (name) => name.endsWith(suffix) && readFileSync(join(at, name)).equals(bytes),
      );
      expect([before, suffix, isKept]).toEqual([before, suffix, true]);
    }
  }
});
