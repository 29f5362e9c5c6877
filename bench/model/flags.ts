/** The options of `npm run model`. */
import { parseArgs } from 'node:util';

/** What the model computes. */
export interface Flags {
  /** New orders per second. */
  readonly rate: number;
  /** Orders that are metered. */
  readonly orders: number;
  readonly isJson: boolean;
}

const usage = 'Usage: npm run model -- [--rate 1000] [--orders 100] [--json]';
const rateMax = 100_000;
const ordersMax = 10_000;

/** Or what is wrong with them, as a text. @param given without the names of node and script */
export function flagsOf(given: readonly string[]): Flags | string {
  const values = valuesOf(given);
  if (typeof values === 'string') return `${values}\n${usage}`;
  const { rate, orders, json: isJson } = values;
  const refused = (name: string, value: string, allowed: string) =>
    `--${name} ${value}: must be ${allowed}.\n${usage}`;
  if (!isWhole(rate, rateMax)) {
    return refused('rate', rate, `a whole number of orders per second, from 1 to ${rateMax}`);
  }
  if (!isWhole(orders, ordersMax) || Number(orders) % 10 !== 0) {
    return refused('orders', orders, `a number of orders to meter, 10 to ${ordersMax} in tens`);
  }
  return { rate: Number(rate), orders: Number(orders), isJson };
}

const isWhole = (text: string, max: number) => /^[1-9]\d{0,6}$/.test(text) && Number(text) <= max;

function valuesOf(given: readonly string[]) {
  try {
    return parseArgs({
      args: [...given],
      options: {
        rate: { type: 'string', default: '1000' },
        orders: { type: 'string', default: '100' },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
