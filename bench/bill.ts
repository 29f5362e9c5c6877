/**
 * The cost of orders on AWS: runs 1,000 three-step orders through the bundled functions against a DynamoDB that
 * reports its units, and prices the consumption at list price. `npm run bill`, or with `-- --json`.
 */
import { parseArgs } from 'node:util';
import { billsByRate } from './bill/by-rate.ts';
import type { Consumption } from './bill/consumption.ts';
import { dollars } from './bill/dollars.ts';
import { limitCosts } from './bill/limits.ts';
import { peers, round } from './bill/peers.ts';
import { invocationMs } from './bill/prices.ts';
import { consume, ownItemNote } from './bill/run.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    orders: { type: 'string', default: '1000' },
  },
});

function figures(used: Consumption) {
  const each = (amount: number) => Math.round((amount / used.orders) * 100) / 100;
  const total = Object.values(dollars(used)).reduce((sum, one) => sum + one, 0);
  return {
    writeUnitsPerOrder: each(used.writeUnits),
    readUnitsPerOrder: each(used.readUnits),
    sqsRequestsPerOrder: each(used.sqsRequests),
    lambdaInvocationsPerOrder: each(used.invocations),
    eventsPerOrder: each(used.events),
    logBytesPerOrder: each(used.logBytes),
    recordBytesMax: used.recordBytesMax,
    dollarsPerMillionOrders: round(total),
  };
}

const orders = Number(flags.orders);
const full = await consume({ orders, batchMax: 10 });
const single = await consume({ orders, batchMax: 1 });
const prompt = {
  full: figures(await consume({ orders, batchMax: 10, recovery: 'prompt' })),
  single: figures(await consume({ orders, batchMax: 1, recovery: 'prompt' })),
};
const ownItem = {
  full: figures(await consume({ orders, batchMax: 10, noteLength: ownItemNote })),
  single: figures(await consume({ orders, batchMax: 1, noteLength: ownItemNote })),
};
const limits = await limitCosts();
const report = {
  full: figures(full),
  single: figures(single),
  byRate: billsByRate(full, single),
  ownItem,
  prompt,
  limits,
  peers: peers(),
};
/** What prompt recovery adds, dollars per million orders. */
const added = (of: 'full' | 'single') =>
  prompt[of].dollarsPerMillionOrders - report[of].dollarsPerMillionOrders;

if (flags.json) {
  console.log(JSON.stringify(report));
} else {
  const prefix = ([name, amount]: [string, number], other: number | undefined) =>
    `${name.padEnd(38)}${amount.toFixed(2).padStart(12)}${(other ?? 0).toFixed(2).padStart(12)}`;
  const rows = (a: Record<string, number>, b: Record<string, number>) =>
    Object.entries(a).map((entry) => prefix(entry, b[entry[0]]));
  const { dollarsPerMillionOrders: fullDollars, ...fullUnits } = report.full;
  const { dollarsPerMillionOrders: singleDollars, ...singleUnits } = report.single;
  console.log(
    [
      `${orders} orders of three steps${''.padEnd(11)} batches of 10  of one`,
      ...rows(fullUnits, singleUnits),
      '',
      'dollars per million orders, us-east-1',
      ...rows(dollars(full), dollars(single)),
      prefix(['total', fullDollars], singleDollars),
      '',
      'by the rate of orders: messages of a batch, as simulated pollers take them, and dollars per million orders',
      ...report.byRate.map(
        ({ ordersPerSecond, schedulerBatch, agentBatch, waitMs, dollarsPerMillionOrders }) =>
          `${`${ordersPerSecond} orders per second`.padEnd(28)}Scheduler ${schedulerBatch.toFixed(1).padStart(4)}, agents ${agentBatch.toFixed(1).padStart(4)}${dollarsPerMillionOrders.toFixed(2).padStart(11)}   an order waits ${waitMs} ms for pollers`,
      ),
      '',
      'orders whose details are an item of their own',
      prefix(
        ['DynamoDB write units per order', ownItem.full.writeUnitsPerOrder],
        ownItem.single.writeUnitsPerOrder,
      ),
      prefix(
        ['dollars per million orders', ownItem.full.dollarsPerMillionOrders],
        ownItem.single.dollarsPerMillionOrders,
      ),
      '',
      'recovery: dollars per million orders that go well',
      prefix(['sweep (the default)', fullDollars], singleDollars),
      prefix(
        ['prompt', prompt.full.dollarsPerMillionOrders],
        prompt.single.dollarsPerMillionOrders,
      ),
      prefix(['prompt adds', added('full')], added('single')),
      '',
      'limits: DynamoDB write units more, in batches of 10, of one',
      prefix(['a step with a rate', limits.perStepWithRate.full], limits.perStepWithRate.single),
      prefix(
        ['a step with calls at once', limits.perStepWithAtOnce.full],
        limits.perStepWithAtOnce.single,
      ),
      prefix(
        ['an order without, beside others', limits.perOrderWithout.full],
        limits.perOrderWithout.single,
      ),
      'Of calls below the limit. Calls of a batch share a write, which takes the slots or the room of all of them.',
      '',
      'the same three steps elsewhere',
      ...Object.entries(report.peers).map(
        ([name, amount]) => `${name.padEnd(38)}${amount.toFixed(2).padStart(12)}`,
      ),
      '',
      `Estimated: an invocation takes ${Object.entries(invocationMs)
        .map(([kind, ms]) => `${kind} ${ms}`)
        .join(', ')} ms.`,
    ].join('\n'),
  );
}
