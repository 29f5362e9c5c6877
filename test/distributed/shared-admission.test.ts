/** Which orders several front doors accept, by what the Supervisor reports, and what they read to know. */
import { expect, test } from 'vitest';
import type { AgentSettings } from '#core/definition/agent-settings.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import type { HeldBacklog, HeldClass } from '#core/flow/held-backlog.ts';
import { UnavailableError } from '#core/model/errors.ts';
import type { Priority } from '#core/model/record.ts';
import { reportBacklog } from '#distributed/report-backlog.ts';
import { sharedAdmission } from '#distributed/shared-admission.ts';
import { testLog } from '../support/log.ts';
import { memoryCircuits } from '../support/memory-circuits.ts';
import { house } from '../support/orders.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const sweepPeriodMs = 60_000;
const boundMs = 120_000;
const flowOf = (tenant: string | null) => tenant ?? '-';

interface Waiting {
  readonly flow: string;
  readonly priority: Priority;
  readonly since: number;
}

/** A deployment with one agent or pool, whose orders wait in memory. */
function deployment(
  pools: ReadonlyMap<string, readonly string[]> = new Map(),
  settings: AgentSettings = new Map(),
) {
  const clock = virtualClock();
  const log = testLog();
  const circuits = memoryCircuits();
  let stored: HeldBacklog | null = null;
  let isFailing = false;
  const counts = { reads: 0, writes: 0, counted: 0 };
  const report = {
    async read() {
      counts.reads += 1;
      if (isFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
      return stored;
    },
    async store(backlog: HeldBacklog) {
      counts.writes += 1;
      stored = backlog;
    },
  };
  let waiting: Waiting[] = [];
  const heldSteps = {
    async count(_agent: string, priority: Priority, from: number | null) {
      counts.counted += 1;
      const own = waiting.filter((one) => one.priority === priority);
      return [...Map.groupBy(own, ({ flow }) => flow)].map(([flow, all]) => ({
        flow,
        waiting: all.length,
        early: all.filter(({ since }) => from !== null && since <= from).length,
      }));
    },
  };
  const reportNow = reportBacklog({
    ...{ report, heldSteps, circuits, pools, clock, log },
    settings: { read: async () => settings },
  });
  const frontDoor = (more: { readonly ordersMax?: number } = {}) =>
    sharedAdmission({
      ...{ report, flowOf, sweepPeriodMs, clock, log, ...more },
      registry: workflowRegistry([house]),
      backlogMaxMs: boundMs,
    });
  return {
    ...{ clock, log, circuits, counts, frontDoor },
    sweep: () => reportNow(waiting.length === 0 ? [] : ['paint']),
    hold(count: number, tenant: string | null = null, priority: Priority = 'normal') {
      const one = { flow: flowOf(tenant), priority, since: clock.now() };
      waiting.push(...Array.from({ length: count }, () => one));
    },
    /** The oldest orders start. */
    start(count: number) {
      waiting = waiting.slice(count);
    },
    waiting: () => waiting.length,
    fail(failing: boolean) {
      isFailing = failing;
    },
    stored: (): readonly HeldClass[] => stored?.classes ?? [],
  };
}

const order = (tenant: string | null = null, priority: Priority = 'normal') => ({
  ...{ workflow: 'house', priority, tenant },
});

test('orders are refused that would wait for longer than the bound, and Retry-After is within 30 % of the truth', async () => {
  const { clock, frontDoor, sweep, hold, start, waiting } = deployment();
  const doors = [frontDoor(), frontDoor(), frontDoor()];
  const perSecond = 10;
  const errors: number[] = [];
  let most = 0;
  // Three times as many orders as can start.
  for (let second = 0; second < 900; second += 1) {
    for (let number = 0; number < 3 * perSecond; number += 1) {
      const refusal = await doors[number % doors.length]?.ask(order());
      if (refusal === null) hold(1);
      if (refusal === null || refusal === undefined) continue;
      const truth = (waiting() * 1_000) / perSecond - boundMs / 2;
      errors.push(Math.abs(refusal.retryAfterMs - truth) / truth);
    }
    start(perSecond);
    most = Math.max(most, waiting());
    await clock.advance(1_000);
    if (second % 60 === 59) await sweep();
  }
  // The bound, and what came in the two minutes before the rate was known, and in a period before a count was.
  expect(most / perSecond).toBeLessThan(boundMs / 1_000 + 2 * 120);
  // Without a refusal, 18,000 would wait.
  expect(errors.length).toBeGreaterThan(12_000);
  const p90 = errors.toSorted((one, other) => one - other)[Math.floor(errors.length * 0.9)];
  expect(p90).toBeLessThan(0.3);
});

test('a tenant that floods is refused, and no other tenant and class', async () => {
  const { clock, frontDoor, sweep, hold, start } = deployment();
  hold(3_000, 'flood');
  hold(20, 'small');
  await sweep();
  await clock.advance(sweepPeriodMs);
  start(600);
  await sweep();
  const door = frontDoor();
  expect(await door.ask(order('flood'))).toMatchObject({ code: 'tenant-over-share' });
  expect(await door.ask(order('small'))).toBeNull();
  expect(await door.ask(order('new'))).toBeNull();
  expect(await door.ask(order('flood', 'low'))).toBeNull();
});

test('an outage is not a low rate: orders are accepted up to the number that may wait', async () => {
  const { clock, frontDoor, sweep, hold, circuits } = deployment();
  const at = clock.now();
  const goodRate = { perSecond: 1, isKnown: true };
  const open = { state: 'open', epoch: 1, since: at, probeAt: at, probes: 0, goodRate } as const;
  await circuits.store('paint', open, 0);
  hold(80);
  for (let minute = 0; minute < 30; minute += 1) {
    await sweep();
    await clock.advance(sweepPeriodMs);
  }
  const door = frontDoor({ ordersMax: 100 });
  const answers = [];
  for (let number = 0; number < 15; number += 1) answers.push(await door.ask(order()));
  expect(answers.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => null));
  expect(answers[10]).toEqual({ code: 'overloaded', retryAfterMs: 30_000 });
});

