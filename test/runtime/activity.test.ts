/** The activity counts agree with the orders, also after a restart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { agentName, type OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import { type ActivityCollector, activityCollector } from '#runtime/local/activity/activity.ts';
import { agentCalls } from '#runtime/local/activity/agent-calls.ts';
import { lastHour } from '#runtime/local/activity/last-hour.ts';
import { type LocalReeve, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { claimed, house, newOrder, succeeded } from '../support/orders.ts';
import { settled, type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

const cook = defineAgent({
  name: 'cook',
  input: z.null(),
  output: z.null(),
  undo: 'offered',
});
const waiter = defineAgent({ name: 'waiter', input: z.null(), output: z.null(), undo: 'unneeded' });

const dinner = defineWorkflow({ name: 'dinner', version: 2, details: z.null() })
  .step('cook', {
    agent: cook,
    completeWithin: 5_000,
    retries: 0,
    coolDown: { after: 60_000, times: 1 },
    onFault: 'hold',
    onExhausted: 'hold',
    input: () => null,
  })
  .step('serve', { agent: waiter, after: ['cook'], input: () => null })
  .build();

interface Kitchen {
  readonly reeve: LocalReeve;
  readonly clock: VirtualClock;
  /** The reaction of the agent to all further calls. */
  does: 'cook' | 'refuse' | 'hang';
  submit(): Promise<void>;
  restart(): Promise<LocalReeve>;
}

async function kitchen(): Promise<Kitchen> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-activity-'));
  const clock = virtualClock();
  const start = () =>
    startLocalReeve({
      workflows: [dinner],
      agents: [
        {
          contract: cook,
          async perform() {
            if (world.does === 'hang') await new Promise(() => {});
            if (world.does === 'refuse') throw new PermanentFault('burnt', 'Burnt.', 'none');
            return null;
          },
          async undo() {},
        },
        {
          contract: waiter,
          endpoints: [{ url: 'hall' }, { url: 'terrace' }],
          async perform(_, { endpoint }) {
            if (endpoint === 'terrace') throw new TransientFault('rain', 'It rains.');
            return null;
          },
        },
      ],
      path: join(folder, 'reeve.db'),
      random: { next: () => 0.5 },
      log: testLog(),
      clock,
    });
  let reeve = await start();
  onTestFinished(() => {
    reeve.close();
    rmSync(folder, { recursive: true });
  });
  const world: Kitchen = {
    get reeve() {
      return reeve;
    },
    clock,
    does: 'cook',
    async submit() {
      const order = {
        workflow: 'dinner',
        details: null,
        priority: 'normal',
        tenant: null,
      } as const;
      await reeve.submission.submit(
        { ...order, correlationId: null, replyTo: null, key: null },
        'ada',
      );
      await settled();
    },
    async restart() {
      reeve.close();
      reeve = await start();
      await reeve.recovered;
      return reeve;
    },
  };
  return world;
}

const agentOf = (reeve: LocalReeve, name: string) =>
  reeve.activity().agents.find((agent) => agent.name === name);
const ordersOf = (reeve: LocalReeve) => reeve.activity().workflows[0]?.orders;

test('a Processed order is counted in its minute, and not among the live orders', async () => {
  const { reeve, submit } = await kitchen();
  await submit();
  const { minutes, workflows } = reeve.activity();
  expect(minutes).toHaveLength(60);
  expect(minutes.at(-1)).toMatchObject({ submitted: 1, processed: 1, undone: 0, error: 0 });
  expect(workflows).toEqual([
    { name: 'dinner', version: 2, orders: { Pending: 0, Processing: 0, Error: 0 } },
  ]);
  expect(agentOf(reeve, 'cook')).toMatchObject({ inFlight: 0, waiting: 0, oldestAt: null });
  expect(agentOf(reeve, 'cook')).toMatchObject({ succeeded: 1, failed: 0, timedOut: 0 });
});

test('a call in flight is counted since the last progress of its order, and the state of the breaker is shown', async () => {
  const world = await kitchen();
  world.does = 'hang';
  const submittedAt = world.clock.now();
  await world.submit();
  expect(ordersOf(world.reeve)).toEqual({ Pending: 0, Processing: 1, Error: 0 });
  expect(agentOf(world.reeve, 'cook')).toMatchObject({
    ...{
      inFlight: 1,
      waiting: 0,
      oldestAt: submittedAt,
      held: [],
      circuit: { state: 'closed', epoch: 0 },
    },
  });
  expect(agentOf(world.reeve, 'waiter')).toMatchObject({ inFlight: 0, waiting: 0 });
  for (let order = 0; order < 5; order += 1) await world.submit();
  await world.clock.advance(5_001);
  expect(agentOf(world.reeve, 'cook')?.circuit).toMatchObject({ state: 'open', epoch: 1 });
  expect(world.reeve.isCircuitOpen()).toBe(true);
  // While one call tests the service, the others still wait for it.
  const probeAt = agentOf(world.reeve, 'cook')?.circuit.probeAt ?? 0;
  await world.clock.advance(probeAt - world.clock.now());
  await world.submit();
  expect(agentOf(world.reeve, 'cook')?.circuit.state).toBe('half-open');
  expect(world.reeve.isCircuitOpen()).toBe(true);
});

