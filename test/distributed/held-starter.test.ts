/** The steps that start as replies come in: of those that wait for the agent, and for any member of its pools. */
import { expect, test } from 'vitest';
import { UnavailableError } from '#core/model/errors.ts';
import { agentName, orderId, schedulerId, stepName } from '#core/model/ids.ts';
import type { Reply } from '#core/model/message.ts';
import type { Priority, ProcessRecord } from '#core/model/record.ts';
import { heldStarter } from '#distributed/held-starter.ts';
import { sharedGates } from '#distributed/shared-gates.ts';
import type { HeldPlace, HeldSteps } from '#ports/held-steps.ts';
import { call } from '../support/agent-requests.ts';
import { testLog } from '../support/log.ts';
import { memoryCircuits } from '../support/memory-circuits.ts';
import { noLimits } from '../support/no-limits.ts';
import { newOrder } from '../support/orders.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const [east, west, post] = [agentName('pay-east'), agentName('pay-west'), agentName('post')];
const poolsOfPay = new Map([
  ['pay', [east, west]],
  ['pay--bank', [east]],
]);

/** An order of the agent that was held: it says that others may wait as well. */
function heldOnce(agent: string): ProcessRecord {
  const { record } = newOrder('one', 0);
  const hold = { step: stepName('east'), gate: 'circuit', since: 1, until: 2 } as const;
  const entry = { type: 'claim', at: 1, definitionUnknown: false, by: schedulerId('s') } as const;
  return {
    ...record,
    steps: record.steps.map((step) => ({ ...step, agent: agentName(agent) })),
    history: [...record.history, { ...entry, holds: [hold] }],
  };
}

const reply = (id: string): Reply => ({
  ...{ orderId: orderId(id), step: stepName('east'), attempt: 1, action: 'perform' },
  result: { kind: 'succeeded', output: null },
});

/** Of one Scheduler. `limited`: agents that have thirty requests in their queues. */
function instance(pools?: ReadonlyMap<string, readonly string[]>, limited: readonly string[] = []) {
  const clock = virtualClock();
  const log = testLog();
  const waiting = new Map<string, string[]>();
  const read: string[] = [];
  let isFailing = false;
  const gates = sharedGates({
    ...{ instance: 'one', limited, circuits: memoryCircuits(), clock, log },
    backlog: { of: async () => ({ waiting: 15, inFlight: 20 }) },
    limits: noLimits(),
  });
  const heldSteps: HeldSteps = {
    async waiting(agent: string, priority: Priority, limit: number, after: HeldPlace | null) {
      if (isFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
      if (priority !== 'normal') return [];
      read.push(agent);
      const orders = after === null ? (waiting.get(agent) ?? []) : [];
      return orders.slice(0, limit).map((id) => ({ orderId: orderId(id), flow: '-', queue: null }));
    },
  };
  const starter = heldStarter({
    ...{ gates, heldSteps, clock, log, random: { next: () => 0 } },
    ...(pools !== undefined && { pools }),
  });
  return {
    ...{ clock, gates, log, read, starter },
    fail: () => {
      isFailing = true;
    },
    wait(name: string, count: number) {
      waiting.set(
        name,
        Array.from({ length: count }, (_, at) => `${name}-${at}`),
      );
    },
    /** What starts after two replies of the agent: at most four orders, which then wait no more. */
    async next(agent: typeof east, record = heldOnce(agent)) {
      const started = await starter.next(agent, [], [record, record]);
      for (const [name, orders] of waiting) {
        waiting.set(
          name,
          orders.filter((id) => !started.includes(orderId(id))),
        );
      }
      return started;
    },
  };
}

/** Of which names these orders waited for. */
const namesOf = (orders: readonly string[]) => [
  ...new Set(orders.map((id) => id.replace(/-\d+$/, ''))),
];

test('replies of a member start orders that wait for any member of its pool', async () => {
  const { next, wait } = instance(poolsOfPay);
  wait('pay', 3);
  expect(await next(west)).toEqual(['pay-0', 'pay-1', 'pay-2']);
  expect(await next(west)).toEqual([]);
});

test('replies of an agent without a pool start only orders that wait for it', async () => {
  const { next, wait, read } = instance(poolsOfPay);
  for (const name of ['pay', 'pay--bank', 'pay-east', 'post']) wait(name, 2);
  expect(await next(post)).toEqual(['post-0', 'post-1']);
  expect(new Set(read)).toEqual(new Set(['post']));
});

test('without pools, replies of an agent start what waits for it', async () => {
  const { next, wait } = instance();
  for (const name of ['pay', 'pay-east']) wait(name, 2);
  expect(await next(east)).toEqual(['pay-east-0', 'pay-east-1']);
});

test('orders that wait for the agent, for its pool and for its group start in turn', async () => {
  const { next, wait } = instance(poolsOfPay);
  for (const name of ['pay', 'pay--bank', 'pay-east']) wait(name, 100);
  const turns: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) turns.push(...namesOf(await next(east)));
  expect(turns.slice(0, 3).toSorted()).toEqual(['pay', 'pay--bank', 'pay-east']);
  expect(turns.slice(3)).toEqual(turns.slice(0, 3));
});

