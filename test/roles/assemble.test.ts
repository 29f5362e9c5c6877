/** The lifetimes of roles: what a process shares, and what each invocation has of its own. */
import { expect, onTestFinished, test } from 'vitest';
import { type OrderId, orderId, schedulerId } from '#core/model/ids.ts';
import type { Nudge, Reply, Request } from '#core/model/message.ts';
import type { Channel } from '#ports/channels.ts';
import {
  assembleAgent,
  assembleNotifier,
  assembleOperator,
  assembleProcess,
  assembleScheduler,
  assembleSubmission,
  assembleSweeps,
} from '#roles/assemble.ts';
import { sha256, systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { freeBreaker } from '../support/breakers.ts';
import { memoryCoordination } from '../support/memory-coordination.ts';
import { settled } from '../support/virtual-clock.ts';
import { contract } from './kitchen.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const second = 1_000;

function collecting<Message>() {
  const sent: Message[] = [];
  const channel: Channel<Message> = {
    async send(messages) {
      sent.push(...messages);
    },
  };
  return { sent, channel };
}

/** The ports of roles over the store of the scenario. */
function portsIn({ store, clock, log, registry }: RoleScenario) {
  const nudges = collecting<Nudge>();
  const requests = collecting<Request>();
  const common = {
    store,
    clock,
    log,
    registry,
    random: systemRandom,
    ids: systemIds(clock, 'assembled'),
    digest: sha256,
    responseChannels: [],
    outageAfterMs: 30 * second,
  };
  return {
    nudges: nudges.sent,
    requests: requests.sent,
    scheduling: {
      ...common,
      id: schedulerId('assembled'),
      channels: { nudges: nudges.channel, requests: requests.channel },
    },
    nudging: { ...common, nudges: nudges.channel },
  };
}

const nudge = (id: OrderId): Nudge => ({ orderId: id, priority: 'normal' });

test('a Scheduler claims under the name of its process, and asks the agents', async () => {
  const world = roleScenario();
  const { orderId: id } = await world.create('one');
  const { scheduling, requests } = portsIn(world);
  expect(await assembleScheduler(scheduling).onNudges([nudge(id)])).toEqual([{ kind: 'done' }]);
  expect((await world.record(id)).lockedBy).toBe('assembled');
  expect(requests.map(({ step }) => step)).toEqual(['east', 'west']);
});

test('a submission and an operator nudge a Scheduler', async () => {
  const world = roleScenario();
  const { nudging, nudges } = portsIn(world);
  const submitted = await assembleSubmission(nudging).submit(
    {
      workflow: 'house',
      details: { colour: 'blue' },
      priority: 'normal',
      tenant: null,
      replyTo: null,
      correlationId: null,
      key: null,
    },
    'ada',
  );
  if (submitted.kind !== 'accepted') throw new Error(submitted.code);
  expect(nudges).toEqual([nudge(submitted.orderId)]);
  const { orderId: id } = await world.createClaimed('one');
  const cancelled = await assembleOperator(nudging).cancel(id, 'otto');
  expect(cancelled).toMatchObject({ kind: 'done', record: { direction: 'undo' } });
});

test('each invocation of the Supervisor has a sweep tick with a name of its own', async () => {
  const world = roleScenario();
  const holders: string[] = [];
  const memory = memoryCoordination();
  const { nudging, nudges } = portsIn(world);
  let names = 0;
  const tickOfInvocation = assembleSweeps({
    ...nudging,
    coordination: {
      ...memory,
      acquire(shard, lease, first) {
        holders.push(lease.holder);
        return memory.acquire(shard, lease, first);
      },
    },
    sweepPeriodMs: second,
    leaseMs: 5 * second,
    holder: () => {
      names += 1;
      return `tick-${names}`;
    },
    handOver: async () => {},
    replyDelays: { read: async () => null },
  });
  for (const id of ['one', 'two']) {
    await world.createClaimed(id);
    world.clock.jump(12 * second);
    await tickOfInvocation().tick();
  }
  expect(holders).toEqual(['tick-1', 'tick-2']);
  expect((await world.record(orderId('two'))).failureCount).toBe(2);
  expect(nudges.map(({ orderId: id }) => id)).toContain('two');
});

test('an agent has one breaker and one reply channel for the life of its process', async () => {
  const world = roleScenario();
  const replies = collecting<Reply>();
  const asked: string[] = [];
  let calls = 0;
  const own = freeBreaker(() => {
    calls += 1;
  });
  const runner = assembleAgent(
    { contract, perform: async () => ({ plate: 'soup' }), async undo() {} },
    {
      breakerFor(agent) {
        asked.push(`breaker of ${agent}`);
        return own;
      },
      repliesOf(agent) {
        asked.push(`replies of ${agent.contract.name}`);
        return replies.channel;
      },
      clock: world.clock,
      random: systemRandom,
      log: world.log,
    },
  );
  const { scheduling, requests } = portsIn(world);
  const { orderId: id } = await world.create('one');
  await assembleScheduler(scheduling).onNudges([nudge(id)]);
  for (const request of requests) await runner.handle({ ...request, input: { dish: 'soup' } });
  expect(calls).toBe(2);
  expect(replies.sent.map(({ result }) => result.kind)).toEqual(['succeeded', 'succeeded']);
  expect(asked).toEqual(['breaker of cook', 'replies of cook']);
});

test('a notifier keeps what it cannot deliver', async () => {
  const world = roleScenario();
  const kept: string[] = [];
  const role = assembleNotifier({
    publisher: { publish: () => Promise.reject(new Error('down')) },
    retries: {
      async send(notifications) {
        kept.push(...notifications.map(({ change }) => change.orderId));
      },
    },
    log: world.log,
  });
  const { orderId: id, workflow, workflowVersion, ...rest } = await world.create('one');
  const change = {
    orderId: id,
    workflow,
    workflowVersion,
    sequence: rest.revision,
    previousState: null,
    processState: rest.processState,
    direction: rest.direction,
    fault: null,
    tried: null,
    priority: rest.priority,
    tenant: null,
    replyTo: 'shop',
    correlationId: null,
    at: rest.updatedAt,
  };
  expect(await role.onChanges([change])).toBe(1);
  expect(kept).toEqual(['one']);
});

/** Three live orders of a former process, and a process that interrupts them one by one. */
test.each([
  ['counts a late call as a failure', null, 'expired'],
  ['leaves a late call alone whose reply may wait', 20 * second, 'claim'],
])('a tick of a sweep %s', async (_, delayMs, last) => {
  const world = roleScenario();
  const { nudging } = portsIn(world);
  const tickOfInvocation = assembleSweeps({
    ...nudging,
    coordination: memoryCoordination(),
    sweepPeriodMs: second,
    leaseMs: 5 * second,
    holder: () => 'tick',
    handOver: async () => {},
    replyDelays: {
      read: async () => (delayMs === null ? null : { ms: delayMs, at: world.clock.now() }),
    },
  });
  await world.createClaimed('one');
  world.clock.jump(12 * second);
  await tickOfInvocation().tick();
  expect((await typesOf(world, 'one')).at(-1)).toBe(last);
});

async function restartedProcess(world: RoleScenario) {
  for (const id of ['a', 'b', 'c']) await world.createClaimed(id);
  const { scheduling, nudges } = portsIn(world);
  const roles = assembleProcess({
    ...scheduling,
    watchRecords: () => () => {},
    sweepPeriodMs: second,
    sliceMax: 1,
  });
  onTestFinished(roles.restart.stop);
  return { roles, nudges };
}

const typesOf = async (world: RoleScenario, id: string) =>
  (await world.record(orderId(id))).history.map(({ type }) => type);

test('a process interrupts the orders of the former one before any change, and then sweeps', async () => {
  const world = roleScenario();
  const { roles } = await restartedProcess(world);
  const { left, sweeps } = await roles.start();
  onTestFinished(sweeps.stop);
  expect(left).toEqual(['a', 'b', 'c']);
  expect(roles.restart.isDone()).toBe(false);
  const claimed = roles.scheduler.onNudges([nudge(orderId('c'))]);
  const cancelled = roles.operator.cancel(orderId('b'), 'otto');
  await Promise.all([claimed, cancelled, roles.restart.done]);
  expect(await typesOf(world, 'c')).toEqual(['submit', 'claim', 'interrupted', 'claim']);
  expect(await typesOf(world, 'b')).toEqual(['submit', 'claim', 'interrupted', 'cancel']);
  const startedAt = world.clock.now();
  expect(sweeps.lastSweepAt()).toBe(startedAt);
  await world.clock.advance(second);
  await settled();
  expect(sweeps.lastSweepAt()).toBe(startedAt + second);
});

test('a sweep of the process does not see orders that are not interrupted yet', async () => {
  const world = roleScenario();
  const { roles } = await restartedProcess(world);
  world.clock.jump(12 * second);
  const { sweeps } = await roles.start();
  onTestFinished(sweeps.stop);
  const { found } = await roles.supervisor.sweep(new Map());
  expect(found).toBe(0);
  await roles.restart.done;
  for (const id of ['a', 'b', 'c']) expect((await world.record(orderId(id))).failureCount).toBe(0);
});

test('an order that is submitted to the process is accepted', async () => {
  const world = roleScenario();
  const { roles, nudges } = await restartedProcess(world);
  const outcome = await roles.submission.submit(
    {
      workflow: 'house',
      details: { colour: 'blue' },
      priority: 'high',
      tenant: null,
      replyTo: null,
      correlationId: null,
      key: null,
    },
    'ada',
  );
  expect(outcome).toMatchObject({ kind: 'accepted' });
  expect(nudges.map(({ priority }) => priority)).toEqual(['high']);
});
