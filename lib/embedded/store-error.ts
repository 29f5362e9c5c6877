/** Translates errors of SQLite into errors of lib/core, which name the file and what to do. */
import { types } from 'node:util';
import {
  CorruptDataError,
  describeError,
  RefusedError,
  UnavailableError,
} from '#core/model/errors.ts';

/** Primary result codes: https://www.sqlite.org/rescode.html */
const logicError = 1;
const busy = 5;
const ioError = 10;
const corrupt = 11;
const full = 13;
const notADatabase = 26;
/** Too big, constraint, mismatch, range: errors of one value, not of the disk. */
const ofTheValue: readonly number[] = [18, 19, 20, 25];

/** The primary result code of an error of SQLite; null for any other error. */
function sqliteCode(error: unknown): number | null {
  if (!types.isNativeError(error) || !('errcode' in error)) return null;
  // The higher bits identify the I/O call that failed.
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}

/** SQLITE_IOERR_SHMSIZE: no space for the index of a log, which a read-only open needs. */
const noRoomForIndex = 4_874;

export const isFull = (error: unknown): boolean =>
  sqliteCode(error) === full ||
  (types.isNativeError(error) && 'errcode' in error && error.errcode === noRoomForIndex);

/** An error of SQLite whose code says that there is none. */
export const isNoError = (error: unknown): boolean => sqliteCode(error) === 0;

export const isBusy = (error: unknown): boolean => sqliteCode(error) === busy;

export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === corrupt || code === notADatabase;
}

/** True when a table, column or index is missing; Reeve created every one. */
export const isOfTheSchema = (error: unknown): boolean => sqliteCode(error) === logicError;

/** True for an error of one row or value: other rows can still be written. */
export function isOfOneRow(error: unknown): boolean {
  if (sqliteCode(error) === null) return !isClosed(error);
  return isDamage(error) || isOfTheValue(error);
}

/** Node raises this when a statement is used after the database was closed. */
function isClosed(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && error.code === 'ERR_INVALID_STATE';
}

/** True for a value that SQLite never stores, for example a too large one: no retry can succeed. */
function isOfTheValue(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && ofTheValue.includes(code);
}

/**
 * Translates an error of SQLite into an error of lib/core; returns any other error unchanged.
 *
 * Codes: `store-full`, `store-unavailable` and `store-closed` ({@link UnavailableError}),
 * `store-refused` ({@link RefusedError}), and `store-damaged` ({@link CorruptDataError}).
 */
export function storeError(error: unknown, path: string): unknown {
  if (isFull(error)) {
    return new UnavailableError(
      'store-full',
      `The disk has no space for the state store ${path}. Accepted orders are kept. Free space on the disk, or choose another directory (REEVE_DATA, or the option \`path\`).`,
      { cause: error },
    );
  }
  if (isDamage(error)) return damaged(path, error);
  if (isClosed(error)) return storeClosed(path, error);
  if (isOfTheValue(error)) {
    return new RefusedError(
      'store-refused',
      `SQLite refuses a value for the state store ${path}. The write is not retried.`,
      { cause: error },
    );
  }
  const code = sqliteCode(error);
  if (code === null) return error;
  const what = code === ioError ? 'The disk failed under' : 'SQLite refused a call on';
  return new UnavailableError(
    'store-unavailable',
    `${what} the state store ${path}. Check that its disk is healthy and writable, and that no quota is used up.`,
    { cause: error },
  );
}

/** What is asked of a store after its end. */
export const storeClosed = (path: string, cause?: unknown) =>
  new UnavailableError('store-closed', `The state store ${path} is closed.`, { cause });

function damaged(path: string, cause: unknown): CorruptDataError {
  const said = describeError(cause);
  return new CorruptDataError(
    'store-damaged',
    `The state store ${path} is damaged (SQLite: ${said}). Stop Reeve and run \`reeve check\`; restore a backup with \`reeve restore FILE\`.`,
    { cause },
  );
}
