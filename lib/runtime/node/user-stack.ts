/** What the error of a module of the user says: its message, and where in the code of the user it is. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { describeError, errorCode, errorKind } from '#core/model/errors.ts';

/** The folders that have the code of Reeve, whose frames say nothing to the user: as Node and as test runners write them. */
const own = ['lib', 'bin']
  .map((folder) => join(import.meta.dirname, '..', '..', '..', folder, '/'))
  .flatMap((folder) => [pathToFileURL(folder).href, folder]);

/** Enough to find the line, and the code that called it. */
const framesMax = 3;

/** Class, code and message of what was thrown, in one line. */
export function errorHead(error: unknown): string {
  if (!(error instanceof Error)) return `${inspect(error, { depth: 1 })} (not an Error)`;
  const code = errorCode(error);
  return `${errorKind(error)}${code === null ? '' : ` (${code})`}: ${describeError(error)}`;
}

/** The first frames in the code of the user, `at pay (file:///shop/agents.ts:12:9)`; none when the error has none. */
export function userFrames(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && isOfUser(line));
  const inSources = frames.filter((frame) => !frame.includes('/node_modules/'));
  return (inSources.length > 0 ? inSources : frames).slice(0, framesMax).map((line) => line.trim());
}

/** The text of the error, with the first frames of the user alone, and with what to do where that is known. */
export function userStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stack = `${error.name}: ${error.message}` } = error;
  const text = stack.split('\n').filter((line) => !/^\s+at /.test(line));
  const frames = userFrames(error).map((frame) => `    ${frame}`);
  return [...text, ...frames, ...remedyOf(error)].join('\n').trimEnd();
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
