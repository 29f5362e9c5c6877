/** Random limits, orders, cancels and durations: no limit is passed, every order ends, and only calls that fail count as failures. */
import { expect, test } from 'vitest';
import { type Called, type Limits, mostAtOnce, mostWithin, shop } from '../support/limited-shop.ts';
import { randoms } from '../support/randoms.ts';

interface Amounts {
  readonly count: number;
  readonly burst: number;
  readonly atOnce: number;
}

const perMs = 1_000;

function limitsOf([customer, tenant, whole]: readonly [Amounts, Amounts, Amounts]): Limits {
  const amount = ({ count, burst, atOnce }: Amounts) => ({
    rate: { count, per: perMs, burst },
    atOnce,
  });
  return {
    'per-customer': { key: (call) => call.input.customer, ...amount(customer) },
    'per-tenant': { key: (call) => call.tenant, ...amount(tenant) },
    whole: amount(whole),
  };
}

/** The limit holds for each of these groups of calls. */
function expectKept(groups: Iterable<readonly Called[]>, { count, burst, atOnce }: Amounts): void {
  for (const calls of groups) {
    expect(mostWithin(calls, perMs)).toBeLessThanOrEqual(Math.floor(count * 1.02) + burst);
    expect(mostAtOnce(calls)).toBeLessThanOrEqual(atOnce);
  }
}

test.each(Array.from({ length: 30 }, (_, at) => at + 1))('world %i', async (seed) => {
  const random = randoms(seed);
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  const amounts = (most: number): Amounts => {
    const count = upTo(most);
    return { count, burst: upTo(count), atOnce: upTo(most) };
  };
  const all = [amounts(3), amounts(6), amounts(12)] as const;
  const failing = upTo(4);
  const { clock, calls, submit, records, reeve, failures } = await shop(limitsOf(all), {
    concurrency: upTo(8),
    failing,
    takesMs: () => upTo(400),
  });
  const cancels: Promise<unknown>[] = [];
  for (let order = 0; order < 120; order += 1) {
    const tenant = random() < 0.2 ? null : `tenant-${upTo(3)}`;
    const orderId = await submit(`customer-${upTo(8)}`, tenant);
    if (random() < 0.3) await clock.advance(upTo(200));
    // It may wait until it can be written.
    if (random() < 0.15) cancels.push(reeve.operator.cancel(orderId, 'ada'));
  }
  await clock.advance(300_000);
  await Promise.all(cancels);
  const [customer, tenant, whole] = all;
  expectKept(Map.groupBy(calls, (call) => call.customer).values(), customer);
  const ofTenants = calls.filter((call) => call.tenant !== null);
  expectKept(Map.groupBy(ofTenants, (call) => call.tenant).values(), tenant);
  expectKept([calls], whole);
  const ends = new Set(records().map(({ processState }) => processState));
  expect([...ends].toSorted()).toEqual(['Processed', 'Undone']);
  expect(failures()).toBeLessThanOrEqual(failing);
});
