/** The rates of the agents, as one instance of the Scheduler asks them: when a call begins, and which slots it leaves to others. */
import { expect, test } from 'vitest';
import { isHold } from '#ports/gates.ts';
import { limitTable } from '#sim/ports/sim-limit-items.ts';
import {
  begin,
  byTenant,
  dayMs,
  granted,
  instance,
  limit,
  perSecond,
} from '../../support/limited-instance.ts';

test('the request says how many calls of a rate may begin together, where that is more than one', async () => {
  const { ask, request } = instance([
    limit('hourly', { rate: { count: 1_000, per: 3_600_000, burst: 1_000 } }),
    limit('even', perSecond(10)),
  ]);
  const { slots } = granted(request('o1'), await ask(request('o1')));
  expect(slots).toMatchObject([{ everyMs: 3_600, burst: 1_000 }, { everyMs: 100 }]);
  expect(slots?.[1]).not.toHaveProperty('burst');
});

test('a call of a short step that asks with those of longer ones gets no slot that is too late for it', async () => {
  const { ask, request, clock } = instance([limit('even', perSecond(10))]);
  const long = { completeBy: clock.now() + 30_000, completeWithinMs: 30_000 };
  const short = { completeBy: clock.now() + 500, completeWithinMs: 500 };
  const [own, ...others] = await Promise.all(
    [
      ...[1, 2, 3, 4, 5, 6].map((order) => ask({ ...request(`o${order}`), ...long })),
      ask({ ...request('o7'), ...short }),
    ].toReversed(),
  );
  expect(others.every((answer) => answer !== null && !isHold(answer))).toBe(true);
  expect(own !== undefined && own !== null && isHold(own)).toBe(true);
});

test('a call in several rates begins before the earliest end of their slots', async () => {
  const { ask, request } = instance([limit('fast', perSecond(100)), limit('slow', perSecond(2))]);
  const { startAt = 0, startBy = 0 } = granted(request('o1'), await ask(request('o1')));
  // Of the slow rate it may be 250 ms late. Of the fast one: 245 ms to arrive, and 20 ms late.
  expect(startBy - startAt).toBe(250);
  const other = instance([limit('slow', perSecond(2)), limit('fast', perSecond(100))]);
  const second = granted(other.request('o1'), await other.ask(other.request('o1')));
  expect((second.startBy ?? 0) - (second.startAt ?? 0)).toBe(250);
});

test('calls that wait for slots of their key leave those of all calls to others, as many as the wider rate allows', async () => {
  const { clock, ask, request, writes } = instance(
    [limit('per-tenant', { ...perSecond(4), ...byTenant })],
    { own: [limit('whole', perSecond(50))] },
  );
  const begun: { readonly tenant: string; readonly at: number }[] = [];
  let orders = 0;
  async function askFor(tenant: string): Promise<void> {
    orders += 1;
    const own = request(`o${orders}`, tenant);
    const answer = await ask(own, true);
    if (answer !== null && !isHold(answer)) begun.push({ tenant, at: answer.startAt ?? 0 });
  }
  const from = clock.now();
  // One tenant has a backlog, and each of the others has a call; there are more of them than the rate allows.
  for (let passed = 0; passed < 4_000; passed += 10) {
    await askFor('backlog');
    await askFor(`other-${passed}`);
    clock.jump(10);
  }
  const within = begun.filter(({ at }) => at >= from + 1_000 && at < from + 4_000);
  const ofBacklog = within.filter(({ tenant }) => tenant === 'backlog');
  expect(ofBacklog.length).toBeGreaterThanOrEqual(11);
  expect(ofBacklog.length).toBeLessThanOrEqual(13);
  expect(within.length).toBeGreaterThanOrEqual(0.9 * 150);
  expect(within.length).toBeLessThanOrEqual(151);
  expect(writes.length).toBeLessThan(3 * orders);
});

test('a call asks each rate once, for an instant at which both have a slot', async () => {
  const { ask, request, writes } = instance(
    [limit('per-tenant', { ...perSecond(50), ...byTenant })],
    { own: [limit('whole', perSecond(2))] },
  );
  const first = granted(request('o1', 'ada'), await ask(request('o1', 'ada')));
  const second = granted(request('o2', 'bob'), await ask(request('o2', 'bob')));
  expect((second.startAt ?? 0) - (first.startAt ?? 0)).toBe(500);
  expect(writes).toHaveLength(4);
});

