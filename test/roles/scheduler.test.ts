import { expect, test } from 'vitest';
import * as z from 'zod';
import { submitted } from '#core/decide/submit.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { agentName, orderId, schedulerId, stepName, writeId } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { Reply, ReplyResult } from '#core/model/message.ts';
import { scheduler, type Tried } from '#roles/scheduler.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const paint = agentName('paint');

const schedule = ({ transitions, clock, log }: RoleScenario) =>
  scheduler({ id: schedulerId('scheduler'), transitions, clock, log });

function reply(id: string, step: string, result: ReplyResult, attempt = 1): Reply {
  return { orderId: orderId(id), step: stepName(step), attempt, action: 'perform', result };
}
const good: ReplyResult = { kind: 'succeeded', output: { litres: 3 } };

test('a nudge claims the order and sends requests for all ready steps', async () => {
  const world = roleScenario();
  const { orderId: id } = await world.create('one');
  const deliveries = await schedule(world).onNudges([{ orderId: id, priority: 'normal' }]);
  expect(deliveries).toEqual([{ kind: 'done' }]);
  expect(await world.record(id)).toMatchObject({
    processState: 'Processing',
    lockedBy: 'scheduler',
  });
  expect(world.requests().map(({ step }) => step)).toEqual(['east', 'west']);
});

test('after a reply, held steps that another Scheduler started are overtaken, and those whose gate is still closed are still held', async () => {
  const { create, clock, log } = roleScenario();
  const record = await create('one');
  const [started, held] = [orderId('started'), orderId('held')];
  const told: Tried[] = [];
  const role = scheduler({
    ...{ id: schedulerId('scheduler'), clock, log },
    transitions: {
      apply: async (batch) =>
        batch.map(({ orderId: of }) => ({
          ...{ kind: 'ignored', record },
          reason: of === held ? 'still-held' : 'not-pending',
        })),
    },
    heldSteps: {
      observe() {},
      applied: async () => new Set(),
      next: async () => [started, held],
      async more(_, tried) {
        told.push(tried);
        return [];
      },
      settled: async () => {},
    },
  });
  await role.onReplies(paint, [reply('one', 'east', good)]);
  const asked = [started, held];
  expect(told).toEqual([{ asked, overtaken: [started], stillHeld: [held], isLast: false }]);
});

test('a nudge for the end of a hold that comes before it, by the clock of its receiver, is delivered again', async () => {
  const { create, clock, log } = roleScenario();
  const notBefore = clock.now() + 1_000;
  const record = { ...(await create('one')), notBefore };
  const role = scheduler({
    ...{ id: schedulerId('scheduler'), clock, log },
    transitions: {
      apply: async (batch) => batch.map(() => ({ kind: 'ignored', record, reason: 'still-held' })),
    },
  });
  const nudge = { orderId: record.orderId, priority: 'normal' } as const;
  expect(await role.onNudges([{ ...nudge, at: notBefore }])).toEqual([{ kind: 'retry' }]);
  // That of a sweep has another instant.
  expect(await role.onNudges([{ ...nudge, at: notBefore - 500 }])).toEqual([{ kind: 'done' }]);
});

test('a reply that is unfinished is delivered again, and those beside it are not', async () => {
  const { createClaimed, record: recordOf, clock, log, transitions } = roleScenario();
  await createClaimed('one');
  const heartbeat: Reply = { ...reply('one', 'east', good), result: { kind: 'heartbeat' } };
  const role = scheduler({
    ...{ id: schedulerId('scheduler'), clock, log, transitions },
    heldSteps: {
      observe() {},
      applied: async (replies, records) => {
        expect(records.at(-1)).toEqual(await recordOf(orderId('one')));
        return new Set([...replies.slice(0, 1), ...replies.slice(2)]);
      },
      next: async () => [],
      more: async () => [],
      settled: async () => {},
    },
  });
  const strange = reply('nobody', 'east', good);
  expect(await role.onReplies(paint, [heartbeat, reply('one', 'west', good), strange])).toEqual([
    { kind: 'retry' },
    { kind: 'done' },
    { kind: 'park', reason: 'unknown-order' },
  ]);
});

test.each([
  ['a nudge that comes before its instant is delivered again', 5_000, 5_000, 'retry'],
  [
    'one that comes far too early is from a wrong clock, and left to the sweep',
    31_000,
    31_000,
    'done',
  ],
  ['one whose order waits for another instant has another nudge', 5_000, 6_000, 'done'],
  ['one without an instant is of no use while its order waits', undefined, 5_000, 'done'],
])('%s', async (_, at, notBefore, expected) => {
  const world = roleScenario();
  const record = await world.create('one');
  const now = world.clock.now();
  const waiting = { ...record, notBefore: now + notBefore, revision: 2, writeId: writeId('w') };
  await world.store.commit(waiting);
  const role = schedule(world);
  const nudge = { orderId: record.orderId, priority: 'normal' } as const;
  const nudged = at === undefined ? nudge : { ...nudge, at: now + at };
  expect(await role.onNudges([nudged])).toEqual([{ kind: expected }]);
  await world.clock.advance(notBefore);
  expect(await role.onNudges([nudged])).toEqual([{ kind: 'done' }]);
  expect((await world.record(record.orderId)).processState).toBe('Processing');
});