test('they do so although the Scheduler says after each start what became of its orders', async () => {
  const { next, wait, starter } = instance(new Map([['pay', [east, west]]]));
  for (const name of ['pay', 'pay-east']) wait(name, 100);
  const turns: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const asked = await next(east);
    turns.push(...namesOf(asked));
    await starter.more(east, { asked, overtaken: [], stillHeld: [], isLast: false });
  }
  expect(turns.slice(0, 2).toSorted()).toEqual(['pay', 'pay-east']);
  expect(turns.slice(2)).toEqual(turns.slice(0, 2));
});

test('what one source cannot fill is filled by the others, and no more than the agent can begin', async () => {
  const { next, wait } = instance(poolsOfPay);
  wait('pay', 1);
  wait('pay--bank', 1);
  wait('pay-east', 9);
  for (let turn = 0; turn < 3; turn += 1) {
    const started = await next(east);
    expect(started).toHaveLength(turn === 2 ? 3 : 4);
  }
});

test('an agent stops reading the index when nothing waits for it nor for its pools, and not before', async () => {
  const { next, wait, read } = instance(poolsOfPay);
  const { record } = newOrder('two', 0);
  const plain = { ...record, steps: heldOnce(east).steps };
  wait('pay', 9);
  await next(east);
  // None of its own waits, and the pool has five.
  expect(await next(east, plain)).toHaveLength(4);
  expect(await next(east, plain)).toHaveLength(1);
  expect(await next(east, plain)).toEqual([]);
  read.length = 0;
  expect(await next(east, plain)).toEqual([]);
  expect(read).toEqual([]);
});

test('the only order that waits is asked for again, also where its gate was still closed when it was asked for', async () => {
  const { wait, starter, clock } = instance();
  const { record } = newOrder('two', 0);
  const plain = { ...record, steps: heldOnce(east).steps };
  wait('pay-east', 1);
  const asked = await starter.next(east, [], [heldOnce(east)]);
  expect(asked).toEqual(['pay-east-0']);
  await starter.more(east, { asked, overtaken: [], stillHeld: asked, isLast: false });
  // Others were never held, so their replies do not say that orders wait.
  expect(await starter.next(east, [], [plain])).toEqual(asked);
  // What became of it is not known yet.
  expect(await starter.next(east, [], [plain])).toEqual([]);
  await clock.advance(1_000);
  expect(await starter.next(east, [], [plain])).toEqual(asked);
});

test('an order that starts for a pool is sent to the member that has room, before others that come', async () => {
  const { gates, starter, next, wait } = instance(poolsOfPay, [east, west]);
  wait('pay', 1);
  // It has as many requests as it needs.
  expect(await next(west)).toEqual([]);
  starter.observe(west, ['one', 'two'].map(reply));
  expect(await next(west)).toEqual(['pay-0']);
  const [other] = await gates.ask([{ ...call('new'), agent: west }], false);
  expect(other).toMatchObject({ gate: 'concurrency' });
  expect(await gates.ask([{ ...call('pay-0'), agent: west }], false)).toEqual([null]);
});

test('an index that cannot be read starts nothing, and says why', async () => {
  const { next, wait, fail, log } = instance(poolsOfPay);
  wait('pay', 3);
  fail();
  expect(await next(east)).toEqual([]);
  expect(log.lines.map(({ event }) => event)).toEqual(['held-steps-unread']);
});

// The turn is one of the instance, not of each agent: it comes round at the same agent each time.
test('the sources of each of two members start in turn, although the members reply by turns', async () => {
  const { next, wait } = instance(new Map([['pay', [east, west]]]));
  wait('pay', 400);
  wait('pay-east', 100);
  wait('pay-west', 100);
  const started: string[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    started.push(...(await next(east)), ...(await next(west)));
  }
  expect(namesOf(started).toSorted()).toEqual(['pay', 'pay-east', 'pay-west']);
});
