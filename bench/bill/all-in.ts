/** The bill with what is paid by the month: storage, and the sweeps. */
import type { Consumption } from './consumption.ts';
import { deployedDefaults } from './deployed-defaults.ts';
import { totalDollars } from './dollars.ts';
import { round } from './peers.ts';
import { gbOf, hoursPerMonth, prices, sweepMs } from './prices.ts';

const million = 1_000_000;
const metricsRow = 'custom metrics (1 M orders a month)';

/** What the bill depends on beside the order. */
export interface AllInSetting {
  /** How long an order is kept after its end, days. */
  readonly keepDays: number;
  readonly sweepMinutes: number;
  /** What the amounts by the month are divided by. */
  readonly ordersPerMonth: number;
}

/** Without parameters, at the number of orders of the bill. */
export const asDeployed: AllInSetting = {
  keepDays: deployedDefaults.keepDays,
  sweepMinutes: deployedDefaults.sweepMinutes,
  ordersPerMonth: million,
};

/** Dollars per million orders. */
export interface AllIn extends AllInSetting {
  /** The sum of the bill, with its amount by the month at this number of orders. */
  readonly orders: number;
  readonly storage: number;
  readonly sweeps: number;
  readonly total: number;
}

export function allIn(used: Consumption, changed: Partial<AllInSetting> = {}): AllIn {
  const setting = { ...asDeployed, ...changed };
  const millions = setting.ordersPerMonth / million;
  const orders = totalDollars(used, { [metricsRow]: 1 / millions });
  const storage = storageDollars(used, setting.keepDays, 'standard');
  const sweeps = sweepDollarsPerMonth(used, setting.sweepMinutes) / millions;
  return {
    ...setting,
    orders: round(orders),
    storage: round(storage),
    sweeps: round(sweeps),
    total: round(orders + storage + sweeps),
  };
}

/** For a million orders: bytes of table and indexes, and the table once more for its point-in-time recovery. */
export function storageDollars(
  { stored, orders }: Consumption,
  keepDays: number,
  tableClass: 'standard' | 'infrequent',
): number {
  const gb = (bytes: number) => ((bytes / orders) * million) / 1e9;
  const perGb = tableClass === 'standard' ? prices.storageGbMonth : prices.infrequentGbMonth;
  const perMonth =
    gb(stored.table + stored.indexes) * perGb + gb(stored.table) * prices.recoveryGbMonth;
  return perMonth * ((keepDays * 24) / hoursPerMonth);
}

function sweepDollarsPerMonth({ idleSweep }: Consumption, sweepMinutes: number): number {
  const each =
    idleSweep.readUnits * prices.readUnit +
    idleSweep.writeUnits * prices.writeUnit +
    prices.lambdaRequest +
    (sweepMs / 1_000) * gbOf('supervisor') * prices.lambdaGbSecond;
  return each * ((hoursPerMonth * 60) / sweepMinutes);
}