test('a second nudge does nothing more', async () => {
  const world = roleScenario();
  const { orderId: id } = await world.create('one');
  const nudge = { orderId: id, priority: 'normal' } as const;
  const deliveries = await schedule(world).onNudges([nudge, nudge]);
  expect(deliveries).toEqual([{ kind: 'done' }, { kind: 'done' }]);
  expect(world.requests()).toHaveLength(2);
});

test('a message for an unknown order is parked with the reason', async () => {
  const world = roleScenario();
  const nudge = { orderId: orderId('nobody'), priority: 'normal' } as const;
  expect(await schedule(world).onNudges([nudge])).toEqual([
    { kind: 'park', reason: 'unknown-order' },
  ]);
});

test('the replies of parallel steps in one batch start the step after both, once', async () => {
  const world = roleScenario();
  await world.createClaimed('one');
  await schedule(world).onReplies(paint, [reply('one', 'east', good), reply('one', 'west', good)]);
  expect(world.requests().map(({ step, attempt }) => [step, attempt])).toEqual([['roof', 1]]);
});

test('a reply from the channel of another agent changes nothing', async () => {
  const world = roleScenario();
  const before = await world.createClaimed('one');
  const replies = [reply('one', 'east', good)];
  expect(await schedule(world).onReplies(agentName('thief'), replies)).toEqual([{ kind: 'done' }]);
  expect(await world.record(before.orderId)).toEqual(before);
});

test('a reply of an attempt that was taken over changes nothing (R6)', async () => {
  const world = roleScenario();
  const before = await world.createClaimed('one');
  await schedule(world).onReplies(paint, [reply('one', 'east', good, 2)]);
  expect(await world.record(before.orderId)).toEqual(before);
});

test.each([
  ['does not fit its schema', 'output-invalid', { litres: 'many' }, /litres/],
  [
    'is too large to keep',
    'output-too-large',
    { litres: 1, note: 'x'.repeat(limits.outputBytesMax) },
    /8192 bytes/,
  ],
])('an output that %s is a fault of the step', async (_, code, output, message) => {
  const world = roleScenario();
  const { orderId: id } = await world.createClaimed('one');
  await schedule(world).onReplies(paint, [reply('one', 'east', { kind: 'succeeded', output })]);
  const record = await world.record(id);
  expect(record.direction).toBe('undo');
  expect(record.fault).toMatchObject({ code, effect: 'possible', step: 'east' });
  expect(record.fault?.message).toMatch(message);
});

test('an output whose schema throws is a fault of the step, and the error is not quoted', async () => {
  const output = z.string().refine((address) => new URL(address).host !== '');
  const agent = defineAgent({ name: 'paint', input: z.any(), output, undo: 'unneeded' });
  const flow = defineWorkflow({ name: 'flow', version: 1, details: z.any() })
    .step('east', { agent, input: () => 1 })
    .build();
  const world = roleScenario(undefined, [flow]);
  const id = orderId('one');
  const from = { orderId: id, tenant: null, replyTo: null, correlationId: null } as const;
  const submit = { type: 'submit', by: 'ada', priority: 'normal', ...from } as const;
  const { record } = submitted(submit, flow, world.clock.now(), writeId('w'));
  const order = { orderId: id, details: {}, digest: '', submittedAt: world.clock.now() };
  await world.store.create(order, record);
  await schedule(world).onNudges([{ orderId: id, priority: 'normal' }]);
  const replies = [reply('one', 'east', { kind: 'succeeded', output: 'secret' })];
  expect(await schedule(world).onReplies(paint, replies)).toEqual([{ kind: 'done' }]);
  const { fault } = await world.record(id);
  const message = "The agent's output cannot be checked: its schema threw TypeError.";
  expect(fault).toMatchObject({ code: 'output-invalid', message, effect: 'possible' });
  expect(JSON.stringify(world.log.lines)).not.toContain('secret');
});

const refusal = { code: 'no-paint', message: 'No blue is left.', effect: 'none' } as const;
const refused: ReplyResult = { kind: 'failed', fault: refusal };

/** East is painted and west was refused, so that east is being undone. */
async function undoing() {
  const world = roleScenario();
  const { orderId: id } = await world.createClaimed('one');
  const own = schedule(world);
  const replies = [reply('one', 'east', good), reply('one', 'west', refused)];
  expect(await own.onReplies(paint, replies)).toEqual([{ kind: 'done' }, { kind: 'done' }]);
  const attempt = world.requests().at(-1)?.attempt;
  const onUndo = (result: ReplyResult) =>
    own.onReplies(paint, [{ ...reply('one', 'east', result, attempt), action: 'undo' }]);
  return { world, id, onUndo };
}

