import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Totals } from '#embedded/integrity/totals.ts';
import {
  keepingUp,
  readTotalsFile,
  type TotalsFile,
  totalsFile,
} from '#embedded/integrity/totals-file.ts';
import { testLog } from '../support/log.ts';

const totals = (commits: number): Totals => ({
  store: 'a'.repeat(16),
  commits,
  accepted: 2 * commits,
  revisions: 5 * commits + 2 ** 40,
  forgotten: commits - 1,
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

test('the last write is read', () => {
  const { path, file } = onDisk();
  for (const commits of [1, 2, 3]) file.write(totals(commits));
  expect(readTotalsFile(path)).toEqual({ kind: 'read', totals: totals(3), isWhole: true });
});

test.each([1, 2])('a file that was written once, by commit %i, is sound', (commits) => {
  const { path, file } = onDisk();
  expect(file.before).toEqual({ kind: 'absent' });
  file.write(totals(commits));
  expect(readTotalsFile(path)).toEqual({ kind: 'read', totals: totals(commits), isWhole: true });
});

test('a file that is opened again is read and stays unchanged', () => {
  const { path, file } = onDisk();
  for (const commits of [1, 2]) file.write(totals(commits));
  const read = { kind: 'read', totals: totals(2), isWhole: true };
  const again = totalsFile(path);
  onTestFinished(() => again.close());
  expect([again.before, readTotalsFile(path)]).toEqual([read, read]);
  again.write(totals(3));
  expect(readTotalsFile(path)).toEqual({ ...read, totals: totals(3) });
});

test('only its owner may read it, and it may be closed twice', () => {
  const { path, file } = onDisk();
  file.close();
  file.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

/** From the totals file on: two slots, each in a disk sector of its own. */
const slotOf = { 2: 0, 3: 4_096 };

test('when any bit of a slot changes, the other slot is read, and the damage is reported', () => {
  const { path, file } = onDisk();
  for (const commits of [1, 2, 3]) file.write(totals(commits));
  const written = readFileSync(path);
  expect(written).toHaveLength(4_096 + 64);
  fc.assert(
    fc.property(
      fc.constantFrom(2 as const, 3 as const),
      fc.nat({ max: 63 }),
      fc.nat({ max: 7 }),
      (harmed, at, bit) => {
        const bytes = Buffer.from(written);
        bytes[slotOf[harmed] + at] = (bytes[slotOf[harmed] + at] ?? 0) ^ (1 << bit);
        writeFileSync(path, bytes);
        const left = totals(harmed === 2 ? 3 : 2);
        expect(readTotalsFile(path)).toEqual({ kind: 'read', totals: left, isWhole: false });
      },
    ),
    { numRuns: 300 },
  );
});

test('a truncated file is not sound', () => {
  const { path, file } = onDisk();
  for (const commits of [2, 3]) file.write(totals(commits));
  const written = readFileSync(path);
  for (const length of [64, 2_048, 4_096, 4_097, 4_110, 4_159]) {
    writeFileSync(path, written.subarray(0, length));
    expect(readTotalsFile(path)).toEqual({ kind: 'read', totals: totals(2), isWhole: false });
  }
});

test.each([
  ['first', 0, 3],
  ['second', 4_096, 2],
])('a file whose %s slot is zeros is not sound', (_, from, left) => {
  const { path, file } = onDisk();
  for (const commits of [2, 3]) file.write(totals(commits));
  writeFileSync(path, readFileSync(path).fill(0, from, from + 64));
  expect(readTotalsFile(path)).toEqual({ kind: 'read', totals: totals(left), isWhole: false });
});

test('a file of an older release that was written once is sound', () => {
  const { path, file } = onDisk();
  file.write(totals(1));
  const bytes = readFileSync(path).fill(0, 0, 64);
  writeFileSync(path, bytes);
  expect(readTotalsFile(path)).toEqual({ kind: 'read', totals: totals(1), isWhole: true });
});

test('a damaged file is sound after the next write', () => {
  const { path, file } = onDisk();
  for (const commits of [2, 3]) file.write(totals(commits));
  writeFileSync(path, readFileSync(path).subarray(0, 64));
  const mended = totalsFile(path);
  onTestFinished(() => mended.close());
  mended.write(totals(4));
  expect(readTotalsFile(path)).toEqual({ kind: 'read', totals: totals(4), isWhole: true });
});

test('a file of nothing is empty, and the next write makes it sound', () => {
  const { path } = onDisk();
  writeFileSync(path, '');
  const file = totalsFile(path);
  onTestFinished(() => file.close());
  expect(file.before).toEqual({ kind: 'empty' });
  file.write(totals(3));
  expect(readTotalsFile(path)).toEqual({ kind: 'read', totals: totals(3), isWhole: true });
});

test('the first write of other data leaves no slot of the former ones', () => {
  const { path, file } = onDisk();
  for (const commits of [8, 9]) file.write(totals(commits));
  const other = { ...totals(1), store: 'b'.repeat(16) };
  file.write(other);
  expect(readTotalsFile(path)).toEqual({ kind: 'read', totals: other, isWhole: true });
});

test.each([
  ['zeros', Buffer.alloc(8_192)],
  ['rubbish', Buffer.alloc(8_192, 7)],
])('a file of %s is damaged', (_, bytes) => {
  const { path } = onDisk();
  writeFileSync(path, bytes);
  expect(readTotalsFile(path)).toEqual({ kind: 'damaged' });
});

test('a file that cannot be accessed does not count as absent', () => {
  const { path } = onDisk();
  writeFileSync(path, 'x');
  expect(() => readTotalsFile(join(path, 'below'))).toThrow(/ENOTDIR/);
});

test('a file that cannot be written after a commit fails nothing, and is logged once until it can be written', () => {
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
  disk = totalsFile('/dev/full');
  keepUp(totals(4));
  expect(log.lines.map(({ fields }) => fields['commits'])).toEqual([1, 4]);
});
