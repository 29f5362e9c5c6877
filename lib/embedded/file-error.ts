/** What the system says of a file or folder, as an error of lib/core: one sentence that names it. */
import { ReeveError, UnavailableError } from '#core/model/errors.ts';

const noRoom: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** About the path that was named: the same call fails again. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file of that name is there',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'its disk is read-only',
  ELOOP: 'its path has too many links',
  ENAMETOOLONG: 'its name is too long',
};

/**
 * Any error that is not of the system stays as it is.
 *
 * Codes: `disk-full` and `file-failed` ({@link UnavailableError}: it may work later), `file-unusable`.
 *
 * @param what as in "Cannot write the backup"
 */
function fileError(error: unknown, what: string, path: string): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error;
  const code = String(error.code);
  if (noRoom.includes(code)) {
    const message = `${what} ${path}: its disk has no room. Make room on it.`;
    return new UnavailableError('disk-full', message, { cause: error });
  }
  const reason = reasons[code];
  return reason === undefined
    ? new UnavailableError('file-failed', `${what} ${path}: the system says ${code}.`, {
        cause: error,
      })
    : new ReeveError('file-unusable', `${what} ${path}: ${reason}.`, { cause: error });
}

/** @throws {ReeveError} what `work` throws, by {@link fileError} */
export function onFile<Result>(what: string, path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw fileError(error, what, path);
  }
}
