/**
 * A disk of a few megabytes for a process under test: a separate file system where mounting is allowed, otherwise
 * the system's limit on file sizes, which needs no right.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface SmallDisk {
  readonly path: string;
  /** Words before a command that starts while the disk is full. */
  readonly full: readonly string[];
  /** Fills the disk; `pid`: for that running process. */
  fill(pid?: number): void;
  /** Frees the space. */
  free(pid?: number): void;
}

export function smallDisk(mebibytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'reeve-disk-'));
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path];
    execFileSync('mount', options, { stdio: 'ignore' });
  } catch {
    onTestFinished(() => rmSync(path, { recursive: true }));
    return limitedFiles(path);
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', path]);
    rmSync(path, { recursive: true });
  });
  const filler = join(path, 'filler');
  return {
    path,
    full: [],
    fill() {
      writeFileSync(filler, '');
      for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) fillBy(filler, size);
    },
    free: () => rmSync(filler),
  };
}

function fillBy(path: string, size: number): void {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(size));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

/** A write past the limit fails with EFBIG: Node ignores the preceding signal. */
function limitedFiles(path: string): SmallDisk {
  const limit = (pid: number | undefined, bytes: string) => {
    if (pid !== undefined) execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
  };
  return {
    path,
    full: ['sh', '-c', 'ulimit -S -f 0; exec "$0" "$@"'],
    fill: (pid) => limit(pid, '0'),
    free: (pid) => limit(pid, 'unlimited'),
  };
}
