/** The effect of a start on the files: it never loses data, and repairs what it can. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { totalsPath } from '#embedded/data-files.ts';
import { damageReport } from '#embedded/integrity/damage-report.ts';
import { readTotals } from '#embedded/integrity/totals.ts';
import { readTotalsFile } from '#embedded/integrity/totals-file.ts';
import { openDatabase } from '#embedded/open-database.ts';
import { testLog } from '../support/log.ts';
import { accepted, folder, opened, somewhere, stored } from '../support/stored-data.ts';

function openedAs(path: string) {
  const open = openDatabase(path, damageReport(path, testLog()));
  const close = () => {
    if (!open.database.isOpen) return;
    open.file?.close();
    open.database.close();
  };
  onTestFinished(close);
  return { ...open, close };
}

/** The files that a killed process leaves. */
function killed(path: string): string {
  const copy = somewhere();
  for (const suffix of ['', '-wal', '-totals']) copyFileSync(path + suffix, copy + suffix);
  return copy;
}

test('each start is counted, in the database and in the file beside it', () => {
  const path = somewhere();
  for (const starts of [1, 2, 3]) {
    const { database, totals, close } = openedAs(path);
    expect(totals.current).toMatchObject({ commits: starts, accepted: 0 });
    expect(readTotals(database)).toEqual({ kind: 'read', totals: totals.current });
    expect(readTotalsFile(totalsPath(path))).toMatchObject({ totals: totals.current });
    close();
  }
});

test('data in memory have no file and no earlier start', () => {
  const { file, totals } = openedAs(':memory:');
  expect(file).toBe(null);
  expect(totals.current.commits).toBe(0);
});

test('a start truncates the log that a crash left', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one', 'two');
  const copy = killed(path);
  expect(statSync(`${copy}-wal`).size).toBeGreaterThan(0);
  openedAs(copy);
  expect(statSync(`${copy}-wal`).size).toBe(0);
});

/** Every file of the folder, byte by byte. */
const filesBeside = (path: string) =>
  readdirSync(dirname(path))
    .toSorted()
    .map((name) => [name, readFileSync(join(dirname(path), name)).toString('latin1')]);

const harms: readonly (readonly [string, (path: string) => void, RegExp])[] = [
  [
    'its log was cut short',
    (path) => truncateSync(`${path}-wal`, 10_000),
    /has lost accepted work: 2 accepted orders and 2 changes .*Nothing was changed/,
  ],
  [
    'its log is not there',
    (path) => rmSync(`${path}-wal`),
    /has lost accepted work: 2 accepted orders and 2 changes/,
  ],
  [
    'the database is missing beside its log',
    (path) => rmSync(path),
    /reeve\.db is missing, though .*-wal and .*-totals exist\. .*reeve restore FILE --yes/,
  ],
  [
    'the database is empty beside its log',
    (path) => truncateSync(path, 0),
    /reeve\.db is empty, though .*-wal and .*-totals exist/,
  ],
  [
    'the totals file alone is left',
    (path) => {
      rmSync(path);
      rmSync(`${path}-wal`);
    },
    /reeve\.db is missing, though \S+-totals exists/,
  ],
  [
    'the log alone is left',
    (path) => {
      rmSync(path);
      rmSync(`${path}-totals`);
    },
    /reeve\.db is missing, though \S+-wal exists/,
  ],
];

test.each(harms)('a start that is refused because %s changes no byte', async (_, harm, says) => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one', 'two');
  const copy = killed(path);
  harm(copy);
  const before = filesBeside(copy);
  for (const _start of [1, 2]) {
    expect(() => openedAs(copy)).toThrow(
      expect.objectContaining({ code: 'store-damaged', message: expect.stringMatching(says) }),
    );
    expect(filesBeside(copy)).toEqual(before);
  }
});

test('only their owner may read the files, in every folder', () => {
  const path = somewhere();
  chmodSync(dirname(path), 0o755);
  openedAs(path);
  for (const suffix of ['', '-wal', '-totals']) {
    expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
  }
});

test.each([
  [
    'in a folder that is not there',
    (path: string) => join(path, 'reeve.db'),
    () => 'Check that its folder exists, and that this user may read and write both.',
  ],
  [
    'that is a folder',
    (path: string) => {
      mkdirSync(path);
      return path;
    },
    (path: string) => `It is a folder: name a file, such as ${join(path, 'reeve.db')}.`,
  ],
])('the error for a path %s says what to do', (_, make, remedy) => {
  const path = make(join(folder(), 'data'));
  expect(() => openedAs(path)).toThrow(
    expect.objectContaining({
      code: 'store-unusable',
      message: `Cannot open the state store ${path} (unable to open database file). ${remedy(path)}`,
      cause: expect.objectContaining({ message: 'unable to open database file' }),
    }),
  );
});

test('the error for data in use says what to do', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one');
  expect(() => openedAs(path)).toThrow(
    expect.objectContaining({
      code: 'store-in-use',
      message: `Another process, or another Reeve of this one, uses the state store ${path}. Stop it, or choose other data: with the option \`path\` of \`startLocalReeve\`, or with REEVE_DATA for \`reeve start\` and \`reeve dev\`.`,
    }),
  );
});

test('refused data are released', async () => {
  const path = await stored('one', 'two');
  const before = await stored('one');
  copyFileSync(totalsPath(path), totalsPath(before));
  expect(() => openedAs(before)).toThrow(expect.objectContaining({ code: 'store-damaged' }));
  const database = new DatabaseSync(before);
  onTestFinished(() => database.close());
  database.exec('BEGIN EXCLUSIVE; ROLLBACK');
});
