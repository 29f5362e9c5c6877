/**
 * Data that are checked stay locked against other processes. The system takes all locks of a process on a file from it when it closes any
 * of its descriptors of that file.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyDatabase } from '#embedded/data-files.ts';
import { assertWholeFile } from '#embedded/integrity/whole-file.ts';
import { openUntouched } from '#embedded/read-only.ts';
import { accepted, folder, opened, somewhere, stored } from '../support/stored-data.ts';

/** What another process is answered that wants to write. */
function asked(path: string): string {
  const code = `
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(process.argv[1]);
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK');
      console.log('not locked');
    } catch (error) {
      console.log(error.message);
    }`;
  return spawnSync(process.execPath, ['-e', code, path], { encoding: 'utf8' }).stdout.trim();
}

/** What a kill leaves. */
async function killed(): Promise<string> {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one');
  const copy = folder();
  cpSync(dirname(path), copy, { recursive: true });
  return join(copy, 'reeve.db');
}

test('a second start in one process takes no lock from the first one', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one');
  expect(() => opened(path)).toThrow(expect.objectContaining({ code: 'store-in-use' }));
  expect(asked(path)).toBe('database is locked');
});

test('a check of data with a log keeps its lock', async () => {
  const path = await killed();
  const { database, file, close } = openUntouched(path);
  onTestFinished(close);
  assertWholeFile({ database, file }, path);
  expect(asked(path)).toBe('database is locked');
});

test('a check of data of an older release keeps its lock while it copies them', async () => {
  const path = await stored('one');
  const { file, close } = openUntouched(path);
  onTestFinished(close);
  const copy = somewhere();
  copyDatabase(file, path, copy);
  expect(asked(path)).toBe('database is locked');
  expect(readFileSync(copy).equals(readFileSync(path))).toBe(true);
});
