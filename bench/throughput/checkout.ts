/**
 * The files of another commit in a folder of their own: a work tree of this repository, in a folder for temporary files whose name has the
 * process that made it. What a process left that was killed is removed when the next one begins.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { installedGit } from './base-commit.ts';

/** A checkout, while it is there. */
export interface Checkout {
  /** The files of the commit, with the packages that are installed here. */
  readonly folder: string;
  /** For temporary files, which are removed with it. */
  readonly temporary: string;
}

const prefix = 'reeve-before-';

/**
 * Works with the files of a commit, and removes them in the end.
 *
 * @param commit any name that git knows
 */
export async function withCheckout<Result>(
  commit: string,
  work: (checkout: Checkout) => Promise<Result>,
): Promise<Result> {
  removeAbandoned();
  const temporary = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  const folder = join(temporary, 'reeve');
  try {
    execFileSync('git', ['worktree', 'add', '--detach', folder, commit], { stdio: 'pipe' });
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    return await work({ folder, temporary });
  } finally {
    remove(folder);
  }
}

function removeAbandoned(): void {
  const listed = installedGit('worktree', 'list', '--porcelain') ?? '';
  const own = new RegExp(`^worktree (.*[\\\\/]${prefix}(\\d+)-[^\\\\/]+[\\\\/]reeve)$`, 'gm');
  for (const [, folder = '', pid] of listed.matchAll(own))
    if (!isRunning(Number(pid))) remove(folder);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It may belong to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Also one that git was making when its process was killed, which it keeps locked: for that it wants to be forced twice. */
function remove(folder: string): void {
  installedGit('worktree', 'remove', '--force', '--force', folder);
  rmSync(dirname(folder), { recursive: true, force: true });
}
