/**
 * What one order takes of each part: as the meter of `npm run bill` counts it. Its details are an item of their own, because a smaller
 * order takes less of every part.
 */
import type { Consumption } from '../bill/consumption.ts';
import { dollars } from '../bill/dollars.ts';
import { consume, ownItemNote } from '../bill/run.ts';

/** Per order of three steps that goes well. */
export interface Demand {
  /** Write units of each table and index, by name. */
  readonly writeUnits: Readonly<Record<string, number>>;
  /** Read units, likewise. */
  readonly readUnits: Readonly<Record<string, number>>;
  /** Messages to the Scheduler, in all of its queues. */
  readonly schedulerMessages: number;
  /** Messages to all agents: its steps. */
  readonly agentMessages: number;
  /** Entries of the change stream until its end. */
  readonly changes: number;
  /** Those of them of which a submitter with `replyTo` is notified. */
  readonly notified: number;
  /** Dollars per million orders, in batches of ten and in single messages. */
  readonly dollarsPerMillion: { readonly batches: number; readonly single: number };
}

/** Runs orders through the bundled functions. @param orders at most so many of each kind, a multiple of ten */
export async function measuredDemand(orders: number): Promise<Demand> {
  const details = { noteLength: ownItemNote };
  const waveOrders = Math.min(orders, 100);
  const batches = await consume({ orders, batchMax: 10, waveOrders, ...details });
  const single = await consume({ orders, batchMax: 1, ...details });
  return demandOf(batches, single);
}

function demandOf(batches: Consumption, single: Consumption): Demand {
  const { orders } = batches;
  const each = (amount: number) => rounded(amount / orders);
  const eachOf = (units: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(units).map(([name, amount]) => [name, each(amount)]));
  return {
    writeUnits: eachOf(batches.writeUnitsBy),
    readUnits: eachOf(batches.readUnitsBy),
    schedulerMessages: each(batches.messagesBy.scheduler),
    agentMessages: each(batches.messagesBy.agent),
    changes: each(batches.changes),
    notified: each(batches.stateChanges),
    dollarsPerMillion: { batches: total(batches), single: total(single) },
  };
}

/** A row that is paid once a month, and not by the order, is too small to count at these rates. */
function total(used: Consumption): number {
  const { 'custom metrics (1 M orders a month)': _, ...rows } = dollars(used);
  return rounded(Object.values(rows).reduce((sum, one) => sum + one, 0));
}

const rounded = (amount: number) => Math.round(amount * 100) / 100;
