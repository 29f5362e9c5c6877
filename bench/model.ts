/**
 * What the deployed design takes of AWS at a rate of orders: which part is full first, the parameters and quotas for the rate,
 * and dollars. `npm run model -- --rate 10000`, or with `--json`. The units of an order are metered as by `npm run bill`.
 * Exits with 1 where no parameters are enough for the rate, and with 2 where an option is wrong.
 */
import { measuredDemand } from './model/demand.ts';
import { flagsOf } from './model/flags.ts';
import { costs } from './model/parts.ts';
import { pageOf } from './model/print.ts';
import { reportOf } from './model/report.ts';

const flags = flagsOf(process.argv.slice(2));
if (typeof flags === 'string') {
  console.error(flags);
  process.exitCode = 2;
} else {
  const { rate, orders, isJson } = flags;
  const report = reportOf(rate, await measuredDemand(orders), costs);
  console.log(isJson ? JSON.stringify(report) : pageOf(report));
  if (report.enoughUpTo !== null) process.exitCode = 1;
}
