/** The arithmetic of `npm run model`. What it takes from the meter and the store: test/lambdas/model-demand.test.ts. */
import { expect, test } from 'vitest';
import { constants, partitionGoal } from '../../bench/model/constants.ts';
import { adviceFor, type Design, deployed } from '../../bench/model/design.ts';
import { costs, type Load, partsOfFailures, partsOfOrders } from '../../bench/model/parts.ts';
import { pageOf } from '../../bench/model/print.ts';
import { recoveredPerSecond, secondsOfMillion } from '../../bench/model/recovery.ts';
import { reportOf } from '../../bench/model/report.ts';
import { meteredDemand as demand } from './metered-demand.ts';

const fullAt = (load: Load, name: string) => {
  const part = [...partsOfOrders(load), ...partsOfFailures(load)].find(({ part: own }) =>
    own.startsWith(name),
  );
  if (part === undefined) throw new Error(`no part ${name}`);
  return Math.round(part.fullAt ?? Number.NaN);
};

test('every constant has the address of a page or the command or file that it comes from', () => {
  for (const { source } of Object.values(constants)) {
    expect(source).toMatch(
      /^(https:\/\/docs\.aws\.amazon\.com\/|npm run |(bench|docs|lambdas|test)\/)/,
    );
  }
});

test('a design of two shards and 256 MiB is full at the rates that a first analysis found', () => {
  const design: Design = {
    ...deployed,
    shards: 2,
    supervisorMiB: 256,
    notifierMiB: 256,
    parallelizationFactor: 1,
    // Sweeps had no bound.
    recoveryPerSecond: 1_000_000,
  };
  // It had the CPU of an earlier notifier, and no time for its calls.
  const load = { rate: 1, design, demand, costs: { ...costs, notifyCpuMs: 0.75, callMs: 0 } };
  expect(fullAt(load, 'API: its own throttle')).toBe(1_000);
  expect(fullAt(load, 'index Due: a partition')).toBe(1_000);
  expect(fullAt(load, 'notifier: ')).toBe(257);
  expect(fullAt(load, 'table Processes: a partition, first day')).toBe(667);
  expect(fullAt(load, 'timeouts')).toBe(317);
  expect(Math.round(secondsOfMillion(load, 'hang') / 60)).toBe(53);
});

test('a partition of an index is that of a shard, unless there are fewer partitions than shards', () => {
  const of = (design: Partial<Design>) =>
    fullAt(
      { rate: 1, design: { ...deployed, ...design }, demand, costs },
      'index Due: a partition',
    );
  const due = (Due: number) => ({ ...deployed.warmWriteUnits, Due });
  expect(of({ shards: 8, warmWriteUnits: due(8_000) })).toBe(4_000);
  expect(of({ shards: 8, warmWriteUnits: due(4_000) })).toBe(2_000);
  expect(of({ shards: 8, warmWriteUnits: due(80_000) })).toBe(4_000);
});

test('sweeps recover what CPU, the index and their pace allow, five minutes of six', () => {
  const of = (design: Partial<Design>, cause: 'outage' | 'hang') =>
    recoveredPerSecond({ design: { ...deployed, shards: 4, ...design }, costs }, cause);
  const free = { recoveryPerSecond: 1_000_000 };
  // By the index: two of 1,000 units each.
  expect(of({ ...free, supervisorMiB: 1_769 }, 'hang').whileSweeping).toBe(2_000);
  // By CPU: a quarter of a core, 0.76 ms each.
  expect(of({ ...free, supervisorMiB: 1_769 / 4 }, 'hang').whileSweeping).toBeCloseTo(1_315.8, 1);
  // By the pace: a whole number for each shard.
  expect(of({ recoveryPerSecond: 402 }, 'outage')).toEqual({
    whileSweeping: 400,
    inAll: 400 * (5 / 6),
  });
  expect(of({ recoveryPerSecond: 402 }, 'hang').whileSweeping).toBe(800);
});

test.each([100, 1_000, 2_000, 5_000, 10_000])(
  'the parameters for %d orders per second reach every goal',
  (rate) => {
    const { advised } = reportOf(rate, demand, costs);
    expect(advised.goals.reached).toBe(true);
    expect(advised.goals.busiestPartitionAfterOutage).toBeLessThanOrEqual(partitionGoal);
    expect(advised.goals.notified.used).toBeLessThan(advised.goals.notified.limit);
    expect(advised.goals.ramp.used).toBeLessThanOrEqual(advised.goals.ramp.limit);
    expect(advised.goals.overdueSeconds).toBeLessThanOrEqual(240);
  },
);

test('at 10,000 orders per second a million overdue orders are recovered in four minutes, and without parameters nothing holds', () => {
  const { advised, deployed: plain } = reportOf(10_000, demand, costs);
  expect(advised.goals.millionSeconds.outage).toBeLessThanOrEqual(240);
  expect(advised.goals.millionSeconds.hang).toBeLessThanOrEqual(240);
  expect(plain.goals.reached).toBe(false);
});

test('a rate that the deployed design takes needs no parameters and no quotas', () => {
  const report = reportOf(100, demand, costs);
  expect(report.advised.parameters).toEqual({});
  expect(report.quotas).toEqual([]);
  expect(pageOf(report)).toContain('parameters for this rate: none');
});

test('quotas are in the order in which they are reached, with the use at 70 %, each once', () => {
  const { quotas } = reportOf(10_000, demand, costs);
  expect(quotas.map(({ quota }) => quota)).toEqual([
    'DynamoDB: Table-level write throughput limit',
    'Lambda: Concurrent executions',
    'API Gateway: Throttle rate',
  ]);
  const [writes, lambda, api] = quotas;
  expect(Math.round(writes?.fullAt ?? 0)).toBe(6_667);
  // A table is prepared for a partition for each 700 of 60,000 units.
  expect(writes?.needed).toBe(86_000);
  expect(lambda?.default).toBe(1_000);
  expect(api?.needed).toBe(Math.ceil(10_000 / 0.7));
});

test('dollars are those of the bill, by the hour and by the month of 30 days', () => {
  const { dollars } = reportOf(1_000, demand, costs);
  expect(dollars.perHour.batches).toBeCloseTo(3.6 * 10.87);
  expect(dollars.perMonth.single).toBeCloseTo(3.6 * 24 * 30 * 21.38);
});

test('the page marks what is over its limit, as deployed and with the parameters', () => {
  const page = pageOf(reportOf(10_000, demand, costs));
  const lineOf = (name: string) => page.split('\n').find((line) => line.startsWith(name)) ?? '';
  expect(lineOf('API: its own throttle')).toMatch(
    /1,000 +10,000 +1,000 ! +15,000 +10,000 +15,000$/m,
  );
  expect(page).toContain('-c warmOrdersPerSecond=10000');
  // A shell would expand the braces.
  expect(page).toMatch(/-c throttle='\{"rate":\d+,"burst":\d+\}'/);
  expect(lineOf('all goals')).toMatch(/not reached +reached$/);
});

test('the advised parameters are those of the stack', async () => {
  const { settingNames } = await import('#infra/settings/settings.ts');
  for (const rate of [1_000, 10_000, 40_000]) {
    for (const name of Object.keys(adviceFor(rate, demand).parameters)) {
      expect(settingNames).toContain(name);
    }
  }
});
