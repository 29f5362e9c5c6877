/**
 * Group commit: writes that are ready together share one transaction and one sync to disk, which is
 * what a durable write costs. Each caller is answered only after that sync.
 */
import type { DatabaseSync } from 'node:sqlite';
import { UnavailableError } from '#core/errors.ts';

export interface GroupCommit {
  /** Runs `work` inside the next transaction; resolves with its result once that is durable. */
  write<Result>(work: () => Result): Promise<Result>;
  /** Commits what waits. */
  flush(): void;
}

interface Waiting {
  run(): void;
  resolve(): void;
  reject(error: unknown): void;
}

/** `onFailure`: nothing of the group is stored; forget whatever its works had assumed. */
export function groupCommit(database: DatabaseSync, onFailure: () => void): GroupCommit {
  let waiting: Waiting[] = [];

  function flush(): void {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    try {
      database.exec('BEGIN IMMEDIATE');
      for (const write of group) write.run();
      database.exec('COMMIT');
    } catch (cause) {
      rollBack(database);
      onFailure();
      const error = new UnavailableError(
        'store-unavailable',
        'The state store could not write. See that its disk has space and is healthy.',
        { cause },
      );
      for (const write of group) write.reject(error);
      return;
    }
    for (const write of group) write.resolve();
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

function rollBack(database: DatabaseSync): void {
  if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
}
