/** What the model says of a rate: parts, quotas, dollars, and whether the goals are reached. */
import { constants, million, overdueGoal, partitionGoal, quotaUse } from './constants.ts';
import type { Demand } from './demand.ts';
import { type Advice, adviceFor, type Design, deployed } from './design.ts';
import { type Costs, type Load, type Part, partsOfFailures, partsOfOrders } from './parts.ts';
import { recoveredPerSecond, secondsOfMillion } from './recovery.ts';

/** A quota of the account, which AWS raises on request. */
export interface Quota {
  readonly quota: string;
  readonly default: number;
  /** So that the use at the rate is 70 % of it. */
  readonly needed: number;
  /** Orders per second at which the default is full. */
  readonly fullAt: number;
}

export interface Goals {
  /** The busiest partition while orders go well, write units per second. */
  readonly busiestPartition: number;
  /** The same after an outage, beside orders that go well. */
  readonly busiestPartitionAfterOutage: number;
  /** Changes notified per second of a shard of the stream, and what it can take. */
  readonly notified: { readonly used: number; readonly limit: number };
  /** The orders of an outage of 100 s, s. */
  readonly overdueSeconds: number;
  /** A million overdue orders, s: after an outage, and of a service that hangs. */
  readonly millionSeconds: { readonly outage: number; readonly hang: number };
  /** Recoveries per second of all shards together after an outage, and the ramp. */
  readonly ramp: { readonly used: number; readonly limit: number };
  readonly reached: boolean;
}

export interface Figures {
  readonly parameters: Advice['parameters'];
  readonly design: Design;
  readonly orders: readonly Part[];
  readonly failures: readonly Part[];
  readonly goals: Goals;
}

export interface Report {
  readonly rate: number;
  readonly demand: Demand;
  readonly deployed: Figures;
  readonly advised: Figures;
  /** The highest rate for which parameters that the stack accepts are enough; null: they are for this one. */
  readonly enoughUpTo: number | null;
  readonly quotas: readonly Quota[];
  readonly dollars: {
    readonly perMillion: Demand['dollarsPerMillion'];
    readonly perHour: Demand['dollarsPerMillion'];
    readonly perMonth: Demand['dollarsPerMillion'];
  };
  readonly constants: typeof constants;
}

/** @param rate new orders per second */
export function reportOf(rate: number, demand: Demand, costs: Costs): Report {
  const takes = { rate, demand, costs };
  const advised = figuresOf(takes, adviceFor(rate, demand));
  return {
    rate,
    demand,
    deployed: figuresOf(takes, { parameters: {}, design: deployed }),
    advised,
    enoughUpTo: advised.goals.reached ? null : enoughUpTo(takes),
    quotas: quotasOf(advised, rate),
    dollars: dollarsOf(rate, demand),
    constants,
  };
}

function figuresOf(takes: Omit<Load, 'design'>, { parameters, design }: Advice): Figures {
  const load = { ...takes, design };
  const [orders, failures] = [partsOfOrders(load), partsOfFailures(load)];
  return { parameters, design, orders, failures, goals: goalsOf(load, orders, failures) };
}

/** A rate for which the parameters are enough, where they are not for a rate that is higher by one. */
function enoughUpTo({ rate: tooMuch, demand, costs }: Omit<Load, 'design'>): number {
  const isEnough = (rate: number) =>
    figuresOf({ rate, demand, costs }, adviceFor(rate, demand)).goals.reached;
  let [enough, beyond] = [0, tooMuch];
  while (beyond - enough > 1) {
    const middle = Math.floor((enough + beyond) / 2);
    if (isEnough(middle)) enough = middle;
    else beyond = middle;
  }
  return enough;
}

function goalsOf(load: Load, orders: readonly Part[], failures: readonly Part[]): Goals {
  const busiest = Math.max(...orders.filter(isPartition).map(({ used }) => used));
  const after = Math.max(busiest, ...failures.filter(isAfterOutage).map(({ used }) => used));
  const notifier = orders.find(({ part }) => part.startsWith('notifier: '));
  const notified = { used: notifier?.used ?? 0, limit: notifier?.limit ?? 0 };
  const millionSeconds = {
    outage: secondsOfMillion(load, 'outage'),
    hang: secondsOfMillion(load, 'hang'),
  };
  const overdueSeconds = (millionSeconds.outage * overdueGoal.outageSeconds * load.rate) / million;
  const ramp = {
    used: recoveredPerSecond(load, 'outage').whileSweeping,
    limit: load.design.recoveryPerSecond,
  };
  return {
    busiestPartition: busiest,
    busiestPartitionAfterOutage: after,
    notified,
    overdueSeconds,
    millionSeconds,
    ramp,
    reached:
      after <= partitionGoal &&
      notified.used <= notified.limit &&
      overdueSeconds <= overdueGoal.seconds &&
      ramp.used <= ramp.limit,
  };
}

const isPartition = ({ kind }: Part) => kind === 'partition';
const isAfterOutage = ({ part }: Part) => part.includes('after an outage');

/** In the order in which they are reached. One quota that several parts need is needed once, for the one that needs most. */
function quotasOf({ orders, design }: Figures, rate: number): readonly Quota[] {
  const quotas = new Map<string, Quota>();
  const need = (quota: string, limit: number, needed: number, fullAt: number) => {
    const known = quotas.get(quota);
    quotas.set(quota, {
      quota,
      default: limit,
      needed: Math.max(needed, known?.needed ?? 0),
      fullAt: Math.min(fullAt, known?.fullAt ?? Number.POSITIVE_INFINITY),
    });
  };
  for (const { kind, remedy, limit, used, fullAt, part } of orders) {
    if (kind !== 'quota' || fullAt === null) continue;
    // The quota is of environments, also where requests per second need it.
    const perUnit =
      part === 'Lambda: requests of the front door' ? limit / constants.lambdaConcurrency.value : 1;
    need(remedy, limit / perUnit, Math.ceil(used / quotaUse / perUnit), fullAt);
  }
  const warmest = Math.max(...Object.values(design.warmWriteUnits));
  const writes = 'DynamoDB: Table-level write throughput limit';
  const known = quotas.get(writes);
  // A table cannot be prepared for more than the quota.
  if (known !== undefined)
    quotas.set(writes, { ...known, needed: Math.max(known.needed, warmest) });
  return [...quotas.values()]
    .filter(({ needed, default: limit }) => needed > limit && rate > 0)
    .sort((one, other) => one.fullAt - other.fullAt);
}

function dollarsOf(rate: number, { dollarsPerMillion }: Demand): Report['dollars'] {
  const times = (factor: number) => ({
    batches: dollarsPerMillion.batches * factor,
    single: dollarsPerMillion.single * factor,
  });
  const perHour = (rate * 3_600) / 1_000_000;
  return {
    perMillion: dollarsPerMillion,
    perHour: times(perHour),
    perMonth: times(perHour * 24 * 30),
  };
}
