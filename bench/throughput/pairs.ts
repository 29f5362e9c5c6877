/**
 * Today's throughput beside that of another commit and that of SQLite alone, in turns in one run, because absolute figures
 * of different runs cannot be compared. The other commit is measured twice in each round: what its two figures differ by is
 * the noise (noise.ts).
 */
import { resolve } from 'node:path';
import { percentile } from '../flow/figures.ts';
import { withCheckout } from './checkout.ts';
import { noiseOf } from './noise.ts';
import { bare, type Load, measured, type Row } from './row.ts';

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
  /** How far from 1 the CPU of the commit before by itself may be, as a median over so many rounds. */
  readonly noise: number;
}

/**
 * Measures in turns.
 *
 * @param commit any name that git knows
 * @param stopped ends it, so that it rejects when its files are removed
 */
export function pairs(
  commit: string,
  rounds: number,
  load: Load,
  stopped: AbortSignal,
): Promise<Pairs> {
  return withCheckout(commit, async ({ folder, temporary }) => {
    const run = { stopped, temporary };
    const turns: Turn[] = [];
    while (turns.length < rounds) {
      turns.push({
        bare: await bare(load, run),
        before: await measured(folder, load, run),
        now: await measured(resolve('.'), load, run),
        again: await measured(folder, load, run),
      });
    }
    return ofTurns(turns);
  });
}

type Figures = Pick<Row, 'ordersPerSecond' | 'cpuMsPerOrder'>;
type Turn = Readonly<Record<'bare' | 'before' | 'now' | 'again', Figures>>;

function ofTurns(turns: readonly Turn[]): Pairs {
  const of = (figure: (turn: Turn) => number) => percentile(turns.map(figure), 0.5);
  return {
    rounds: turns.length,
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
      noiseOf(turns.map(({ before: first, again }) => again.cpuMsPerOrder / first.cpuMsPerOrder)),
    ),
  };
}

const ratio = (value: number) => Math.round(value * 1_000) / 1_000;
