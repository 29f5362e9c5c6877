/**
 * The files that a kill leaves: a copy of a folder before each call of Node that changes files. A copy is what is on disk when the
 * process ends at that call, because the system keeps what was written.
 */
import fs, { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';

const fileCalls = [
  'copyFileSync',
  'renameSync',
  'linkSync',
  'rmSync',
  'openSync',
  'writeSync',
  'closeSync',
  'fsyncSync',
  'chmodSync',
] as const;

/** One state of the files. */
export interface KillPoint {
  /** The call before which the process ends, with its number. */
  readonly before: string;
  /** A copy of the folder. */
  readonly folder: string;
}

/** Runs `work`; states that follow each other differ, and the last one is that after it. */
export function killPoints(folder: string, work: () => void): readonly KillPoint[] {
  const points: KillPoint[] = [];
  let isNoted = true;
  let last = '';
  const note = (call: string) => {
    if (!isNoted) return;
    isNoted = false;
    const copy = mkdtempSync(join(tmpdir(), 'reeve-killed-'));
    onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
    cpSync(folder, copy, { recursive: true });
    const content = contentOf(copy);
    if (content !== last) points.push({ before: `${points.length} ${call}`, folder: copy });
    last = content;
    isNoted = true;
  };
  const endings = [
    ...fileCalls.map((name) => noted(fs, name, note)),
    noted(DatabaseSync.prototype, 'exec', note),
    noted(DatabaseSync.prototype, 'close', note),
    noted(StatementSync.prototype, 'run', note),
  ];
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    for (const end of endings) end();
    syncBuiltinESMExports();
  }
  note('the end');
  // Code of Node that was loaded meanwhile, such as that of `cpSync`, has these functions for as long as the process lives.
  isNoted = false;
  return points;
}

const contentOf = (folder: string) =>
  readdirSync(folder)
    .toSorted()
    .map((name) => `${name} ${readFileSync(join(folder, name)).toString('base64')}`)
    .join();

/** Calls `note` before each call of that function; the returned function ends it. */
function noted(target: object, name: string, note: (call: string) => void): () => void {
  const original: unknown = Reflect.get(target, name);
  if (typeof original !== 'function') throw new RangeError(name);
  Reflect.set(target, name, function (this: unknown, ...values: unknown[]) {
    note(name);
    return Reflect.apply(original, this, values);
  });
  return () => void Reflect.set(target, name, original);
}
