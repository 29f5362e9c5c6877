/**
 * The orders of a deployment that wait for agents, as the Supervisor counts them once per sweep, and what they mean for one
 * more order. They are counted by agent and class, because an index lists them so; an order of a workflow waits for each
 * of its agents. The counts are advisory (R26): without them every order is accepted.
 *
 * The rate of an agent and class is that at which orders leave the index: of those that waited when a measurement began,
 * how many wait no more. Orders that came since and have already started are not seen, so the rate is rather too low.
 */
import type { Priority } from '#core/model/record.ts';
import type { Load } from './admission-rule.ts';

/** The orders of one tenant that wait for an agent in one class. */
export interface FlowCount {
  /** The tenant, as a text that is the same for all its orders. */
  readonly flow: string;
  readonly waiting: number;
  /** Those of them that already waited when the measurement of the class began. */
  readonly early: number;
}

/** The orders of one class that wait for one agent. */
export interface HeldClass {
  readonly agent: string;
  readonly priority: Priority;
  /** Whether the circuit of the agent is open. The rate is then that from before. */
  readonly isUnavailable: boolean;
  readonly waiting: number;
  /** The tenants that they belong to. */
  readonly flows: number;
  /** The tenants with the most orders, those first: at most ten. */
  readonly largest: readonly { readonly flow: string; readonly waiting: number }[];
  /** The orders that start per second; null: not known yet. */
  readonly perSecond: number | null;
  /** When the present measurement of the rate began, ms since the epoch. */
  readonly from: number;
  /** The orders that waited then. */
  readonly waitingFrom: number;
}

/** All classes in which orders wait. */
export interface HeldBacklog {
  /** When the orders were counted, ms since the epoch. */
  readonly at: number;
  readonly classes: readonly HeldClass[];
}

/** An order to be accepted or refused. */
export interface OfferedFlow {
  /** The agents of its workflow. */
  readonly agents: readonly string[];
  readonly priority: Priority;
  readonly flow: string;
}

/** The orders that were accepted since the others were counted. */
export interface AcceptedOrders {
  /** Of the workflow, class and tenant of the order. */
  readonly ofFlow: number;
  readonly inAll: number;
}

/** What is known of one class when it is counted. */
export interface Counted extends Pick<HeldClass, 'agent' | 'priority' | 'isUnavailable'> {
  readonly counts: readonly FlowCount[];
}

/** So many orders have to leave for a rate … */
const leftMin = 8;
/** … or the measurement takes so long, ms. */
const measuredMaxMs = 5 * 60_000;
/** The weight of the latest measurement in the rate. */
const latestShare = 0.5;
/** Listed tenants of a class, at most: they bound the size of what is stored. */
const listedMax = 10;

/** The weight of a tenant, by its text. */
type WeightOf = (flow: string) => number;
const equal: WeightOf = () => 1;

/** One class as it is stored. @param before what was stored of it before; undefined: none of its orders waited */
export function countedClass(
  before: HeldClass | undefined,
  { agent, priority, isUnavailable, counts }: Counted,
  nowMs: number,
  weightOf = equal,
): HeldClass {
  const waiting = sumOf(counts, ({ waiting: own }) => own);
  const flows = counts.length;
  const largest = counts
    .toSorted((one, other) => other.waiting - one.waiting)
    .slice(0, listedMax)
    .map(({ flow, waiting: own }) => ({ flow, waiting: own }));
  const early = sumOf(counts, ({ early: own }) => own);
  const left = before === undefined ? 0 : leftSince(before, counts, early, weightOf);
  return {
    ...{ agent, priority, isUnavailable, waiting, flows, largest },
    ...measurementAfter(before, { isUnavailable, waiting, early, left }, nowMs),
  };
}

/**
 * The orders that have left since the measurement began. Of a tenant whose early orders have all left, later ones may have left
 * too, which nothing counts. So the tenants with many orders say what each has received for its weight.
 */
