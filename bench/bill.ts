/**
 * The cost of orders on AWS: runs 1,000 three-step orders through the bundled functions against a DynamoDB that
 * reports its units, and prices the consumption at list price. `npm run bill`, or with `-- --json`.
 */
import { parseArgs } from 'node:util';
import { allIn, asDeployed } from './bill/all-in.ts';
import { billsByRate } from './bill/by-rate.ts';
import type { Consumption } from './bill/consumption.ts';
import { dollars, totalDollars } from './bill/dollars.ts';
import { limitCosts } from './bill/limits.ts';
import { otherOrders, slowAgents } from './bill/other-orders.ts';
import { peers, round } from './bill/peers.ts';
import { pageOf, type Report } from './bill/print.ts';
import { consume, ownItemNote, type Setting } from './bill/run.ts';
import { functionUrl, infrequentFromDays, provisioned, tableClasses } from './bill/table-models.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    orders: { type: 'string', default: '1000' },
  },
});

/** The submission, the claim and three steps: each writes the record once, unless the machine is so busy that steps wait. */
const changesPerOrder = 5;
/** Write units of the due index: an order enters it and leaves it, and moves in it only where it takes long. */
const dueUnitsPerOrder = 2;

function figures(used: Consumption) {
  const each = (amount: number) => round(amount / used.orders);
  return {
    writeUnitsPerOrder: each(used.writeUnits),
    readUnitsPerOrder: each(used.readUnits),
    sqsRequestsPerOrder: each(used.sqsRequests),
    lambdaInvocationsPerOrder: each(used.invocations),
    eventsPerOrder: each(used.events),
    logBytesPerOrder: each(used.logBytes),
    recordBytesMax: used.recordBytesMax,
    storedBytesPerOrder: Math.round((used.stored.table + used.stored.indexes) / used.orders),
    dollarsPerMillionOrders: round(totalDollars(used)),
  };
}

/** The same orders in batches of ten, and in single messages. */
async function inBoth(setting: Partial<Setting> = {}) {
  const full = await undisturbed({ ...setting, batchMax: 10 });
  const single = await undisturbed({ ...setting, batchMax: 1 });
  return { full, single };
}

/** Where a machine is busy, agents fall behind and steps wait, which costs writes: then the orders run once more. */
async function undisturbed(setting: Omit<Setting, 'orders'>): Promise<Consumption> {
  for (let tries = 1; ; tries += 1) {
    const used = await consume({ orders: Number(flags.orders), ...setting });
    const [changes, due] = [used.changes, used.writeUnitsBy['Due'] ?? 0].map(
      (amount) => amount / used.orders,
    );
    if (changes === changesPerOrder && due === dueUnitsPerOrder) return used;
    if (tries === triesMax) {
      throw new Error(
        `An order has ${changes} changes instead of ${changesPerOrder}, and ${due} write units of the index Due instead of ${dueUnitsPerOrder}: the machine is too busy. Run it again alone.`,
      );
    }
  }
}
const triesMax = 3;

const bothFigures = ({ full, single }: Readonly<Record<'full' | 'single', Consumption>>) => ({
  full: figures(full),
  single: figures(single),
});

const { full, single } = await inBoth();
const others = await otherOrders();
const allInFull = allIn(full);
const report: Report = {
  orders: full.orders,
  ...bothFigures({ full, single }),
  items: { full: dollars(full), single: dollars(single) },
  allIn: {
    full: allInFull,
    single: allIn(single),
    tenfold: allIn(full, { ordersPerMonth: 10 * asDeployed.ordersPerMonth }),
    hundredfold: allIn(full, { ordersPerMonth: 100 * asDeployed.ordersPerMonth }),
    keptAWeek: allIn(full, { keepDays: 7 }),
    sweptEveryTwoMinutes: allIn(full, { sweepMinutes: 2 }),
    bulk: {
      ...allInFull,
      orders: others.bulk.full.dollars,
      total: round(others.bulk.full.dollars + allInFull.storage + allInFull.sweeps),
    },
  },
  byRate: billsByRate(full, single),
  ownItem: bothFigures(await inBoth({ noteLength: ownItemNote })),
  prompt: bothFigures(await inBoth({ recovery: 'prompt' })),
  limits: await limitCosts(),
  otherOrders: others,
  slowAgents: { full: slowAgents(10), single: slowAgents(1) },
  provisioned: { full: provisioned(full), single: provisioned(single) },
  functionUrl: { full: functionUrl(full), single: functionUrl(single) },
  tableClasses: tableClasses(full),
  infrequentFromDays: infrequentFromDays(full),
  peers: peers(),
};

console.log(flags.json ? JSON.stringify(report) : pageOf(report));