test('slots that two rates do not have together are those of the next calls, of several instances', async () => {
  const table = limitTable();
  const limits = [limit('per-tenant', { ...perSecond(10), ...byTenant })];
  const all = ['one', 'two', 'three'].map((name) =>
    instance(limits, { own: [limit('whole', perSecond(20))], table, name }),
  );
  const begun: number[] = [];
  let orders = 0;
  for (let passed = 0; passed < 6_000; passed += 10) {
    for (const { ask, request } of all) {
      orders += 1;
      const answer = await ask(request(`o${orders}`, `tenant-${orders % 4}`), true);
      if (answer !== null && !isHold(answer)) begun.push((answer.startAt ?? 0) - begin);
    }
    for (const { clock } of all) clock.jump(10);
  }
  const within = begun.filter((at) => at >= 2_000 && at < 6_000);
  expect(within.length).toBeGreaterThanOrEqual(0.95 * 80);
  expect(within.length).toBeLessThanOrEqual(81);
});

test.each([
  [50, 25],
  [300, 150],
  [1_000, 500],
  [10_000, 1_250],
  [60_000, 2_250],
])(
  'a call of a step with %i ms gets no slot that is more than %i ms ahead, however many calls took slots before',
  async (completeWithinMs, aheadMs) => {
    const perKey = limit('per-tenant', { rate: { count: 4, per: 1_000, burst: 3 }, ...byTenant });
    const all = limit('whole', { rate: { count: 11, per: 4_521, burst: 1 } });
    const { ask, request, clock } = instance([perKey], { own: [all] });
    let granted = 0;
    for (let orders = 0; orders < 600; orders += 1) {
      const nowMs = clock.now();
      const own = { completeBy: nowMs + completeWithinMs, completeWithinMs };
      const answer = await ask({ ...request(`o${orders}`, `tenant-${orders % 3}`), ...own }, true);
      if (answer !== null && !isHold(answer)) {
        granted += 1;
        expect((answer.startAt ?? 0) - nowMs).toBeLessThanOrEqual(aheadMs);
      }
      clock.jump(50);
    }
    // 30 s, and what is ahead at their end, at 2.4 per second.
    expect(granted).toBeGreaterThanOrEqual(65);
    expect(granted).toBeLessThanOrEqual(79);
  },
);

test('a call gets no slot behind the instants that calls of many keys have reserved', async () => {
  const slow = limit('per-tenant', { rate: { count: 1, per: 1_500, burst: 1 }, ...byTenant });
  const all = limit('whole', { rate: { count: 12, per: 5_000, burst: 1 } });
  const { ask, request, clock } = instance([slow], { own: [all] });
  const ahead: number[] = [];
  for (let orders = 0; orders < 600; orders += 1) {
    const own = { completeBy: clock.now() + 60_000, completeWithinMs: 60_000 };
    const answer = await ask({ ...request(`o${orders}`, `tenant-${orders % 10}`), ...own }, true);
    if (answer !== null && !isHold(answer)) ahead.push((answer.startAt ?? 0) - clock.now());
    clock.jump(50);
  }
  expect(Math.max(...ahead)).toBeLessThanOrEqual(2_250);
  expect(ahead.length).toBeGreaterThanOrEqual(65);
});

test('a slot is by the time of the queues, and the item of a rate is kept for a day after it', async () => {
  const aheadMs = -3_000;
  const { ask, request, writes, clock } = instance([limit('rate', perSecond(10))], { aheadMs });
  const { startAt } = granted(request('o1'), await ask(request('o1')));
  expect(startAt).toBe(clock.now() + 3_000);
  granted(request('o2'), await ask(request('o2')));
  const kept = writes.map(({ change }) => change.keepUntil - clock.now());
  expect(kept).toHaveLength(2);
  for (const ms of kept) expect(ms).toBeGreaterThanOrEqual(dayMs + 3_000);
});

test('a slot that is given back is the next one of the instance', async () => {
  const { all, ask, request, writes } = instance([limit('rate', perSecond(10))]);
  granted(request('o1'), await ask(request('o1')));
  const second = granted(request('o2'), await ask(request('o2')));
  all.release(second);
  const before = writes.length;
  const third = granted(request('o3'), await ask(request('o3')));
  expect([third.startAt, third.startBy]).toEqual([second.startAt, second.startBy]);
  expect(writes.length).toBe(before);
});
