/** Logs when the disk begins to refuse writes, and when it accepts one again. */
import { ReeveError } from '#core/model/errors.ts';
import type { Log } from '#ports/log.ts';

/** Codes of errors of the disk; each is logged as the event of its name. Other errors are bugs of Reeve. */
const conditions = ['store-full', 'store-unavailable', 'store-damaged'] as const;

/** The result of the last group of writes. */
export interface WriteState {
  /** Call when a whole group failed. */
  refused(error: unknown): void;
  /** Call after each commit. */
  written(): void;
  /** The code of the error of the last group; null when it was stored. */
  refusal(): string | null;
}

/** @param path the database file, for the log */
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
      // At the level of the error that it ends, so that a log filter shows both.
      log.error('store-writable', { file: path, after: refusal });
      refusal = null;
    },
    refusal: () => refusal,
  };
}
