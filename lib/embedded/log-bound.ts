/**
 * The size of SQLite's write-ahead log at which its pages are copied to the database. With much free space it is
 * large, so that a page is copied once for many writes. On a small or nearly full disk it must be small: a log that
 * has filled the disk can never be copied, because the copy needs space too.
 */
import { statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { logPath } from './data-files.ts';

/** SQLite's default page size, bytes; the schema does not change it. */
const pageBytes = 4_096;
/**
 * 16 MB. At the throughput of the benchmark a checkpoint then takes about 10 ms, four times a second. With 65 MB it
 * takes 30 to 50 ms, during which no request is answered, and an order costs no less CPU.
 */
const pagesMax = 4_000;
/** 256 KiB: with a smaller log, every few writes would cause a checkpoint. */
const pagesMin = 64;
/** The part of the free space, including the log's own, that the log may use: the copy takes as much again. */
const share = 1 / 4;
/** Commits between two checks of the free space, which take two system calls, 3 µs. */
const commitsBetween = 16;

/** The maximum size of the log in pages, for this much free space, bytes. */
export function logPages(availableBytes: number): number {
  const pages = Math.floor((availableBytes * share) / pageBytes);
  return Math.min(Math.max(pages, pagesMin), pagesMax);
}

/** Bounds the log of one database. */
export interface LogBound {
  /** Call after each commit. */
  onCommit(): void;
  /** Copies the log to the database and truncates it, if the disk has space for the copy. */
  makeRoom(): void;
}

/**
 * Sets the bound now, and again as the disk fills.
 *
 * @param room returns the free space, including the log's own, bytes
 */
export function logBound(database: DatabaseSync, room: () => number): LogBound {
  let bound = 0;
  let commits = 0;

  function adjust(availableBytes: number): void {
    const pages = logPages(availableBytes);
    if (pages === bound) return;
    bound = pages;
    // With the size limit, SQLite truncates a longer log when it next restarts it.
    database.exec(
      `PRAGMA wal_autocheckpoint = ${pages}; PRAGMA journal_size_limit = ${pages * pageBytes}`,
    );
  }

  /** An error counts as a full disk, because a durable commit must not fail for it. */
  function roomNow(): number {
    try {
      return room();
    } catch {
      return 0;
    }
  }

  adjust(room());
  return {
    onCommit() {
      commits += 1;
      if (commits % commitsBetween > 0) return;
      try {
        adjust(roomNow());
      } catch {
        // What was committed is durable all the same. The next write meets the same disk, and reports it.
      }
    },
    makeRoom() {
      adjust(roomNow());
      try {
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // No space for the copy: the retried write fails and reports it.
      }
    },
  };
}

/**
 * Returns a function for the free space plus the size of the log, bytes.
 *
 * @param path the database file, or `:memory:`
 */
export function roomOnDisk(path: string): () => number {
  if (path === ':memory:') return () => Number.POSITIVE_INFINITY;
  // The process may change its directory, and SQLite goes on with the file.
  const file = resolve(path);
  return () => {
    const { bavail, bsize } = statfsSync(dirname(file));
    const log = statSync(logPath(file), { throwIfNoEntry: false });
    return bavail * bsize + (log?.size ?? 0);
  };
}
