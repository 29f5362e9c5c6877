/**
 * How long SQLite's write-ahead log may grow before its pages are copied to the database. On a disk with
 * room it is long, because each page is then copied once for many writes. On a small or a nearly full disk
 * it must be short: a log that has filled the disk can never be copied, because the copy needs room too.
 */
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/** What SQLite uses, bytes; the schema does not change it. */
const pageBytes = 4_096;
/** 65 MB: at the throughput of the bench about one checkpoint a second. */
const pagesMax = 16_000;
/** 256 KiB: a shorter log makes a checkpoint of every few writes. */
const pagesMin = 64;
/** Of the room that is left, the log's own included: copying it takes as much again. */
const share = 1 / 4;
/** The disk is asked again after so many commits: two calls, 3 µs. */
const commitsBetween = 16;

/** The log's bound in pages, for so much room on the disk, bytes. */
export function logPages(availableBytes: number): number {
  const pages = Math.floor((availableBytes * share) / pageBytes);
  return Math.min(Math.max(pages, pagesMin), pagesMax);
}

export interface LogBound {
  /** A group was committed. */
  onCommit(): void;
  /** Copies the log to the database and gives its room back, as far as the disk lets it. */
  makeRoom(): void;
}

/** Sets the bound now, and again as the disk fills. `room`: what the log may take of the disk, bytes. */
export function logBound(database: DatabaseSync, room: () => number): LogBound {
  let bound = 0;
  let commits = 0;

  function adjust(availableBytes: number): void {
    const pages = logPages(availableBytes);
    if (pages === bound) return;
    bound = pages;
    // The limit makes SQLite cut a log that is longer when it begins it anew.
    database.exec(
      `PRAGMA wal_autocheckpoint = ${pages}; PRAGMA journal_size_limit = ${pages * pageBytes}`,
    );
  }

  /** A disk that cannot be asked is taken for a full one: a commit that is durable must not fail for it. */
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
      if (commits % commitsBetween === 0) adjust(roomNow());
    },
    makeRoom() {
      adjust(roomNow());
      try {
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // The copy had no room either: the write that is tried next says so to its caller.
      }
    },
  };
}

/** What the disk has left, and what the log has of it already. `path`: the database file, or `:memory:`. */
export function roomOnDisk(path: string): () => number {
  if (path === ':memory:') return () => Number.POSITIVE_INFINITY;
  return () => {
    const { bavail, bsize } = statfsSync(dirname(path));
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
    return bavail * bsize + (log?.size ?? 0);
  };
}
