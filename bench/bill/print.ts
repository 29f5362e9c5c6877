/** The bill as a page of text. */
import type { AllIn } from './all-in.ts';
import type { RateBill } from './by-rate.ts';
import type { LimitCosts } from './limits.ts';
import type { OtherOrders } from './other-orders.ts';
import type { peers } from './peers.ts';
import { invocationMs, provisionedUse, sweepMs } from './prices.ts';
import type { TableClassCost } from './table-models.ts';

/** In batches of ten, and in single messages. */
type Both<Value> = Readonly<Record<'full' | 'single', Value>>;

/** Of an order, and of a million. */
interface Figures {
  readonly writeUnitsPerOrder: number;
  readonly readUnitsPerOrder: number;
  readonly sqsRequestsPerOrder: number;
  readonly lambdaInvocationsPerOrder: number;
  readonly eventsPerOrder: number;
  readonly logBytesPerOrder: number;
  readonly recordBytesMax: number;
  readonly storedBytesPerOrder: number;
  readonly dollarsPerMillionOrders: number;
}

/** What `npm run bill -- --json` prints; dollars are those of a million orders. */
export interface Report extends Both<Figures> {
  readonly orders: number;
  readonly items: Both<Readonly<Record<string, number>>>;
  /** With storage and sweeps. Those after the first two are in batches of ten. */
  readonly allIn: Both<AllIn> &
    Readonly<
      Record<'tenfold' | 'hundredfold' | 'keptAWeek' | 'sweptEveryTwoMinutes' | 'bulk', AllIn>
    >;
  readonly byRate: readonly RateBill[];
  readonly ownItem: Both<Figures>;
  readonly prompt: Both<Figures>;
  readonly limits: LimitCosts;
  readonly otherOrders: OtherOrders;
  /** What the functions of agents cost that wait for steps of two minutes. */
  readonly slowAgents: Both<number>;
  readonly provisioned: Both<number>;
  readonly functionUrl: Both<number>;
  readonly tableClasses: readonly TableClassCost[];
  readonly infrequentFromDays: number;
  readonly peers: ReturnType<typeof peers>;
}

/** The page. */
export function pageOf(report: Report): string {
  return [
    ...orderLines(report),
    ...allInLines(report),
    ...rateLines(report),
    ...costLines(report),
    ...modelLines(report),
    'the same three steps elsewhere',
    ...Object.entries(report.peers).map(([name, amount]) => line(name, amount)),
    '',
    `Estimated: an invocation takes ${Object.entries(invocationMs)
      .map(([kind, ms]) => `${kind} ${ms}`)
      .join(', ')} ms, a sweep that finds nothing ${sweepMs} ms.`,
  ].join('\n');
}

const line = (name: string, ...amounts: readonly number[]) =>
  `${name.padEnd(42)}${amounts.map((amount) => amount.toFixed(2).padStart(12)).join('')}`;

const rows = ({ full, single }: Both<object>) => {
  const others: Readonly<Record<string, number>> = { ...single };
  return Object.entries(full).map(([name, amount]) => line(name, amount, others[name] ?? 0));
};

/** In batches of ten, of one. */
const both = <Value>(
  name: string,
  { full, single }: Both<Value>,
  of: (value: Value) => number,
): string => line(name, of(full), of(single));

const itself = (amount: number) => amount;
const dollarsOf = ({ dollarsPerMillionOrders }: Figures) => dollarsPerMillionOrders;

function orderLines({ orders, full, single, items }: Report): readonly string[] {
  const { dollarsPerMillionOrders: fullDollars, ...fullUnits } = full;
  const { dollarsPerMillionOrders: singleDollars, ...singleUnits } = single;
  return [
    `${`${orders} orders of three steps`.padEnd(42)}batches of 10      of one`,
    ...rows({ full: fullUnits, single: singleUnits }),
    '',
    'dollars per million orders, us-east-1',
    ...rows(items),
    line('total', fullDollars, singleDollars),
    '',
  ];
}

