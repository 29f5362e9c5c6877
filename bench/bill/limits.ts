/**
 * What limits cost: the write units of the table that has them. The rest of an order with limits consumes what it does without:
 * its record does not say in which slot a call began.
 */
import { consume } from './run.ts';

const steps = 3;
/** Orders of a limited rate take a quarter of a second for each step: the first calls after a pause may arrive so late. */
const settings = { full: { orders: 100, batchMax: 10 }, single: { orders: 20, batchMax: 1 } };
/** In its first batch, an instance does not know the time of the queues, and gives a call with a slot of a rate back. */
const ordersBefore = 2;

const modules = {
  rate: 'bench/bill/rate-workflow.ts',
  atOnce: 'bench/bill/at-once-workflow.ts',
  beside: 'bench/bill/beside-workflow.ts',
};

/** In batches of ten, and of one. */
export interface LimitCost {
  readonly full: number;
  readonly single: number;
}

/** Write units. */
export interface LimitCosts {
  readonly perStepWithRate: LimitCost;
  readonly perStepWithAtOnce: LimitCost;
  /** Of an order without limits, in a stack that has some. */
  readonly perOrderWithout: LimitCost;
}

/** Measures it. @param most orders, at most */
export async function limitCosts(most = Number.POSITIVE_INFINITY): Promise<LimitCosts> {
  const perOrder = async (kind: keyof typeof modules, batch: keyof typeof settings) => {
    const { batchMax, ...of } = settings[batch];
    const orders = Math.min(of.orders, most);
    const workflows = modules[kind];
    const used = await consume({ orders, batchMax, workflows, waveOrders: batchMax, ordersBefore });
    return used.coordinationUnits / orders;
  };
  const costs = async (kind: keyof typeof modules, per: number): Promise<LimitCost> => ({
    full: rounded((await perOrder(kind, 'full')) / per),
    single: rounded((await perOrder(kind, 'single')) / per),
  });
  return {
    perStepWithRate: await costs('rate', steps),
    perStepWithAtOnce: await costs('atOnce', steps),
    perOrderWithout: await costs('beside', 1),
  };
}

const rounded = (units: number) => Math.round(units * 100) / 100;
