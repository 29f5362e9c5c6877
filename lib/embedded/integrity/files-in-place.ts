/**
 * Whether the open files of the database are still where they were: by a cleaner of temporary files, or a backup that was copied over
 * them, they are removed or replaced. SQLite goes on with them, and the next start does not find what was stored.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { logPath } from '#embedded/data-files.ts';
import type { DamageReport } from './damage-report.ts';

/** Call it when they are open. Returns a function that reports those that are gone, each once; it takes some microseconds. */
export function filesInPlace(path: string, damage: DamageReport): () => void {
  const files = [path, logPath(path)].map((name) => {
    const file = resolve(name);
    return { file, opened: identityOf(file) };
  });
  return () => {
    for (const { file, opened } of files) {
      const found = identityOf(file);
      if (found === opened || found === 'unknown') continue;
      const what = found === null ? 'removed' : 'replaced';
      const reason = `${file} was ${what} while Reeve uses it: the next start does not find what is stored. Make a backup before Reeve ends, and restore it.`;
      damage.report({ table: 'database', row: file, reason });
    }
  };
}

/** Null: there is no file. As a large integer, because some file systems have larger numbers than JavaScript. */
function identityOf(file: string): bigint | 'unknown' | null {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
  } catch {
    return 'unknown';
  }
}
