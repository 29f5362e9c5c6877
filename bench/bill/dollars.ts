/** What a consumption costs. */
import type { Consumption } from './consumption.ts';
import { prices } from './prices.ts';

const million = 1_000_000;
/** Dollars per million orders, by item. */
export function dollars(used: Consumption): Record<string, number> {
  const each = (amount: number) => (amount / used.orders) * million;
  return {
    'DynamoDB writes': each(used.writeUnits) * prices.writeUnit,
    'DynamoDB reads': each(used.readUnits) * prices.readUnit,
    'SQS requests': each(used.sqsRequests) * prices.sqsRequest,
    'Lambda requests': each(used.invocations) * prices.lambdaRequest,
    'Lambda GB-s (estimated)': each(used.gbSeconds) * prices.lambdaGbSecond,
    'API requests': each(used.apiRequests) * prices.apiRequest,
    events: each(used.events) * prices.customEvent,
    logs: (each(used.logBytes) / 1e9) * prices.logGb,
    // For a month with a million orders; a metric without data costs nothing.
    'custom metrics (1 M orders a month)': used.metrics * prices.metricMonth,
  };
}

/**
 * Dollars per million orders.
 *
 * @param parts of an item that counts in part only, by its name
 */
export const totalDollars = (
  used: Consumption,
  parts: Readonly<Record<string, number>> = {},
): number =>
  Object.entries(dollars(used)).reduce((sum, [name, one]) => sum + one * (parts[name] ?? 1), 0);
