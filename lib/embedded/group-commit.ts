/**
 * Group commit: writes that are ready together share one transaction and one sync to disk, which is
 * what a durable write costs. Each caller is answered only after that sync.
 *
 * 1. A write that fails by itself (its row is damaged, its value is refused) fails alone: the others of
 *    its group are committed without it.
 * 2. A group that the disk has no room for is tried once more after `makeRoom`.
 * 3. When the transaction fails, all of its writes fail, and nothing of them is remembered.
 */
import type { DatabaseSync } from 'node:sqlite';
import { isFull, isOfOneRow, storeError } from './store-error.ts';

export interface GroupCommit {
  /** Runs `work` inside the next transaction; resolves with its result once that is durable. */
  write<Result>(work: () => Result): Promise<Result>;
  /** Commits what waits. */
  flush(): void;
}

export interface GroupCommitOptions {
  readonly database: DatabaseSync;
  /** The database file, for messages. */
  readonly path: string;
  /** Nothing of the group is stored: forget whatever its works had assumed. */
  readonly onFailure: () => void;
  /** Called in the transaction, after all its writes. */
  readonly beforeCommit: () => void;
  /** Called after each commit, before its callers are answered. */
  readonly onCommit: () => void;
  /** No write of a group could be stored, also after room was made. */
  readonly onRefused: (error: unknown) => void;
  /** The disk is full: give back what can be given back. */
  readonly makeRoom: () => void;
}

interface Waiting {
  run(): void;
  resolve(): void;
  reject(error: unknown): void;
}

/** `culprit`: the write that failed by itself; null when the whole transaction did. */
interface Failure {
  readonly error: unknown;
  readonly culprit: Waiting | null;
}

export function groupCommit(options: GroupCommitOptions): GroupCommit {
  const { path, onFailure, onCommit, onRefused, makeRoom } = options;
  const attempt = transaction(options);
  let waiting: Waiting[] = [];

  function flush(): void {
    let group = waiting;
    waiting = [];
    let hasMadeRoom = false;
    while (group.length > 0) {
      const failure = attempt(group);
      if (failure === null) {
        onCommit();
        for (const write of group) write.resolve();
        return;
      }
      const { culprit, error } = failure;
      onFailure();
      if (culprit !== null) {
        culprit.reject(storeError(error, path));
        group = group.filter((write) => write !== culprit);
      } else if (isFull(error) && !hasMadeRoom) {
        hasMadeRoom = true;
        makeRoom();
      } else {
        const said = storeError(error, path);
        onRefused(said);
        for (const write of group) write.reject(said);
        return;
      }
    }
  }

  return {
    flush,
    write<Result>(work: () => Result) {
      return new Promise<Result>((resolve, reject) => {
        let result: Result;
        // After the microtasks of this turn: whatever they make ready joins the same group.
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({
          run: () => {
            result = work();
          },
          resolve: () => resolve(result),
          reject,
        });
      });
    },
  };
}

/** Prepared once: SQLite would compile the two words anew for each commit. */
function transaction({ database, beforeCommit }: GroupCommitOptions) {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  /** Null when it is durable; else nothing of it is stored. */
  return (group: readonly Waiting[]): Failure | null => {
    let current: Waiting | null = null;
    try {
      begin.run();
      for (const write of group) {
        current = write;
        write.run();
      }
      current = null;
      beforeCommit();
      commit.run();
      return null;
    } catch (error) {
      rollBack(database);
      return { error, culprit: isOfOneRow(error) ? current : null };
    }
  };
}

function rollBack(database: DatabaseSync): void {
  // SQLite itself has rolled back after an error of the disk.
  if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
}
