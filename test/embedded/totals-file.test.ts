import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Totals } from '#embedded/totals.ts';
import { keepingUp, readTotalsFile, type TotalsFile, totalsFile } from '#embedded/totals-file.ts';
import { testLog } from '../support/log.ts';

const totals = (commits: number): Totals => ({
  store: 'a'.repeat(16),
  commits,
  accepted: commits,
  revisions: commits,
  forgotten: 0,
});

function onDisk(): { readonly path: string; readonly file: TotalsFile } {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-totals-'));
  const path = join(folder, 'totals');
  const file = totalsFile(path);
  onTestFinished(() => {
    file.close();
    rmSync(folder, { recursive: true });
  });
  return { path, file };
}

test('what was written last is read', () => {
  const { path, file } = onDisk();
  for (const commits of [1, 2, 3]) file.write(totals(commits));
  expect(readTotalsFile(path)).toEqual({ kind: 'read', totals: totals(3), isWhole: true });
});

test('after a commit a file that cannot be written fails nothing, and is logged once until it can', () => {
  const { path, file } = onDisk();
  const log = testLog();
  let disk = totalsFile('/dev/full');
  onTestFinished(() => disk.close());
  const keepUp = keepingUp({ ...file, write: (next) => disk.write(next) }, log);
  keepUp(totals(1));
  keepUp(totals(2));
  const unwritten = log.lines.filter(({ event }) => event === 'totals-file-unwritten');
  expect(unwritten).toMatchObject([
    { fields: { commits: 1, reason: expect.stringContaining('ENOSPC') } },
  ]);
  disk.close();
  disk = file;
  keepUp(totals(3));
  expect(readTotalsFile(path)).toMatchObject({ kind: 'read', totals: totals(3) });
});
