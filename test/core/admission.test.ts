/** When an order is refused because too many wait, and what the refusal says. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { admissionOf, type Load } from '#core/flow/admission-rule.ts';
import { newDrainRate, noteEnd, pauseRate, rateAt } from '#core/flow/drain-rate.ts';
import { workflowBacklog } from '#core/flow/workflow-backlog.ts';
import type { Priority } from '#core/model/record.ts';

const bounds = { backlogMaxMs: 10_000, ordersMax: 1_000 };
const idle: Load = {
  priority: 'normal',
  waiting: 0,
  perSecond: 10,
  shares: 1,
  waitingInAll: 0,
  inAllPerSecond: 10,
};

test.each<[string, Partial<Load>, ReturnType<typeof admissionOf>]>([
  ['no other order waits', {}, null],
  ['no other order waits, and orders end in the minute', { perSecond: 1 / 60 }, null],
  [
    'one other order waits, and orders end in the minute',
    { waiting: 1, perSecond: 1 / 60 },
    { code: 'overloaded', retryAfterMs: 55_000 },
  ],
  ['it would wait for exactly the bound', { waiting: 100 }, null],
  [
    'it would wait for longer: until half of the bound is free',
    { waiting: 120 },
    { code: 'overloaded', retryAfterMs: 7_000 },
  ],
  [
    'its tenant has most of the waiting orders',
    { waiting: 120, shares: 1.6 },
    { code: 'tenant-over-share', retryAfterMs: 7_000 },
  ],
  ['the rate is not known', { waiting: 800, perSecond: null, waitingInAll: 800 }, null],
  [
    'the rate is not known and the memory is full',
    { perSecond: null, waitingInAll: 900, inAllPerSecond: null },
    { code: 'overloaded', retryAfterMs: 30_000 },
  ],
  [
    'the memory is full of orders of another workflow',
    { waitingInAll: 900, inAllPerSecond: 100 },
    { code: 'overloaded', retryAfterMs: 4_500 },
  ],
  ['the memory is full, and the class is low', { priority: 'low', waitingInAll: 799 }, null],
  [
    'the memory is full, and the class is low',
    { priority: 'low', waitingInAll: 800 },
    { code: 'overloaded', retryAfterMs: 40_000 },
  ],
  ['the memory is full, and the class is high', { priority: 'high', waitingInAll: 999 }, null],
  [
    'half of the memory is full of orders of its tenant',
    { shares: 2, waitingInAll: 500 },
    { code: 'tenant-over-share', retryAfterMs: 25_000 },
  ],
])('%s', (_, load, expected) => {
  expect(admissionOf({ ...idle, ...load }, bounds)).toEqual(expected);
});

describe('the drain rate', () => {
  it('is known after 32 ends and two seconds', () => {
    const rate = newDrainRate();
    for (let at = 0; at <= 1_900; at += 50) noteEnd(rate, at);
    expect(rateAt(rate, 1_950)).toBeNull();
    noteEnd(rate, 1_950);
    noteEnd(rate, 2_000);
    expect(rateAt(rate, 2_000)).toBe(20);
  });

  it('is right when ends come together', () => {
    const rate = newDrainRate();
    for (let second = 0; second < 20; second += 1) {
      for (let count = 0; count < 16; count += 1) noteEnd(rate, second * 1_000);
    }
    expect(rateAt(rate, 19_000)).toBeCloseTo(16, 0);
  });

  it('follows a change', () => {
    const rate = newDrainRate();
    for (let at = 0; at <= 4_000; at += 10) noteEnd(rate, at);
    expect(rateAt(rate, 4_000)).toBeCloseTo(100, 0);
    for (let at = 4_050; at <= 30_000; at += 50) noteEnd(rate, at);
    expect(rateAt(rate, 30_000)).toBeCloseTo(20, 0);
  });

  it('falls while nothing ends', () => {
    const rate = newDrainRate();
    for (let at = 0; at <= 4_000; at += 10) noteEnd(rate, at);
    expect(rateAt(rate, 36_000)).toBeCloseTo(1, 1);
  });

  it('is kept over a pause, and replaced by the first window after it', () => {
    const rate = newDrainRate();
    for (let at = 0; at <= 4_000; at += 10) noteEnd(rate, at);
    pauseRate(rate);
    expect(rateAt(rate, 600_000)).toBeCloseTo(100, 0);
    for (let at = 600_000; at <= 602_000; at += 50) noteEnd(rate, at);
    expect(rateAt(rate, 602_000)).toBe(20);
  });
});

/** A backlog where `count` orders of each flow wait and end at a rate per second, for five seconds. */
function busy(flows: readonly [Priority, string | null, number, number][]) {
  const backlog = workflowBacklog(() => 1);
  const ends = flows.flatMap(([priority, tenant, count, perSecond]) => {
    for (let each = 0; each < count; each += 1) backlog.add({ priority, tenant }, 1, 0);
    return Array.from({ length: 5 * perSecond + 1 }, (_, at) => ({
      label: { priority, tenant },
      atMs: (at * 1_000) / perSecond,
    }));
  });
  for (const { label, atMs } of ends.toSorted((a, b) => a.atMs - b.atMs)) {
    backlog.ended(label, atMs);
  }
  return {
    load: (priority: Priority, tenant: string | null) => backlog.load({ priority, tenant }, 5_000),
    backlog,
  };
}

