import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { agentName, type OrderId, orderId } from '#core/model/ids.ts';
import {
  type ProcessRecord,
  type ProcessState,
  processStates,
  type StepRecord,
} from '#core/model/record.ts';
import { sqliteStore } from '#embedded/sqlite-store.ts';
import type { StateStore } from '#ports/state-store.ts';
import { type OrderFilter, search } from '#roles/search.ts';
import { everyPage } from '../contracts/pages.ts';
import { happened, happenings } from '../support/happenings.ts';
import { testLog } from '../support/log.ts';
import { newOrder, next } from '../support/orders.ts';

const now = Date.UTC(2026, 0, 1);
const store = sqliteStore({ path: ':memory:', sweepPeriodMs: 1_000, log: testLog() });
const records: ProcessRecord[] = [];

/** The roof is another agent's. */
const thatched = ({ steps }: ProcessRecord) => ({
  steps: steps.map((step) =>
    step.name === 'roof' ? { ...step, agent: agentName('thatch') } : step,
  ),
});

beforeAll(async () => {
  for (let at = 0; at < 60; at += 1) {
    const { order, record: made } = newOrder(`order-${at}`, now + at);
    const first = { ...made, ...thatched(made), tenant: at % 3 === 0 ? 'north' : null };
    await store.create(order, first);
    let record: ProcessRecord = first;
    for (let turn = 0; turn < at % 6; turn += 1) {
      const wished = happenings[(at * 3 + turn) % happenings.length] ?? 'claim';
      const then = happened(record, wished, now + 1_000 * at, `w-${at}-${turn}`);
      if (then === null) break;
      await store.commit(then);
      record = then;
    }
    const east = record.steps.find(({ name }) => name === 'east');
    if (at % 12 < 6 && east?.progress.state === 'Running') {
      record = next(record, givenBack(east), now + 1_000 * at, `w-${at}-held`);
      await store.commit(record);
    }
    records.unshift(record);
  }
  return () => store.close();
});

const givenBack = ({ name, attempt, agent }: StepRecord) =>
  ({
    type: 'deferred',
    step: name,
    attempt,
    agent,
    gate: 'concurrency',
    retryAfterMs: 1_000,
  }) as const;

const agents = ['paint', 'thatch', 'nobody'];
const steps = ['east', 'west', 'roof', 'cellar'];
const faults = ['refused', 'exhausted', 'workflow-unknown', 'nothing'];
/** Often exactly the instant at which an order changed. */
const instant = fc.integer({ min: 0, max: 60 }).map((at) => now + 1_000 * at);
const condition: fc.Arbitrary<OrderFilter> = fc.oneof(
  fc.record({ workflow: fc.constantFrom('house', 'another') }),
  fc.record({ agent: fc.constantFrom(...agents) }),
  fc.record({ step: fc.constantFrom(...steps) }),
  fc.record({ fault: fc.constantFrom(...faults) }),
  fc.constant({ held: true as const }),
  fc.record({ tenant: fc.constantFrom('north', 'south') }),
  fc.record({ since: instant }),
  fc.record({ before: instant }),
);
/** Few conditions, because with many of them few searches find an order. */
const filters = fc
  .array(condition, { maxLength: 3 })
  .map((drawn): OrderFilter => Object.assign({}, ...drawn));

/** By a scan of every order. */
function fitting(filter: OrderFilter, processState: ProcessState | null = null): OrderId[] {
  const found = records.filter(
    (record) =>
      (processState === null || record.processState === processState) &&
      (filter.workflow ?? record.workflow) === record.workflow &&
      (filter.tenant ?? record.tenant) === record.tenant &&
      (filter.held === undefined || held(record).length > 0) &&
      (filter.step === undefined || record.fault?.step === filter.step) &&
      (filter.fault === undefined || record.fault?.code === filter.fault) &&
      (filter.since ?? 0) <= record.updatedAt &&
      (filter.before ?? Number.POSITIVE_INFINITY) > record.updatedAt &&
      (filter.agent === undefined || concerned(record).has(filter.agent)),
  );
  return found.map(({ orderId: id }) => id);
}