function allInLines({ allIn: { full, single, ...others } }: Report): readonly string[] {
  const amounts = { full, single };
  return [
    `all in: kept for ${full.keepDays} days, swept every minute, ${full.ordersPerMonth.toLocaleString('en-US')} orders a month`,
    both('total, as above', amounts, ({ orders }) => orders),
    both('storage, with point-in-time recovery', amounts, ({ storage }) => storage),
    both('sweeps that find nothing', amounts, ({ sweeps }) => sweeps),
    both('all in', amounts, ({ total }) => total),
    line('all in, at ten times as many orders', others.tenfold.total),
    line('all in, at a hundred times as many orders', others.hundredfold.total),
    line('all in, kept for 7 days', others.keptAWeek.total),
    line('all in, swept every two minutes', others.sweptEveryTwoMinutes.total),
    line('all in, submitted by a hundred', others.bulk.total),
    '',
  ];
}

const rateLines = ({ byRate }: Report): readonly string[] => [
  'by the rate of orders and the batch window: messages of a batch, as simulated pollers take them, and dollars per million orders',
  ...byRate.map(
    ({ ordersPerSecond, windowSeconds, schedulerBatch, agentBatch, waitMs, ...bill }) =>
      `${`${ordersPerSecond} orders per second, window ${windowSeconds} s`.padEnd(42)}Scheduler ${schedulerBatch.toFixed(1).padStart(4)}, agents ${agentBatch.toFixed(1).padStart(4)}${bill.dollarsPerMillionOrders.toFixed(2).padStart(11)}   an order waits ${waitMs} ms for pollers`,
  ),
  '',
];

function costLines(report: Report): readonly string[] {
  const { ownItem, prompt, limits, otherOrders, slowAgents, full, single } = report;
  const sweep = { full, single };
  const added = (of: 'full' | 'single') => dollarsOf(prompt[of]) - dollarsOf(sweep[of]);
  const titles = {
    held: 'held, then started by a sweep',
    slow: 'steps of 2 minutes',
    undone: 'undone: the last step is refused',
    bulk: 'submitted by a hundred',
  } as const;
  const kinds = ['held', 'slow', 'undone', 'bulk'] as const;
  return [
    'orders whose details are an item of their own',
    both('DynamoDB write units per order', ownItem, (one) => one.writeUnitsPerOrder),
    both('dollars per million orders', ownItem, dollarsOf),
    '',
    'other orders: DynamoDB write units of one',
    ...kinds.map((kind) => both(titles[kind], otherOrders[kind], (one) => one.writeUnits)),
    'dollars per million orders',
    ...kinds.map((kind) => both(titles[kind], otherOrders[kind], (one) => one.dollars)),
    both('steps of 2 minutes: agents as functions', slowAgents, itself),
    '',
    'recovery: dollars per million orders that go well',
    both('sweep (the default)', sweep, dollarsOf),
    both('prompt', prompt, dollarsOf),
    line('prompt adds', added('full'), added('single')),
    '',
    'limits: DynamoDB write units more, in batches of 10, of one',
    both('a step with a rate', limits.perStepWithRate, itself),
    both('a step with calls at once', limits.perStepWithAtOnce, itself),
    both('an order without, beside others', limits.perOrderWithout, itself),
    'Of calls below the limit. Calls of a batch share a write, which takes the slots or the room of all of them.',
    '',
  ];
}

function modelLines(report: Report): readonly string[] {
  const { provisioned, functionUrl, tableClasses, infrequentFromDays } = report;
  return [
    'computed from the units above, and not run: dollars per million orders',
    both(`provisioned capacity, ${100 * provisionedUse} % used`, provisioned, itself),
    both('a Function URL instead of API Gateway', functionUrl, itself),
    '',
    'units and storage of the tables by the days kept: Standard, Standard-IA',
    ...tableClasses.map(({ keepDays, standard, infrequent }) =>
      line(`${keepDays} days`, standard, infrequent),
    ),
    `Standard-IA costs less from ${infrequentFromDays} days.`,
    '',
  ];
}
