/**
 * Today's throughput beside that of another commit and that of SQLite alone, in turns in one run, because absolute figures
 * of different runs cannot be compared. The other commit is measured twice in each round: what its two figures differ by is
 * the noise.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { percentile } from '../flow/figures.ts';
import { bare, type Load, measured } from './row.ts';

/** Medians over the rounds. */
export interface Pairs {
  readonly rounds: number;
  readonly ordersPerSecond: {
    readonly bare: number;
    readonly before: number;
    readonly now: number;
  };
  readonly cpuMsPerOrder: { readonly bare: number; readonly before: number; readonly now: number };
  /** Orders per second by those of SQLite alone. */
  readonly ofBare: { readonly before: number; readonly now: number };
  /** CPU of an order by that of the commit before. */
  readonly cpuRatio: number;
  /** The CPU of the commit before by itself, as far from 1 as it was in the worst round. */
  readonly noise: number;
}

/** @param commit any name that git knows */
export function pairs(commit: string, rounds: number, load: Load): Pairs {
  const before = checkout(commit);
  try {
    const turns = Array.from({ length: rounds }, () => ({
      bare: bare(load),
      before: measured(before.folder, load),
      now: measured(resolve('.'), load),
      again: measured(before.folder, load),
    }));
    const of = (figure: (turn: (typeof turns)[number]) => number) =>
      percentile(turns.map(figure), 0.5);
    return {
      rounds,
      ordersPerSecond: {
        bare: of((turn) => turn.bare.ordersPerSecond),
        before: of((turn) => turn.before.ordersPerSecond),
        now: of((turn) => turn.now.ordersPerSecond),
      },
      cpuMsPerOrder: {
        bare: of((turn) => turn.bare.cpuMsPerOrder),
        before: of((turn) => turn.before.cpuMsPerOrder),
        now: of((turn) => turn.now.cpuMsPerOrder),
      },
      ofBare: {
        before: ratio(of((turn) => turn.before.ordersPerSecond / turn.bare.ordersPerSecond)),
        now: ratio(of((turn) => turn.now.ordersPerSecond / turn.bare.ordersPerSecond)),
      },
      cpuRatio: ratio(
        of(({ now, before: first, again }) => {
          return (2 * now.cpuMsPerOrder) / (first.cpuMsPerOrder + again.cpuMsPerOrder);
        }),
      ),
      noise: ratio(
        Math.max(
          ...turns.map(({ before: first, again }) =>
            Math.abs(again.cpuMsPerOrder / first.cpuMsPerOrder - 1),
          ),
        ),
      ),
    };
  } finally {
    before.remove();
  }
}

/** The files of a commit in a folder of its own, with the packages that are installed here. */
function checkout(commit: string) {
  const folder = join(mkdtempSync(join(tmpdir(), 'reeve-before-')), 'reeve');
  const git = (...args: readonly string[]) => execFileSync('git', args, { stdio: 'pipe' });
  git('worktree', 'add', '--detach', folder, commit);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    remove() {
      git('worktree', 'remove', '--force', folder);
      rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}

const ratio = (value: number) => Math.round(value * 1_000) / 1_000;
