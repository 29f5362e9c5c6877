/**
 * What the deployed design takes of AWS at a rate of orders: which part is full first, the parameters and quotas for the rate,
 * and dollars. `npm run model -- --rate 10000`, or with `--json`. The units of an order are metered as by `npm run bill`.
 */
import { parseArgs } from 'node:util';
import { measuredDemand } from './model/demand.ts';
import { costs } from './model/parts.ts';
import { pageOf } from './model/print.ts';
import { reportOf } from './model/report.ts';

const { values: flags } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    orders: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
  },
});

const [rate, orders] = [Number(flags.rate), Number(flags.orders)];
if (!(rate >= 1 && rate <= 100_000))
  throw new Error(`--rate ${flags.rate}: orders per second, from 1 to 100000`);
if (!(Number.isInteger(orders) && orders > 0 && orders % 10 === 0))
  throw new Error(`--orders ${flags.orders}: orders that are metered, a multiple of 10`);

const report = reportOf(rate, await measuredDemand(orders), costs);
console.log(flags.json ? JSON.stringify(report) : pageOf(report));
if (!report.advised.goals.reached) process.exitCode = 1;
