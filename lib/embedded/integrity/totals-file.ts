/**
 * The totals file, beside the database: counts of what was committed, written after each commit is durable. So it is
 * never ahead of the disk, and a database with smaller totals has lost accepted work, for example the end of a damaged
 * write-ahead log, which SQLite drops silently.
 *
 * Only its first write is synced: after a power cut it may be behind, which is harmless. Two slots are written alternately, so
 * that a torn write leaves the other intact. In a new file, one with an unreadable slot, or one of other data, both are
 * written at once: so a missing slot is damage.
 *
 * It is made before the first commit, with totals of no commit: so a database with a commit and without the file has lost it.
 */
import { closeSync, fstatSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { types } from 'node:util';
import { crc32 } from 'node:zlib';
import { describeError } from '#core/model/errors.ts';
import { onDisk } from '#embedded/data-files.ts';
import type { Log } from '#ports/log.ts';
import type { Totals } from './totals.ts';

/** Each slot has its own disk sector, so that a torn sector damages one slot only. */
const slotBytes = 4_096;
const usedBytes = 64;
const magic = 0x52564531;

/** The content of the totals file. */
export type TotalsOnFile =
  | { readonly kind: 'absent' }
  /** It was made, and not written. */
  | { readonly kind: 'empty' }
  /** Both slots are unreadable. */
  | { readonly kind: 'damaged' }
  /** `isWhole`: false when one of the slots is unreadable. */
  | { readonly kind: 'read'; readonly totals: Totals; readonly isWhole: boolean };

/** Creates or replaces the file. */
export function writeTotalsFile(path: string, totals: Totals): void {
  rmSync(path, { force: true });
  const file = totalsFile(path);
  try {
    file.write(totals);
  } finally {
    file.close();
  }
}

/** An open totals file. */
export interface TotalsFile {
  /** The content when it was opened. */
  readonly before: TotalsOnFile;
  /** @throws the system's error */
  write(totals: Totals): void;
  close(): void;
}

/** Opens the file; creates it when it does not exist. */
export function totalsFile(path: string): TotalsFile {
  const before = readTotalsFile(path);
  const file = openSync(path, before.kind === 'absent' ? 'w+' : 'r+', 0o600);
  const slot = Buffer.alloc(usedBytes);
  /** Those whose totals both slots have; null: a slot is unreadable. */
  let store = before.kind === 'read' && before.isWhole ? before.totals.store : null;
  let isOpen = true;
  return {
    before,
    write(totals) {
      encode(slot, totals);
      if (store === totals.store) {
        writeSync(file, slot, 0, usedBytes, (totals.commits % 2) * slotBytes);
        return;
      }
      writeBoth(file, slot);
      store = totals.store;
      fsyncSync(file);
      if (before.kind === 'absent') onDisk(dirname(path));
    },
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

function writeBoth(file: number, slot: Buffer): void {
  const both = Buffer.alloc(slotBytes + usedBytes);
  slot.copy(both, 0);
  slot.copy(both, slotBytes);
  if (writeSync(file, both, 0, both.length, 0) < both.length) {
    throw new Error('The totals file was written only partly.');
  }
}

/**
 * Writes the file after a commit. The commit is durable anyway, so a failure is only logged, once until a write
 * succeeds again.
 */
export function keepingUp(file: TotalsFile, log: Log): TotalsFile['write'] {
  let isBehind = false;
  return (totals) => {
    try {
      file.write(totals);
      isBehind = false;
    } catch (error) {
      if (!isBehind) {
        const reason = describeError(error);
        log.error('totals-file-unwritten', { commits: totals.commits, reason });
      }
      isBehind = true;
    }
  };
}

export function readTotalsFile(path: string): TotalsOnFile {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (types.isNativeError(error) && 'code' in error && error.code === 'ENOENT') {
      return { kind: 'absent' };
    }
    throw error;
  }
  try {
    if (fstatSync(file).size === 0) return { kind: 'empty' };
    const [even, odd] = [decode(file, 0), decode(file, 1)];
    const read = [even, odd].filter((slot) => typeof slot !== 'string');
    const [last] = read.toSorted((a, b) => b.commits - a.commits);
    if (last === undefined) return { kind: 'damaged' };
    // Until its second commit, a file of an older Reeve has only its second slot.
    const isWhole = read.length === 2 || (even === 'empty' && last.commits === 1);
    return { kind: 'read', totals: last, isWhole };
  } finally {
    closeSync(file);
  }
}

function encode(slot: Buffer, { store, commits, accepted, revisions, forgotten }: Totals): void {
  slot.writeUInt32LE(magic, 0);
  slot.write(store, 8, 16, 'latin1');
  slot.writeDoubleLE(commits, 24);
  slot.writeDoubleLE(accepted, 32);
  slot.writeDoubleLE(revisions, 40);
  slot.writeDoubleLE(forgotten, 48);
  slot.writeUInt32LE(crc32(slot.subarray(8)), 4);
}

function decode(file: number, at: number): Totals | 'damaged' | 'empty' {
  const slot = Buffer.alloc(usedBytes);
  const length = readSync(file, slot, 0, usedBytes, at * slotBytes);
  if (length === 0) return 'empty';
  if (length < usedBytes) return 'damaged';
  if (slot.every((byte) => byte === 0)) return 'empty';
  if (slot.readUInt32LE(0) !== magic || slot.readUInt32LE(4) !== crc32(slot.subarray(8))) {
    return 'damaged';
  }
  return {
    store: slot.toString('latin1', 8, 24),
    commits: slot.readDoubleLE(24),
    accepted: slot.readDoubleLE(32),
    revisions: slot.readDoubleLE(40),
    forgotten: slot.readDoubleLE(48),
  };
}