test('the endpoints of a service are shown, with the latencies of their calls', async () => {
  const world = await kitchen();
  expect(agentOf(world.reeve, 'cook')?.endpoints).toEqual([]);
  const unused = { state: 'healthy', inFlight: 0, latencyMs: null, ejection: null };
  expect(agentOf(world.reeve, 'waiter')?.endpoints).toEqual([
    { ...unused, url: 'hall' },
    { ...unused, url: 'terrace' },
  ]);
  for (let order = 0; order < 5; order += 1) await world.submit();
  const [hall, terrace] = agentOf(world.reeve, 'waiter')?.endpoints ?? [];
  expect(hall).toMatchObject({ url: 'hall', latencyMs: 0 });
  // A failed call counts with the time that it had.
  expect(terrace).toMatchObject({
    url: 'terrace',
    latencyMs: expect.toSatisfy((ms) => ms > 1_000),
  });
});

test('the steps that an open circuit holds are counted, with the begin of the longest wait and the next probe', async () => {
  const world = await kitchen();
  world.does = 'hang';
  expect(world.reeve.isCircuitOpen()).toBe(false);
  for (let order = 0; order < 6; order += 1) await world.submit();
  await world.clock.advance(5_001);
  const openedAt = agentOf(world.reeve, 'cook')?.circuit.since ?? 0;
  const heldSince = world.clock.now();
  await world.submit();
  await world.submit();
  const { held, circuit } = agentOf(world.reeve, 'cook') ?? {};
  const second = Math.floor(heldSince / 1_000) * 1_000;
  expect(held).toEqual([{ gate: 'circuit', steps: 2, since: second }]);
  expect(circuit).toEqual({ state: 'open', epoch: 1, since: openedAt, probeAt: openedAt + 1_000 });
  expect(world.reeve.activity().flow).toMatchObject({ nudgeSince: null, lastRefusedAt: null });
});

test('a call that times out is counted, and then waits for its cool-down', async () => {
  const world = await kitchen();
  world.does = 'hang';
  await world.submit();
  await world.clock.advance(8_000);
  expect(ordersOf(world.reeve)).toEqual({ Pending: 1, Processing: 0, Error: 0 });
  expect(agentOf(world.reeve, 'cook')).toMatchObject({ inFlight: 0, waiting: 1, timedOut: 1 });
});

test('an order in Error needs an operator until it is resubmitted', async () => {
  const world = await kitchen();
  world.does = 'refuse';
  await world.submit();
  expect(ordersOf(world.reeve)).toEqual({ Pending: 0, Processing: 0, Error: 1 });
  expect(world.reeve.activity().minutes.at(-1)?.error).toBe(1);
  expect(agentOf(world.reeve, 'cook')?.failed).toBe(1);
  world.does = 'cook';
  const { items } = await world.reeve.store.list({ processState: 'Error', limit: 9, cursor: null });
  for (const { orderId } of items) await world.reeve.operator.resubmit(orderId, 'test');
  await settled();
  expect(ordersOf(world.reeve)).toEqual({ Pending: 0, Processing: 0, Error: 0 });
});

test('after a restart exactly the live orders are counted', async () => {
  const world = await kitchen();
  await world.submit();
  world.does = 'refuse';
  await world.submit();
  world.does = 'hang';
  await world.submit();
  await world.submit();
  const reeve = await world.restart();
  const alive = ordersOf(reeve);
  expect((alive?.Pending ?? 0) + (alive?.Processing ?? 0)).toBe(2);
  expect(alive?.Error).toBe(1);
  const { inFlight = 0, waiting = 0 } = agentOf(reeve, 'cook') ?? {};
  expect(inFlight + waiting).toBe(2);
  expect(reeve.activity().minutes.at(-1)).toMatchObject({ submitted: 0, processed: 0 });
});

test('each call is counted that ends with others of its order', async () => {
  const rounds = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), {
    minLength: 1,
    maxLength: 4,
  });
  const oven = defineAgent({
    name: 'oven',
    input: z.boolean(),
    output: z.null(),
    undo: 'unneeded',
  });
  await fc.assert(
    fc.asyncProperty(rounds, async (orders) => {
      const ended = { succeeded: 0, failed: 0 };
      const workflows = orders.map((dishes, number) => {
        const menu = defineWorkflow({ name: `menu-${number}`, version: 1, details: z.null() });
        const first = menu.step('dish-0', { agent: oven, input: () => dishes[0] === true });
        let all = first;
        for (const [at, isWell] of dishes.entries()) {
          // The types of the steps do not matter here.
          if (at > 0) all = all.step(`dish-${at}`, { agent: oven, input: () => isWell }) as never;
        }
        return all.build();
      });
      const reeve = await startLocalReeve({
        ...{ workflows, path: ':memory:', log: testLog() },
        agents: [
          {
            contract: oven,
            async perform(isWell) {
              ended[isWell ? 'succeeded' : 'failed'] += 1;
              if (isWell !== true) throw new PermanentFault('burnt', 'Burnt.', 'none');
              return null;
            },
          },
        ],
      });
      try {
        const made = await Promise.all(workflows.map((menu) => reeve.submit(menu, null)));
        await Promise.all(made.map((order) => order.result()));
        expect(agentOf(reeve, 'oven')).toMatchObject(ended);
      } finally {
        reeve.close();
      }
    }),
    { numRuns: 15 },
  );
});