test('a pool is unavailable only while the circuits of all its members are open', async () => {
  const { clock, sweep, hold, circuits, stored } = deployment(
    new Map([['paint', ['east', 'west']]]),
  );
  const at = clock.now();
  const goodRate = { perSecond: 1, isKnown: true };
  const open = { state: 'open', epoch: 1, since: at, probeAt: at, probes: 0, goodRate } as const;
  hold(80);
  const seen: boolean[] = [];
  for (const member of ['east', 'west']) {
    await circuits.store(member, open, 0);
    await sweep();
    seen.push(...stored().map(({ isUnavailable }) => isUnavailable));
  }
  expect(seen).toEqual([false, true]);
});

test('a member that operators have drained does not keep its pool available', async () => {
  const drained = new Map([['west', { drained: { by: 'ada', at: 0 } }]]);
  const pools = new Map([['paint', ['east', 'west']]]);
  const { clock, sweep, hold, circuits, stored } = deployment(pools, drained);
  const at = clock.now();
  const goodRate = { perSecond: 1, isKnown: true };
  const open = { state: 'open', epoch: 1, since: at, probeAt: at, probes: 0, goodRate } as const;
  hold(80);
  await sweep();
  expect(stored()).toMatchObject([{ isUnavailable: false }]);
  await circuits.store('east', open, 0);
  await sweep();
  expect(stored()).toMatchObject([{ isUnavailable: true }]);
});

test('while nothing waits, a front door reads once per ten orders at most, and the Supervisor writes nothing', async () => {
  const { clock, frontDoor, sweep, counts } = deployment();
  for (let minute = 0; minute < 5; minute += 1) await sweep();
  expect(counts).toEqual({ reads: 5, writes: 0, counted: 0 });
  const door = frontDoor();
  for (let number = 0; number < 40; number += 1) {
    expect(await door.ask(order())).toBeNull();
    await clock.advance(5_000);
  }
  expect(counts.reads - 5).toBe(4);
  for (let number = 0; number < 40; number += 1) await door.ask(order());
  expect(counts.reads - 5).toBe(5);
});

test('while orders wait, a front door reads once per second at most', async () => {
  const { clock, frontDoor, sweep, hold, counts } = deployment();
  hold(5);
  await sweep();
  const door = frontDoor();
  const before = counts.reads;
  for (let number = 0; number < 30; number += 1) {
    await door.ask(order());
    await clock.advance(100);
  }
  expect(counts.reads - before).toBe(3);
});

test('the report is emptied once when no order waits any more', async () => {
  const { sweep, hold, start, counts, stored } = deployment();
  hold(5);
  await sweep();
  expect(stored()).toMatchObject([{ agent: 'paint', waiting: 5 }]);
  start(5);
  await sweep();
  await sweep();
  expect(stored()).toEqual([]);
  expect(counts.writes).toBe(2);
});

test('a report that cannot be read refuses nothing, and one of a Supervisor that stopped is forgotten', async () => {
  const { clock, frontDoor, sweep, hold, start, fail, log } = deployment();
  // More than the drain rate of the report can have ended meanwhile.
  hold(30_000);
  await sweep();
  await clock.advance(sweepPeriodMs);
  start(600);
  await sweep();
  const known = frontDoor();
  expect(await known.ask(order())).not.toBeNull();
  fail(true);
  await clock.advance(2_000);
  expect(await known.ask(order())).not.toBeNull();
  expect(await frontDoor().ask(order())).toBeNull();
  expect(log.lines.map(({ event }) => event)).toEqual(['backlog-unknown', 'backlog-unknown']);
  await clock.advance(3 * sweepPeriodMs);
  expect(await known.ask(order())).toBeNull();
});

test('a Supervisor that cannot read what was stored reports nothing, and fails no sweep', async () => {
  const { sweep, hold, fail, log, counts } = deployment();
  hold(5);
  fail(true);
  await sweep();
  expect(counts.writes).toBe(0);
  expect(log.lines).toMatchObject([{ event: 'backlog-unknown' }]);
});
