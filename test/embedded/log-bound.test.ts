/** The size of the write-ahead log is limited by the space on its disk. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { logBound, logPages, roomOnDisk } from '#embedded/log-bound.ts';

const mebibyte = 1_048_576;

function written(room: () => number) {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-log-'));
  const path = join(directory, 'reeve.db');
  const database = new DatabaseSync(path);
  onTestFinished(() => {
    if (database.isOpen) database.close();
    rmSync(directory, { recursive: true });
  });
  // Without syncs, because only the length of the log is tested.
  database.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE T (V)',
  );
  const bound = logBound(database, room);
  const insert = database.prepare('INSERT INTO T VALUES (zeroblob(3000))');
  return {
    path,
    database,
    bound,
    logBytes: () => statSync(`${path}-wal`).size,
    write(commits: number) {
      for (let at = 0; at < commits; at += 1) {
        insert.run();
        bound.onCommit();
      }
    },
  };
}

test('the log takes at most a quarter of the free space, and never more than 4,000 pages', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 * mebibyte, max: 62 * mebibyte }), (room) => {
      expect(logPages(room) * 4_096).toBeLessThanOrEqual(room / 4);
      expect(logPages(room) * 4_096).toBeGreaterThan(room / 4 - 4_096);
    }),
  );
  expect(logPages(64 * mebibyte)).toBe(4_000);
  expect(logPages(Number.POSITIVE_INFINITY)).toBe(4_000);
  expect([logPages(mebibyte), logPages(mebibyte - 16_384), logPages(0)]).toEqual([64, 64, 64]);
});

test('on a small disk the log is copied to the database and restarted before it is too long', () => {
  const { write, logBytes } = written(() => 4 * mebibyte);
  write(2_000);
  expect(logBytes()).toBeLessThan(1.1 * mebibyte);
});

test('a long log is truncated when the disk fills', () => {
  let room = 100 * mebibyte;
  const { write, logBytes } = written(() => room);
  write(2_000);
  expect(logBytes()).toBeGreaterThan(4 * mebibyte);
  room = 2 * mebibyte;
  write(200);
  expect(logBytes()).toBeLessThan(1 * mebibyte);
});

/** The settings of SQLite: pages before it copies the log, and bytes that remain of it. */
function limitsOf(database: DatabaseSync): readonly unknown[] {
  return ['wal_autocheckpoint', 'journal_size_limit'].map(
    (name) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0],
  );
}

const bounds = (room: number) => [logPages(room), logPages(room) * 4_096];

test('the bound is set at once, again at each sixteenth commit, and when space is freed', () => {
  let room = 40 * mebibyte;
  const { database, write, bound } = written(() => room);
  expect(limitsOf(database)).toEqual(bounds(room));
  const before = room;
  room = 20 * mebibyte;
  write(15);
  expect(limitsOf(database)).toEqual(bounds(before));
  write(1);
  expect(limitsOf(database)).toEqual(bounds(room));
  room = 10 * mebibyte;
  bound.makeRoom();
  expect(limitsOf(database)).toEqual(bounds(room));
});

test('the space of a disk without a log is its free bytes', () => {
  const { path } = written(() => 100 * mebibyte);
  const beside = join(dirname(path), 'other.db');
  const room = roomOnDisk(beside)();
  expect(room).toBeGreaterThan(mebibyte);
  expect(room).toBeLessThan(Number.POSITIVE_INFINITY);
});

test('freeing space truncates the whole log', () => {
  const { write, bound, logBytes } = written(() => 100 * mebibyte);
  write(100);
  bound.makeRoom();
  expect(logBytes()).toBe(0);
});

test('the space is the free space of the disk and that of the log itself', () => {
  const { path, write } = written(() => 100 * mebibyte);
  write(500);
  const room = roomOnDisk(path);
  expect(room()).toBeGreaterThan(statSync(`${path}-wal`).size);
  expect(roomOnDisk(':memory:')()).toBe(Number.POSITIVE_INFINITY);
});

test('the space is that of the same disk when the process has changed its directory', () => {
  const { path, write } = written(() => 100 * mebibyte);
  write(500);
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(dirname(path));
  const room = roomOnDisk(join('..', basename(dirname(path)), basename(path)));
  process.chdir('/');
  expect(room()).toBeGreaterThan(statSync(`${path}-wal`).size);
});

test('a disk whose free space cannot be read fails no commit, and counts as full', () => {
  let isThere = true;
  const { write, bound, logBytes } = written(() => {
    if (isThere) return 100 * mebibyte;
    throw new Error('ENOENT');
  });
  write(2_000);
  isThere = false;
  write(200);
  expect(logBytes()).toBeLessThan(1 * mebibyte);
  bound.makeRoom();
  expect(logBytes()).toBe(0);
});
