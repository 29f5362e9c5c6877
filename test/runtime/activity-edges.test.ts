/** The activity where the clock is set back, and where Reeve is closed during its count. */
import { expect, test } from 'vitest';
import { workflowRegistry } from '#core/definition/registry.ts';
import { agentName, type OrderId } from '#core/model/ids.ts';
import { activityCollector } from '#runtime/local/activity/activity.ts';
import { agentCalls } from '#runtime/local/activity/agent-calls.ts';
import { noteCalls } from '#runtime/local/activity/ended-calls.ts';
import { loadOf } from '#runtime/local/activity/load.ts';
import { testLog } from '../support/log.ts';
import { claimed, house, newOrder, succeeded } from '../support/orders.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const at = Date.UTC(2026, 0, 1);

test('a call that ended before its dispatch, by a clock that was set back, has no negative latency', () => {
  const running = claimed(newOrder('one', at).record, at);
  const calls = agentCalls();
  noteCalls(
    new Map([[agentName('paint'), calls]]),
    succeeded(running, 'east', at - 5_000),
    running,
    at,
  );
  expect(calls.counts(at)).toMatchObject({ succeeded: 1 });
  expect(calls.latencyMs()).toEqual({ p50: 0, p95: 0, p99: 0 });
});

test('a count of many orders in Error ends when Reeve is closed', async () => {
  const log = testLog();
  let pages = 0;
  const collector = activityCollector({
    ...{ registry: workflowRegistry([]), clock: virtualClock(), log, agents: [] },
    store: {
      records: async () => new Map(),
      async list() {
        pages += 1;
        if (pages === 3) collector.stop();
        if (pages > 3) throw new RangeError('the store is closed');
        return { items: [], cursor: 'more' };
      },
    },
    flow: () => {
      throw new RangeError('not read');
    },
  });
  await collector.countRest(Promise.resolve([]));
  expect([pages, log.lines]).toEqual([3, []]);
});

test('the orders in Error are counted while the others are taken back, and until all are counted the activity says so', async () => {
  const fault = { code: 'x', message: 'No.', effect: 'none', step: null, action: null } as const;
  const stopped = { ...newOrder('stopped', at).record, processState: 'Error', fault } as const;
  const waiting = newOrder('waiting', at).record;
  const records = new Map([[waiting.orderId, waiting]]);
  const recovered = Promise.withResolvers<readonly OrderId[]>();
  const collector = activityCollector({
    ...{ registry: workflowRegistry([house]), clock: virtualClock(), log: testLog(), agents: [] },
    store: {
      records: async () => records,
      list: async () => ({ items: [stopped], cursor: null }),
    },
    flow: () => ({
      ...{ waiting: 0, nudgeSince: null, sweepLagMs: 0, lastRefusedAt: null },
      refused: { high: 0, normal: 0, low: 0 },
    }),
  });
  const now = () => {
    const { isCounting, workflows } = collector.read();
    return { isCounting, orders: workflows.map(({ orders }) => orders) };
  };
  const counting = collector.countRest(recovered.promise);
  await settled();
  expect(now()).toEqual({ isCounting: true, orders: [{ Pending: 0, Processing: 0, Error: 1 }] });
  recovered.resolve([waiting.orderId]);
  await counting;
  expect(now()).toEqual({ isCounting: false, orders: [{ Pending: 1, Processing: 0, Error: 1 }] });
});

test('a Reeve that has refused an order is overloaded for ten seconds, also where its clock is set back then', () => {
  const clock = virtualClock();
  const byClass = { high: 0, normal: 1, low: 0 };
  const load = loadOf({
    ...{ clock, circuits: [], nudgeSince: () => null, sweepLagMs: () => 0 },
    backlog: {
      waiting: () => 0,
      refused: () => ({ byClass, lastAt: at, overloaded: 1, 'tenant-over-share': 0 }),
    },
  });
  clock.jump(at - clock.now());
  expect(load.isOverloaded()).toBe(true);
  clock.jump(10_000);
  expect(load.isOverloaded()).toBe(false);
  clock.jump(-3_600_000);
  expect(load.isOverloaded()).toBe(false);
});