describe('the backlog of a workflow', () => {
  it('knows the rate of each class and tenant with waiting orders', () => {
    const { load } = busy([
      ['normal', 'inn', 100, 80],
      ['normal', 'bar', 100, 20],
    ]);
    expect(load('normal', 'inn').perSecond).toBeCloseTo(80, 0);
    expect(load('normal', 'bar').perSecond).toBeCloseTo(20, 0);
  });

  it('promises a class without waiting orders its share of the rate', () => {
    const { load } = busy([['normal', null, 100, 100]]);
    expect(load('high', null)).toMatchObject({ waiting: 0 });
    expect(load('high', null).perSecond).toBeCloseTo(80, 0);
    expect(load('low', null).perSecond).toBeCloseTo(20, 0);
  });

  it('promises a tenant without waiting orders its share of the class', () => {
    const { load } = busy([
      ['normal', 'inn', 100, 50],
      ['normal', 'bar', 100, 50],
    ]);
    expect(load('normal', 'pub').perSecond).toBeCloseTo(33, 0);
  });

  it('knows that a tenant has more than its share, and which one has not', () => {
    const { load } = busy([
      ['normal', 'flood', 700, 50],
      ['normal', 'inn', 100, 50],
    ]);
    expect(load('normal', 'flood').shares).toBeCloseTo(1.75, 1);
    expect(load('normal', 'inn').shares).toBeCloseTo(0.25, 1);
    expect(load('normal', '__proto__').shares).toBeLessThan(0.1);
  });

  it('gives a tenant with a weight a larger share, also when the weight changes', () => {
    const weights = new Map([['inn', 3]]);
    const backlog = workflowBacklog((tenant) => weights.get(tenant ?? '') ?? 1);
    for (const tenant of ['inn', 'bar']) {
      for (let each = 0; each < 99; each += 1) backlog.add({ priority: 'low', tenant }, 1, 0);
    }
    const shares = (tenant: string) => backlog.load({ priority: 'low', tenant }, 0).shares;
    expect(shares('inn')).toBeCloseTo(0.67, 1);
    weights.set('inn', 1);
    backlog.reweigh('inn');
    expect(shares('inn')).toBeCloseTo(1, 1);
  });

  it('has no rate of its own once nothing waits, and keeps that of the workflow', () => {
    const { load, backlog } = busy([['normal', 'inn', 1, 100]]);
    backlog.add({ priority: 'normal', tenant: 'inn' }, -1, 5_000);
    expect(backlog.waiting()).toBe(0);
    expect(load('normal', 'inn').perSecond).toBeCloseTo(100, 0);
    expect(load('normal', 'bar').perSecond).toBeCloseTo(100, 0);
  });

  it('has no fewer than no orders, when one that was never counted is taken out', () => {
    const backlog = workflowBacklog(() => 1);
    expect(backlog.add({ priority: 'low', tenant: null }, -1, 0)).toBe(false);
    expect(backlog.waiting()).toBe(0);
    expect(backlog.load({ priority: 'low', tenant: null }, 0).waiting).toBe(0);
  });

  it('has no memory of tenants without orders', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', null), fc.nat(20)), { maxLength: 60 }),
        (steps) => {
          const weightOf = (tenant: string | null) => (tenant === 'a' ? 0.3 : 1);
          const backlog = workflowBacklog(weightOf);
          for (const [at, [tenant, count]] of steps.entries()) {
            const label = { priority: 'normal', tenant } as const;
            for (let each = 0; each < count; each += 1) backlog.add(label, 1, at);
            for (let each = 0; each < count; each += 1) backlog.add(label, -1, at);
          }
          backlog.forget(1_000);
          expect(backlog.load({ priority: 'normal', tenant: 'b' }, 1_000).shares).toBe(1);
        },
      ),
    );
  });
});
