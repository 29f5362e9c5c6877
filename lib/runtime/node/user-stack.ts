/** What the error of a module of the user says: its message, and where in the code of the user it is. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folders that have the code of Reeve, whose frames say nothing to the user. */
const own = ['lib', 'bin'].map(
  (folder) => pathToFileURL(join(import.meta.dirname, '..', '..', '..', folder, '/')).href,
);

/** The text of the error, with the frames of the user alone, and with what to do where that is known. */
export function userStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stack = `${error.name}: ${error.message}` } = error;
  const lines = stack.split('\n').filter((line) => !/^\s+at /.test(line) || isOfUser(line));
  return [...lines, ...remedyOf(error)].join('\n').trimEnd();
}

const isOfUser = (frame: string) =>
  !/\(?node:|<anonymous>\)$/.test(frame) && !own.some((folder) => frame.includes(folder));

function remedyOf(error: Error): readonly string[] {
  if (!('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') return [];
  const missing = /^Cannot find package '([^']+)'/.exec(error.message)?.[1];
  if (missing !== undefined) return [`Install it: npm install ${missing}`];
  const isBare = /^Cannot find module '[^']*\/[^'/.]+'/.test(error.message);
  return isBare ? ["Node needs the ending of a file in its import, such as './agents.ts'."] : [];
}
