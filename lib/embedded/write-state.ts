/** Whether the disk takes writes: logged once when it begins to refuse them, and once when it takes one again. */
import { ReeveError } from '#core/model/errors.ts';
import type { Log } from '#ports/log.ts';

/** Errors that are about the disk and not about Reeve; each is logged as the event of its name. */
const conditions = ['store-full', 'store-unavailable', 'store-damaged'] as const;

export interface WriteState {
  /** No write of a group could be stored. */
  refused(error: unknown): void;
  /** A group is on disk. */
  written(): void;
  /** The code of the error with which the last group was refused; null when it was stored. */
  refusal(): string | null;
}

/** `path`: the database file. */
export function writeState(path: string, log: Log): WriteState {
  let refusal: string | null = null;
  return {
    refused(error) {
      if (!(error instanceof ReeveError)) return;
      const condition = conditions.find((code) => code === error.code);
      if (condition === undefined) return;
      if (condition !== refusal) {
        log.error(condition, { file: path, table: null, row: null, reason: error.message });
      }
      refusal = condition;
    },
    written() {
      if (refusal === null) return;
      // Of the same level as what it ends: who reads the one must see the other.
      log.error('store-writable', { file: path, after: refusal });
      refusal = null;
    },
    refusal: () => refusal,
  };
}