test.each<[string, readonly OrderFilter[]]>([
  ['nothing', [{}]],
  ['a workflow', ['house', 'another'].map((workflow) => ({ workflow }))],
  ['an agent', agents.map((agent) => ({ agent }))],
  ['a step at fault', steps.map((step) => ({ step }))],
  ['a fault', faults.map((fault) => ({ fault }))],
  ['a held step', [{ held: true }]],
  ['a tenant', ['north', 'south'].map((tenant) => ({ tenant }))],
])('a search by one condition gives what fits it, and nothing else: %s', async (_, own) => {
  const query = { processState: null, limit: 70, cursor: null };
  for (const filter of own) {
    const { items } = await search(store, query, filter);
    expect(items.map((record) => record.orderId)).toEqual(fitting(filter));
  }
});

test('a search by time includes its beginning and excludes its end', async () => {
  const query = { processState: null, limit: 70, cursor: null };
  for (const { updatedAt } of records.filter((_, at) => at % 10 === 0)) {
    for (const filter of [{ since: updatedAt }, { before: updatedAt }]) {
      const { items } = await search(store, query, filter);
      expect(items.map((record) => record.orderId)).toEqual(fitting(filter));
    }
  }
});

test('a search returns the same as a scan of every order, newest first, with any page size', async () => {
  let findings = 0;
  const seen = fc.asyncProperty(
    filters,
    fc.constantFrom(null, ...processStates),
    fc.integer({ min: 1, max: 70 }),
    async (filter, processState, limit) => {
      const found = await everyPage(limit, (cursor) =>
        search(store, { processState, limit, cursor }, filter),
      );
      const expected = fitting(filter, processState);
      if (expected.length > 0) findings += 1;
      expect(found.map((record) => record.orderId)).toEqual(expected);
    },
  );
  await fc.assert(seen, { numRuns: 80 });
  expect(findings).toBeGreaterThan(5);
});

const held = ({ steps }: ProcessRecord) =>
  steps.filter(({ progress }) => progress.state === 'Held');

function concerned(record: ProcessRecord): Set<string> {
  const { fault, steps } = record;
  const out = [...steps.filter(({ progress }) => 'completeBy' in progress), ...held(record)];
  const faulty = steps.filter(({ name }) => name === fault?.step);
  return new Set([...out, ...faulty].map(({ agent }) => agent));
}

test('the orders cover every state except one, and both results of each filter', () => {
  expect(new Set(records.map(({ processState }) => processState)).size).toBeGreaterThan(2);
  expect(records.some((record) => concerned(record).has('paint'))).toBe(true);
  expect(records.some((record) => !concerned(record).has('paint'))).toBe(true);
  expect(records.some(({ fault }) => fault !== null && steps.includes(fault.step ?? ''))).toBe(
    true,
  );
  expect(records.some(({ fault }) => fault !== null && faults.includes(fault.code))).toBe(true);
  expect(records.some(({ fault }) => fault === null)).toBe(true);
  expect(records.some((record) => held(record).length > 0)).toBe(true);
});

test('a search with few matches ends its page early, with a cursor', async () => {
  const query = { processState: null, limit: 1, cursor: null };
  const page = await search(store, query, { workflow: 'another' });
  expect(page.items).toEqual([]);
  expect(page.cursor).not.toBeNull();
  expect(orderId('order-0')).toBe(records.at(-1)?.orderId);
});

test('a search reads at most ten pages of the listing, each as long as the number of orders still wanted', async () => {
  const limits: number[] = [];
  const counting: Pick<StateStore, 'list'> = {
    list(query) {
      limits.push(query.limit);
      return store.list(query);
    },
  };
  const query = { processState: null, limit: 3, cursor: null };
  await search(counting, query, { workflow: 'another' });
  expect(limits).toEqual(Array.from({ length: 10 }, () => 3));
  limits.length = 0;
  const { items } = await search(counting, query, { tenant: 'north' });
  expect(items).toHaveLength(3);
  // Every third order is of the tenant.
  expect(limits).toEqual([3, 2, 2, 1, 1]);
});
