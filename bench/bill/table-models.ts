/** The bill with another table class or capacity, or without API Gateway: computed from measured units, and not run. */
import { storageDollars } from './all-in.ts';
import { accessLogBytes, type Consumption } from './consumption.ts';
import { dollars, totalDollars } from './dollars.ts';
import { round } from './peers.ts';
import { prices, provisionedUse } from './prices.ts';

const million = 1_000_000;

/** Dollars per million orders with provisioned capacity: a unit per second costs a 3,600th of its hour, and a part of the units is not used. */
export function provisioned(used: Consumption): number {
  const unit = (hour: number) => hour / 3_600 / provisionedUse;
  const units = unitDollars(
    used,
    unit(prices.provisionedWriteHour),
    unit(prices.provisionedReadHour),
  );
  return round(withoutUnits(used) + units);
}

/** Dollars per million orders with a Function URL, which costs nothing and has no access log, instead of API Gateway. */
export function functionUrl(used: Consumption): number {
  const logBytes = used.logBytes - used.apiRequests * accessLogBytes;
  return round(totalDollars({ ...used, apiRequests: 0, logBytes }));
}

/** Units and storage of the tables, dollars per million orders. */
export interface TableClassCost {
  readonly keepDays: number;
  readonly standard: number;
  readonly infrequent: number;
}

/** Days for which an order may be kept, from a week to the most. */
const keptDays = [7, 30, 90, 365, 3_650] as const;

export function tableClasses(used: Consumption): readonly TableClassCost[] {
  const units = unitsOf(used);
  return keptDays.map((keepDays) => ({
    keepDays,
    standard: round(units.standard + storageDollars(used, keepDays, 'standard')),
    infrequent: round(units.infrequent + storageDollars(used, keepDays, 'infrequent')),
  }));
}

/** Days from which on Standard-IA costs less. */
export function infrequentFromDays(used: Consumption): number {
  const { standard, infrequent } = unitsOf(used);
  const savedPerDay = storageDollars(used, 1, 'standard') - storageDollars(used, 1, 'infrequent');
  return Math.ceil((infrequent - standard) / savedPerDay);
}

const unitsOf = (used: Consumption) => ({
  standard: unitDollars(used, prices.writeUnit, prices.readUnit),
  infrequent: unitDollars(used, prices.infrequentWriteUnit, prices.infrequentReadUnit),
});

const unitDollars = (used: Consumption, write: number, read: number) =>
  ((used.writeUnits * write + used.readUnits * read) / used.orders) * million;

function withoutUnits(used: Consumption): number {
  const { 'DynamoDB writes': _writes, 'DynamoDB reads': _reads, ...others } = dollars(used);
  return Object.values(others).reduce((sum, one) => sum + one, 0);
}