function leftSince(
  before: HeldClass,
  counts: readonly FlowCount[],
  early: number,
  weightOf: WeightOf,
): number {
  const isFromBegin = before.waiting === before.waitingFrom;
  const shares = before.largest.flatMap(({ flow, waiting }) => {
    const now = counts.find((each) => each.flow === flow)?.early ?? 0;
    return isFromBegin && now > 0 ? [Math.max(0, waiting - now) / weightOf(flow)] : [];
  });
  if (shares.length === 0) return Math.max(0, before.waitingFrom - early);
  const weights = sumOf(counts, ({ flow }) => weightOf(flow));
  return (sumOf(shares, (share) => share) / shares.length) * weights;
}

type Measurement = Pick<HeldClass, 'perSecond' | 'from' | 'waitingFrom'>;

function measurementAfter(
  before: HeldClass | undefined,
  now: Pick<HeldClass, 'isUnavailable' | 'waiting'> & {
    readonly early: number;
    readonly left: number;
  },
  nowMs: number,
): Measurement {
  const begins = (perSecond: number | null): Measurement => ({
    perSecond,
    from: nowMs,
    waitingFrom: now.waiting,
  });
  if (before === undefined) return begins(null);
  const { perSecond, from, waitingFrom } = before;
  const elapsedMs = nowMs - from;
  // What left during an outage says nothing of the rate after it.
  if (now.isUnavailable || before.isUnavailable || elapsedMs <= 0) return begins(perSecond);
  const { left } = now;
  const isAll = now.early === 0;
  if (left < leftMin && !isAll && elapsedMs < measuredMaxMs) {
    return { perSecond, from, waitingFrom };
  }
  return begins(after(perSecond, (Math.max(1, left) * 1_000) / elapsedMs, isAll));
}

function after(known: number | null, latest: number, isLeast: boolean): number | null {
  if (known === null) return isLeast ? null : latest;
  // All of them left: more could have.
  if (isLeast && latest < known) return known;
  return known + (latest - known) * latestShare;
}

/** The load as an order meets it. It waits for the agents of its workflow, at the rate of the slowest one. */
export function loadOf(
  { at, classes }: HeldBacklog,
  { agents, priority, flow }: OfferedFlow,
  accepted: AcceptedOrders,
  nowMs: number,
  weightOf = equal,
): Load {
  const own = classes.filter((each) => each.priority === priority && agents.includes(each.agent));
  let [counted, shares] = [0, 0];
  let perSecond: number | null = null;
  for (const each of own) {
    const { waiting, part } = ofFlow(each, flow, weightOf);
    counted += waiting;
    shares = Math.max(shares, waiting / each.waiting / part);
    // Agents take the tenants with waiting orders in turn, by their weights.
    const rate = each.perSecond === null ? null : each.perSecond * part;
    if (rate !== null && (perSecond === null || rate < perSecond)) perSecond = rate;
  }
  const startsSince = own.every(({ isUnavailable }) => !isUnavailable) ? (perSecond ?? 0) : 0;
  const started = (startsSince * Math.max(0, nowMs - at)) / 1_000;
  const isPaused = classes.some(({ isUnavailable }) => isUnavailable);
  return {
    priority,
    waiting: Math.max(0, counted + accepted.ofFlow - started),
    perSecond,
    shares,
    waitingInAll: sumOf(classes, ({ waiting }) => waiting) + accepted.inAll,
    inAllPerSecond: isPaused ? null : sumOf(classes, ({ perSecond: rate }) => rate ?? 0) || null,
  };
}

/**
 * The orders of a tenant, and its part of the rate. One that is not listed has as many orders as the others that are not, if
 * there are any. Of those that are not listed, only its own weight is known: the others count as 1.
 */
function ofFlow({ waiting, flows, largest }: HeldClass, flow: string, weightOf: WeightOf) {
  const listed = largest.find((each) => each.flow === flow);
  const others = flows - largest.length;
  const weights = sumOf(largest, (each) => weightOf(each.flow)) + others;
  const own = weightOf(flow);
  if (listed !== undefined) return { waiting: listed.waiting, part: own / weights };
  if (others <= 0) return { waiting: 0, part: own / (weights + own) };
  const ofListed = sumOf(largest, (each) => each.waiting);
  return { waiting: (waiting - ofListed) / others, part: own / (weights - 1 + own) };
}

const sumOf = <Value>(all: readonly Value[], of: (value: Value) => number) =>
  all.reduce((sum, value) => sum + of(value), 0);
