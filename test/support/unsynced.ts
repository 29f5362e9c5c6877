/**
 * What a power cut could undo, in a simple model of a disk: the content of a file is durable once it was synced after its last write, and
 * its name once its folder was. What SQLite writes by itself is not seen.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';

export interface Unsynced {
  /** Files that got another name before their content was durable. */
  readonly renamed: readonly string[];
  /** Files whose content or name is not durable at the end. */
  readonly left: readonly string[];
}

/** Runs `work`, and follows the calls of Node that change files. */
export function unsyncedBy(work: () => void): Unsynced {
  const files = new Map<number, string>();
  const contents = new Set<string>();
  const names = new Set<string>();
  const renamed: string[] = [];
  const removed = (path: string) => {
    contents.delete(path);
    names.delete(path);
  };
  const written = (path: string) => {
    contents.add(path);
    names.add(path);
  };
  const ends = [
    followed('openSync', ([path, mode], file) => {
      if (typeof file === 'number') files.set(file, String(path));
      if (String(mode).startsWith('w')) written(String(path));
    }),
    followed('writeSync', ([file]) => contents.add(files.get(Number(file)) ?? '')),
    followed('copyFileSync', ([, to]) => written(String(to))),
    followed('rmSync', ([path]) => removed(String(path))),
    followed('fsyncSync', ([file]) => {
      const path = files.get(Number(file)) ?? '';
      contents.delete(path);
      for (const name of names) if (dirname(name) === path) names.delete(name);
    }),
    followed('renameSync', ([from, to]) => {
      if (contents.has(String(from))) renamed.push(String(from));
      removed(String(from));
      names.add(String(to));
    }),
    followed('linkSync', ([from, to]) => {
      if (contents.has(String(from))) renamed.push(String(from));
      names.add(String(to));
    }),
  ];
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    for (const end of ends) end();
    syncBuiltinESMExports();
  }
  return { renamed, left: [...new Set([...contents, ...names])] };
}

/** Calls `note` after each call of that function; the returned function ends it. */
function followed(
  name: string,
  note: (values: readonly unknown[], result: unknown) => void,
): () => void {
  const original: unknown = Reflect.get(fs, name);
  if (typeof original !== 'function') throw new RangeError(name);
  Reflect.set(fs, name, (...values: unknown[]) => {
    const result: unknown = Reflect.apply(original, fs, values);
    note(values, result);
    return result;
  });
  return () => void Reflect.set(fs, name, original);
}
