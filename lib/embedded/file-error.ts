/** Translates a system error about a file or folder into an error of lib/core that names it. */
import { types } from 'node:util';
import { ReeveError, UnavailableError } from '#core/model/errors.ts';

const noRoom: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Errors about the path itself: the same call would fail again. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file of that name exists',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'its disk is read-only',
  ELOOP: 'its path has too many links',
  ENAMETOOLONG: 'its name is too long',
};

/**
 * Returns any other error unchanged.
 *
 * Codes: `disk-full` and `file-failed` ({@link UnavailableError}: a retry may succeed), `file-unusable`.
 *
 * @param what as in "Cannot write the backup"
 */
function fileError(error: unknown, what: string, path: string): unknown {
  if (!(types.isNativeError(error) && 'code' in error && 'syscall' in error)) return error;
  const code = String(error.code);
  if (noRoom.includes(code)) {
    const message = `${what} ${path}: its disk is full. Free space on it.`;
    return new UnavailableError('disk-full', message, { cause: error });
  }
  const reason = reasons[code];
  return reason === undefined
    ? new UnavailableError('file-failed', `${what} ${path}: the system says ${code}.`, {
        cause: error,
      })
    : new ReeveError('file-unusable', `${what} ${path}: ${reason}.`, { cause: error });
}

/** Runs `work`. @throws {ReeveError} its error, translated by {@link fileError} */
export function onFile<Result>(what: string, path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw fileError(error, what, path);
  }
}
