/** What SQLite says, as the errors of lib/core: what is wrong, with which file, and what to do. */
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
/** Too big, constraint, mismatch, range: about the one value, and not about the disk. */
const ofTheValue: readonly number[] = [18, 19, 20, 25];

/** The primary result code of an error that SQLite raised; null for any other error. */
function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  // The higher bits say which I/O call failed.
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}

/** SQLITE_IOERR_SHMSIZE: no room for the index of a log, which a look at the data needs. */
const noRoomForIndex = 4_874;

export const isFull = (error: unknown): boolean =>
  sqliteCode(error) === full ||
  (error instanceof Error && 'errcode' in error && error.errcode === noRoomForIndex);

export const isBusy = (error: unknown): boolean => sqliteCode(error) === busy;

export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === corrupt || code === notADatabase;
}

/** Whether the schema has no such table, column or index, of which Reeve made every one. */
export const isOfTheSchema = (error: unknown): boolean => sqliteCode(error) === logicError;

/** Whether it is about one row or value, so that other rows can still be written. */
export function isOfOneRow(error: unknown): boolean {
  if (sqliteCode(error) === null) return !isClosed(error);
  return isDamage(error) || isOfTheValue(error);
}

/** Node raises this when a statement is used after the database was closed. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE';
}

/** A value that no try of the same write gets past, as one over the largest that SQLite stores. */
function isOfTheValue(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && ofTheValue.includes(code);
}

/**
 * What SQLite raised as an error of lib/core; any other error stays as it is.
 *
 * Codes: `store-full`, `store-unavailable` and `store-closed` ({@link UnavailableError}),
 * `store-refused` ({@link RefusedError}), and `store-damaged` ({@link CorruptDataError}).
 */
export function storeError(error: unknown, path: string): unknown {
  if (isFull(error)) {
    return new UnavailableError(
      'store-full',
      `The disk has no room for the state store ${path}. What was accepted is kept. Make room on the disk, or choose another REEVE_DATA.`,
      { cause: error },
    );
  }
  if (isDamage(error)) return damaged(path, error);
  if (isClosed(error)) {
    return new UnavailableError('store-closed', `The state store ${path} is closed.`, {
      cause: error,
    });
  }
  if (isOfTheValue(error)) {
    return new RefusedError(
      'store-refused',
      `SQLite does not take a value for the state store ${path}. It is not tried again as it is.`,
      { cause: error },
    );
  }
  const code = sqliteCode(error);
  if (code === null) return error;
  const what = code === ioError ? 'The disk failed under' : 'SQLite refused a call on';
  return new UnavailableError(
    'store-unavailable',
    `${what} the state store ${path}. See that its disk is healthy and may be written.`,
    { cause: error },
  );
}

function damaged(path: string, cause: unknown): CorruptDataError {
  const said = describeError(cause);
  return new CorruptDataError(
    'store-damaged',
    `The state store ${path} is damaged (SQLite: ${said}). Stop Reeve and run \`reeve check\`; restore a backup with \`reeve restore FILE\`.`,
    { cause },
  );
}