test('the last hour has sixty minutes, and older counts are dropped', () => {
  const hour = lastHour(() => ({ count: 0 }));
  const minute = 60_000;
  for (let at = 0; at < 90; at += 1) hour.now(at * minute).count += at;
  const all = hour.all(89 * minute);
  expect(all.map(({ slot }) => slot.count)).toEqual(Array.from({ length: 60 }, (_, at) => at + 30));
  expect(all[0]?.startAt).toBe(30 * minute);
  expect(hour.all(300 * minute).every(({ slot }) => slot.count === 0)).toBe(true);
});

test('latencies are those of the last thousand calls', () => {
  const calls = agentCalls();
  expect(calls.latencyMs()).toBeNull();
  for (let at = 0; at < 500; at += 1) calls.succeeded(0, 99_999);
  for (let at = 1; at <= 1_000; at += 1) calls.succeeded(0, at);
  expect(calls.latencyMs()).toEqual({ p50: 500, p95: 950, p99: 990 });
});

test('a call that times out counts in the latencies, with its whole deadline', async () => {
  const world = await kitchen();
  await world.submit();
  expect(agentOf(world.reeve, 'cook')?.latencyMs).toEqual({ p50: 0, p95: 0, p99: 0 });
  world.does = 'hang';
  await world.submit();
  // The Supervisor finds it after it was due; that delay is not part of the latency.
  await world.clock.advance(9_000);
  expect(agentOf(world.reeve, 'cook')).toMatchObject({
    timedOut: 1,
    latencyMs: { p50: 0, p95: 5_000, p99: 5_000 },
  });
});

/** Orders in a slow store: some of them change before or after each read. */
function slowStore(steps: number[]) {
  const records = new Map<OrderId, ProcessRecord>();
  const watchers: ActivityCollector['on'][] = [];
  for (const id of ['one', 'two', 'three', 'four']) {
    const { record } = newOrder(id, 0);
    records.set(record.orderId, id === 'four' ? claimed(record, 1) : record);
  }
  const getOn = () => {
    const before = [...records.values()][steps.shift() ?? records.size];
    const after = before === undefined ? null : gotOn(before);
    if (before === undefined || after === null) return;
    records.set(after.orderId, after);
    for (const on of watchers) on(after, before);
  };
  return {
    ids: [...records.keys()],
    watch: (on: ActivityCollector['on']) => watchers.push(on),
    getOn,
    list: async () => ({ items: [], cursor: null }),
    async records(ids: readonly OrderId[]) {
      getOn();
      const found = [...records].filter(([id]) => ids.includes(id));
      await settled();
      getOn();
      return new Map(found);
    },
  };
}

/** Null at its end. */
function gotOn(record: ProcessRecord): ProcessRecord | null {
  if (record.processState === 'Processed') return null;
  if (record.processState === 'Pending') return claimed(record, 10);
  const running = record.steps.find(({ progress }) => progress.state === 'Running');
  return running === undefined ? null : succeeded(record, running.name, 10);
}

const closed = { state: 'closed', epoch: 0, since: null, probeAt: null } as const;
const idle = {
  waiting: 0,
  nudgeSince: null,
  sweepLagMs: 0,
  refused: { high: 0, normal: 0, low: 0 },
  lastRefusedAt: null,
};

test('orders that change while the others are read are counted once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(4), { maxLength: 30 }), async (steps) => {
      const store = slowStore(steps);
      const options = {
        registry: workflowRegistry([house]),
        clock: virtualClock(),
        log: testLog(),
        store,
        agents: [{ name: agentName('paint'), circuit: () => closed, endpoints: () => [] }],
        flow: () => idle,
      };
      const standingOf = ({ read }: ActivityCollector) => {
        const { workflows, agents } = read();
        return { workflows, agents: agents.map(({ inFlight, waiting }) => [inFlight, waiting]) };
      };
      const collector = activityCollector(options);
      store.watch(collector.on);
      store.getOn();
      await collector.countRest(Promise.resolve(store.ids));
      steps.length = 0;
      const anew = activityCollector(options);
      await anew.countRest(Promise.resolve(store.ids));
      expect(standingOf(collector)).toEqual(standingOf(anew));
    }),
  );
});
