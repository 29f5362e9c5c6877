/**
 * Group commit: writes that are ready at the same time share one transaction and one sync to disk, the main cost of a
 * durable write. The promise of each caller settles only after that sync.
 *
 * 1. A write that fails for its own reason (its row is damaged, its value is refused) fails alone: the other writes
 *    of the group are committed without it.
 * 2. When the disk is full, the group is retried once after `makeRoom`.
 * 3. When the transaction fails, all of its writes fail, and none of their effects remains in memory.
 */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from '#event-loop/turns.ts';
import { isFull, isOfOneRow, storeError } from './store-error.ts';

/** The only way to write to the database. */
export interface GroupCommit {
  /** Runs `work` inside the next transaction; resolves with its result once that is durable. */
  write<Result>(work: () => Result): Promise<Result>;
  /** As `write`, for the writes of which there are most: they need no closures. */
  add<Result>(write: Write<Result>): Promise<Result>;
  /** Commits the waiting writes now. */
  flush(): void;
}

/** One write. */
export interface Write<Result> {
  /** Writes, inside the transaction. Called again when the group is retried. */
  run(): void;
  /** Called once that is durable. */
  result(): Result;
}

/** The database, and the hooks around each transaction. */
export interface GroupCommitOptions {
  readonly database: DatabaseSync;
  /** The database file, for messages. */
  readonly path: string;
  /** Called when the group was rolled back: discard in-memory effects of its writes. */
  readonly onFailure: () => void;
  /** Called in the transaction, after all its writes. */
  readonly beforeCommit: () => void;
  /** Called after each commit, before the promises of its callers settle. */
  readonly onCommit: () => void;
  /** Called when a whole group failed, also after `makeRoom`. */
  readonly onRefused: (error: unknown) => void;
  /** Called with the error of SQLite for which one write failed, while the others were stored. */
  readonly onRejected: (error: unknown) => void;
  /** Called when the disk is full: frees disk space. */
  readonly makeRoom: () => void;
}

interface Waiting {
  run(): void;
  settle(): void;
  reject(error: unknown): void;
}

class WaitingWrite<Result> implements Waiting {
  readonly #write: Write<Result>;
  readonly #resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;

  constructor(
    write: Write<Result>,
    resolve: (result: Result) => void,
    reject: (error: unknown) => void,
  ) {
    this.#write = write;
    this.#resolve = resolve;
    this.reject = reject;
  }

  run() {
    this.#write.run();
  }

  settle() {
    try {
      this.#resolve(this.#write.result());
    } catch (error) {
      this.reject(error);
    }
  }
}

/** `culprit`: the write that failed for its own reason; null when the whole transaction failed. */
interface Failure {
  readonly error: unknown;
  readonly culprit: Waiting | null;
}

/** Makes the group commit of one database. */
export function groupCommit(options: GroupCommitOptions): GroupCommit {
  const { path, onFailure, onCommit, onRefused, onRejected, makeRoom } = options;
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
        for (const write of group) write.settle();
        return;
      }
      const { culprit, error } = failure;
      onFailure();
      if (culprit !== null) {
        onRejected(error);
        culprit.reject(storeError(error, path));
        group = group.filter((write) => write !== culprit);
      } else if (isFull(error) && !hasMadeRoom) {
        hasMadeRoom = true;
        makeRoom();
      } else {
        const translated = storeError(error, path);
        onRefused(translated);
        for (const write of group) write.reject(translated);
        return;
      }
    }
  }

  function add<Result>(write: Write<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      // After the microtasks of this turn, so that the writes that they add join the group.
      if (waiting.length === 0) setImmediate(flush);
      waiting.push(new WaitingWrite(write, resolve, reject));
    });
  }

  function write<Result>(work: () => Result): Promise<Result> {
    let written: Result;
    return add({
      run() {
        written = work();
      },
      result: () => written,
    });
  }

  return { flush, write, add };
}

/** Prepared once, because SQLite would compile both statements again for each commit. */
function transaction({ database, beforeCommit }: GroupCommitOptions) {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  /** Null when the group is durable; otherwise it was rolled back. */
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
  // After a disk error SQLite has already rolled back.
  if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
}