test('after a fault the order is undone: it has the fault of the agent, and undo is requested', async () => {
  const { world, id } = await undoing();
  const { direction, fault } = await world.record(id);
  expect(direction).toBe('undo');
  expect(fault).toEqual({ ...refusal, step: 'west', action: 'perform' });
  expect(world.requests().map(({ step, action }) => [step, action])).toEqual([['east', 'undo']]);
});

test('the last undo ends the order', async () => {
  const { world, id, onUndo } = await undoing();
  await onUndo({ kind: 'succeeded', output: null });
  expect(await world.record(id)).toMatchObject({ processState: 'Undone' });
});

test('a refused undo stops the order for an operator', async () => {
  const { world, id, onUndo } = await undoing();
  await onUndo(refused);
  const fault = { code: 'undo-stuck', step: 'east', action: 'undo' };
  expect(await world.record(id)).toMatchObject({ processState: 'Error', fault });
});

const thatch = agentName('thatch');
const promising = { input: z.null(), undo: 'offered' } as const;
const times = { completeWithin: 10_000, maxDuration: 60_000, input: () => null };
/** Two steps of two agents with different output schemas. */
const cottage = defineWorkflow({ name: 'cottage', version: 1, details: z.null() })
  .step('east', {
    ...times,
    agent: defineAgent({ ...promising, name: 'paint', output: z.object({ litres: z.number() }) }),
  })
  .step('roof', {
    ...times,
    agent: defineAgent({ ...promising, name: 'thatch', output: z.object({ straws: z.number() }) }),
  })
  .build();

/** A cottage of which both steps run. */
async function begun() {
  const world = roleScenario(undefined, [cottage]);
  const id = orderId('one');
  const at = world.clock.now();
  const of = { orderId: id, priority: 'normal', tenant: null, replyTo: null } as const;
  const event = { type: 'submit', by: 'ada', ...of, correlationId: null } as const;
  const { record } = submitted(event, cottage, at, writeId('one.1'));
  await world.store.create({ orderId: id, details: null, digest: 'one', submittedAt: at }, record);
  const own = schedule(world);
  await own.onNudges([{ orderId: id, priority: 'normal' }]);
  return { world, id, own };
}

test('a heartbeat extends complete-by', async () => {
  const { world, id, own } = await begun();
  world.clock.jump(6_000);
  const beats = [
    own.onReplies(paint, [reply('one', 'east', { kind: 'heartbeat' })]),
    own.onReplies(thatch, [reply('one', 'roof', { kind: 'heartbeat' })]),
  ];
  expect((await Promise.all(beats)).flat()).toEqual([{ kind: 'done' }, { kind: 'done' }]);
  const { completeBy, history } = await world.record(id);
  expect(completeBy).toBe(world.clock.now() + 10_000);
  expect(history.slice(-2).map(({ type }) => type)).toEqual(['heartbeat', 'heartbeat']);
});

test.each([
  ['east', paint, { litres: 3 }, 'Completed'],
  ['east', paint, { straws: 3 }, 'Failed'],
  ['roof', thatch, { litres: 3 }, 'Failed'],
  ['roof', thatch, { straws: 3 }, 'Completed'],
] as const)(
  'an output is checked against the schema of its own step (%s %s, %o)',
  async (...row) => {
    const [step, agent, output, state] = row;
    const { world, id, own } = await begun();
    await own.onReplies(agent, [reply('one', step, { kind: 'succeeded', output })]);
    const { steps } = await world.record(id);
    expect(steps.find(({ name }) => name === step)?.progress.state).toBe(state);
  },
);

test('an order of a workflow that this Scheduler does not know is parked (R14)', async () => {
  const world = roleScenario(undefined, []);
  const { orderId: id } = await world.create('one');
  await schedule(world).onNudges([{ orderId: id, priority: 'normal' }]);
  const record = await world.record(id);
  expect(record).toMatchObject({ processState: 'Error', fault: { code: 'workflow-unknown' } });
});

test('a message whose write failed is delivered again, and the log says so', async () => {
  const world = roleScenario((store) => ({
    ...store,
    commit: async () => {
      throw new Error('no disk');
    },
  }));
  const { orderId: id } = await world.create('one');
  expect(await schedule(world).onNudges([{ orderId: id, priority: 'normal' }])).toEqual([
    { kind: 'retry' },
  ]);
  expect(world.log.lines.map(({ event }) => event)).toEqual(['message-failed']);
});

test('an output is checked also when its workflow is unknown, because it must be readable once stored', async () => {
  const world = roleScenario();
  const { orderId: id } = await world.createClaimed('one');
  const old = schedule({ ...world, transitions: world.another(workflowRegistry([])) });
  let output: JsonValue = 'the bottom';
  for (let depth = 0; depth <= limits.jsonDepthMax; depth += 1) output = [output];
  await old.onReplies(paint, [reply('one', 'east', { kind: 'succeeded', output })]);
  const [east] = (await world.record(id)).steps;
  expect(east?.progress).toMatchObject({ state: 'Failed', fault: { code: 'output-invalid' } });
});
