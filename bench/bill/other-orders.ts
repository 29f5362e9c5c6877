/** What orders cost that do not go as well, take minutes, or are submitted in bulk: each is run, in batches of ten and in single messages. */
import type { Consumption } from './consumption.ts';
import { totalDollars } from './dollars.ts';
import { round } from './peers.ts';
import { functionGb, prices } from './prices.ts';
import { consume, type Setting } from './run.ts';

const steps = 3;
const slowStepMs = 120_000;
const batches = { full: { orders: 100, batchMax: 10 }, single: { orders: 20, batchMax: 1 } };

const kinds = {
  held: { areHeld: true },
  slow: { workflows: 'bench/bill/slow-workflow.ts', stepMs: slowStepMs },
  undone: { lastAgent: 'bench/bill/agent-refuse.ts' },
  bulk: { bulk: 100 },
} as const satisfies Readonly<Record<string, Partial<Setting>>>;

/** A kind of order. */
export type OtherOrder = keyof typeof kinds;

/** Per order, and per million orders. */
export interface OrderCost {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly dollars: number;
}

export type OtherOrders = Readonly<
  Record<OtherOrder, { readonly full: OrderCost; readonly single: OrderCost }>
>;

/** Runs them. @param most orders of each kind, at most */
export async function otherOrders(most = Number.POSITIVE_INFINITY): Promise<OtherOrders> {
  const costOf = async (kind: OtherOrder) => {
    const of = async ({ orders, batchMax }: { orders: number; batchMax: number }) => {
      const count = Math.min(orders, most);
      const waveOrders = batchMax === 1 ? Math.min(count, 10) : count;
      return cost(await consume({ orders: count, batchMax, waveOrders, ...kinds[kind] }));
    };
    return { full: await of(batches.full), single: await of(batches.single) };
  };
  return {
    held: await costOf('held'),
    slow: await costOf('slow'),
    undone: await costOf('undone'),
    bulk: await costOf('bulk'),
  };
}

const cost = (used: Consumption): OrderCost => ({
  writeUnits: round(used.writeUnits / used.orders),
  readUnits: round(used.readUnits / used.orders),
  dollars: round(totalDollars(used)),
});

/**
 * What the functions of agents cost more that wait for slow steps, dollars per million orders: the calls of a batch wait together. An
 * agent that runs elsewhere costs nothing here.
 *
 * @param batchMax calls of a batch
 */
export const slowAgents = (batchMax: number): number =>
  round(((steps * slowStepMs) / 1_000 / batchMax) * functionGb * prices.lambdaGbSecond * 1_000_000);
