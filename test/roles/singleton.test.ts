/** Orders with a singleton key: submissions that wait, are skipped, or replace (R29). */
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { lineName, orderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { replay } from '#core/view/replay.ts';
import { assembleSubmission } from '#roles/assemble.ts';
import { sha256, systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { cartWorkflow, idOf, singletonWorld } from '../support/singleton-world.ts';
import { roleScenario } from './scenario.ts';

const paint = defineAgent({
  name: 'paint',
  input: z.object({ colour: z.string() }),
  output: z.object({ litres: z.number() }),
  undo: 'offered',
});

const declined = {
  kind: 'failed',
  fault: { code: 'declined', message: 'No.', effect: 'none' },
} as const;

test('wait: the second order begins when the first has ended, and the third after it', async () => {
  const world = singletonWorld('wait');
  const [one, two, three] = [
    idOf(await world.submit('a')),
    idOf(await world.submit('a')),
    idOf(await world.submit('a')),
  ];
  // The last one is nudged first.
  for (const at of [2, 1, 0]) await world.deliverNudge(at);
  expect(world.requests.map(({ orderId }) => orderId)).toEqual([one]);
  expect(await world.record(three)).toMatchObject({
    processState: 'Pending',
    failureCount: 0,
    isHeld: true,
    turn: { behind: two },
    steps: [{ attempt: 0, progress: { state: 'Held', gate: 'turn' } }, {}],
  });
  await world.answer();
  await world.answer();
  expect(await world.record(one)).toMatchObject({ processState: 'Processed' });
  expect(world.nudges.map(({ orderId }) => orderId)).toEqual([two]);
  await world.deliverNudge();
  expect(world.requests.map(({ orderId }) => orderId)).toEqual([two]);
  await world.settle();
  for (const id of [two, three]) {
    expect(await world.record(id)).toMatchObject({ processState: 'Processed', failureCount: 0 });
  }
  expect(await world.store.line((await world.record(one)).turn?.line ?? lineName(''))).toEqual([]);
});

test('wait: an order that is asked again while it waits writes nothing (R23)', async () => {
  const world = singletonWorld('wait');
  await world.submit('a');
  const two = idOf(await world.submit('a'));
  await world.deliverNudge();
  await world.deliverNudge();
  const held = await world.record(two);
  world.nudges.push({ orderId: two, priority: 'normal' });
  await world.deliverNudge();
  expect(await world.record(two)).toEqual(held);
});

test('wait: an order whose calls are not answered keeps its place for as long as it is live', async () => {
  const world = singletonWorld('wait');
  const one = idOf(await world.submit('a'));
  const two = idOf(await world.submit('a'));
  await world.deliverNudge();
  await world.deliverNudge();
  for (let round = 0; round < 40; round += 1) {
    await world.clock.advance(60_000);
    await world.sweep();
    if ((await world.record(one)).processState === 'Error') break;
    world.requests.length = 0;
    while (world.nudges.length > 0) await world.deliverNudge();
  }
  // Its undo is not answered either. In each of its states, the second one has not begun.
  expect((await world.record(two)).steps[0]?.attempt).toBe(0);
});

test('wait: one that is cancelled while it waits ends at once, and lets no other pass the first', async () => {
  const world = singletonWorld('wait');
  const one = idOf(await world.submit('a'));
  const two = idOf(await world.submit('a'));
  const three = idOf(await world.submit('a'));
  for (let at = 0; at < 3; at += 1) await world.deliverNudge();
  await world.cancel(two);
  while (world.nudges.length > 0) await world.deliverNudge();
  expect(await world.record(two)).toMatchObject({ processState: 'Undone' });
  expect((await world.record(three)).steps[0]?.attempt).toBe(0);
  await world.settle();
  expect(await world.record(one)).toMatchObject({ processState: 'Processed' });
  expect(await world.record(three)).toMatchObject({ processState: 'Processed' });
});

test('the wait for other orders is not bounded by holdMax, and the wait for the agent begins after it', async () => {
  const world = singletonWorld('wait');
  await world.submit('a');
  const two = idOf(await world.submit('a'));
  await world.deliverNudge();
  await world.deliverNudge();
  // Two days, twice the usual holdMax.
  for (let asked = 0; asked < 192; asked += 1) {
    await world.clock.advance(limits.holdLookMaxMs);
    world.nudges.length = 0;
    world.nudges.push({ orderId: two, priority: 'normal' });
    await world.deliverNudge();
  }
  expect(await world.record(two)).toMatchObject({ failureCount: 0, direction: 'forward' });
});

test('a wait of a week counts as a failed round, as every hold that lasts too long (R23)', async () => {
  const world = singletonWorld('wait');
  await world.submit('a');
  const two = idOf(await world.submit('a'));
  await world.deliverNudge();
  await world.deliverNudge();
  for (let passed = 0; passed <= limits.turnMaxMs; passed += limits.holdLookMaxMs) {
    await world.clock.advance(limits.holdLookMaxMs);
    world.nudges.length = 0;
    world.nudges.push({ orderId: two, priority: 'normal' });
    await world.deliverNudge();
  }
  await world.sweep();
  while (world.nudges.length > 0) await world.deliverNudge();
  expect(await world.record(two)).toMatchObject({
    processState: 'Undone',
    fault: { message: expect.stringContaining('an earlier order of its singleton key') },
  });
});

test('the history of an order that waited replays (R15)', async () => {
  const world = singletonWorld('wait');
  await world.submit('a');
  const two = idOf(await world.submit('a'));
  await world.deliverNudge();
  await world.deliverNudge();
  await world.settle();
  const record = await world.record(two);
  const known = { definition: cartWorkflow('wait'), details: { cart: 'a' } };
  expect(replay(record, known).at(-1)).toEqual(record);
});

test('skip: a submission is answered with the order that is there, and stores nothing', async () => {
  const world = singletonWorld('skip');
  const one = idOf(await world.submit('a'));
  const again = await world.submit('a');
  expect(again).toEqual({
    kind: 'accepted',
    orderId: one,
    processState: 'Pending',
    skipped: true,
  });
  expect(world.nudges).toHaveLength(1);
  const { items } = await world.store.list({ processState: null, limit: 10, cursor: null });
  expect(items).toHaveLength(1);
  await world.settle();
  const next = await world.submit('a');
  expect(next).not.toHaveProperty('skipped');
  expect(idOf(next)).not.toBe(one);
});

test('skip: of many at once one is stored, and the others are answered with it', async () => {
  const world = singletonWorld('skip');
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => world.submit('a')));
  expect(new Set(outcomes.map(idOf)).size).toBe(1);
  expect(outcomes.filter((outcome) => 'skipped' in outcome)).toHaveLength(19);
});

test('skip: an order in Error has not ended', async () => {
  const world = singletonWorld('skip');
  const one = idOf(await world.submit('a'));
  await world.deliverNudge();
  await world.answer();
  await world.answer(0, declined);
  // The undo of the first step is refused.
  while (world.nudges.length > 0) await world.deliverNudge();
  await world.answer(0, declined);
  expect(await world.record(one)).toMatchObject({ processState: 'Error' });
  expect(await world.submit('a')).toMatchObject({ orderId: one, processState: 'Error' });
});

test('replace: the earlier order is undone, and the new one begins when it has ended', async () => {
  const world = singletonWorld('replace');
  const one = idOf(await world.submit('a'));
  await world.deliverNudge();
  await world.answer();
  const two = idOf(await world.submit('a'));
  await world.deliverNudge();
  expect(await world.record(one)).toMatchObject({
    direction: 'undo',
    fault: { code: 'cancelled', message: `Cancelled by order ${two}.` },
  });
  expect((await world.record(two)).steps[0]?.attempt).toBe(0);
  await world.settle();
  expect(await world.record(one)).toMatchObject({ processState: 'Undone' });
  expect(await world.record(two)).toMatchObject({ processState: 'Processed' });
});

test('replace: of three, the last one is processed', async () => {
  const world = singletonWorld('replace');
  const ids = [
    idOf(await world.submit('a')),
    idOf(await world.submit('a')),
    idOf(await world.submit('a')),
  ];
  await world.settle();
  const states = await Promise.all(ids.map(async (id) => (await world.record(id)).processState));
  expect(states).toEqual(['Undone', 'Undone', 'Processed']);
});

test('other keys, other tenants and orders without a key do not wait', async () => {
  const world = singletonWorld('wait');
  for (const cart of ['a', 'b', null, null]) await world.submit(cart);
  await world.submit('a', { tenant: 'acme' });
  while (world.nudges.length > 0) await world.deliverNudge();
  expect(world.requests).toHaveLength(5);
});

test('an order without a key has no place in a line', async () => {
  const world = singletonWorld('wait');
  expect(await world.record(idOf(await world.submit(null)))).not.toHaveProperty('turn');
});

test('an idempotency key names one order, before any singleton (R2)', async () => {
  const world = singletonWorld('skip');
  const one = idOf(await world.submit('a', { key: 'k' }));
  expect(await world.submit('a', { key: 'k' })).toMatchObject({ orderId: one });
  expect(await world.submit('a', { key: 'k' })).not.toHaveProperty('skipped');
  await world.settle();
  const two = idOf(await world.submit('a', { key: 'other' }));
  expect(two).not.toBe(one);
  expect(await world.submit('a', { key: 'k' })).toMatchObject({
    orderId: one,
    processState: 'Processed',
  });
  expect(await world.submit('b', { key: 'k' })).toMatchObject({ code: 'key-reused' });
});

test('skip: what another submission of its idempotency key stored meanwhile is the answer (R2)', async () => {
  const world = singletonWorld('skip');
  const { line } = world.store;
  let one = '';
  // Between the two, that order has come and gone, and another one has come.
  vi.spyOn(world.store, 'line').mockImplementationOnce(async (name) => {
    one = idOf(await world.submit('a', { key: 'k' }));
    await world.settle();
    await world.submit('a', { key: 'other' });
    return line(name);
  });
  const outcome = await world.submit('a', { key: 'k' });
  expect(outcome).toEqual({
    ...{ kind: 'accepted', orderId: one, processState: 'Processed' },
    isRepeated: true,
  });
});

test('a key whose line is full is refused, stores nothing, and is accepted later (R28)', async () => {
  const world = singletonWorld('wait');
  for (let at = 0; at < limits.lineMax; at += 1) await world.submit('a');
  const refused = { kind: 'overloaded', code: 'singleton-full', retryAfterMs: 30_000 };
  expect(await world.submit('a')).toEqual(refused);
  expect(world.nudges).toHaveLength(limits.lineMax);
  expect(await world.submit('b')).toMatchObject({ kind: 'accepted' });
  await world.deliverNudge();
  await world.answer();
  await world.answer();
  expect(await world.submit('a')).toMatchObject({ kind: 'accepted' });
});

test('orders that have ended, and left no trace, do not fill a line', async () => {
  const world = singletonWorld('wait');
  const one = idOf(await world.submit('a'));
  const { turn } = await world.record(one);
  const gone = Array.from({ length: limits.lineMax - 1 }, (_, at) => orderId(`gone-${at}`));
  const name = turn?.line ?? lineName('');
  await world.store.changeLine({ name, before: [one], after: [...gone, one] });
  const two = idOf(await world.submit('a'));
  expect(await world.store.line(name)).toEqual([one, two]);
});

const uncoloured = Object.assign(new RangeError('secret is no colour'), { code: 'colour-unknown' });

test.each([
  ['throws', () => JSON.parse('{'), { error: 'SyntaxError', code: null }],
  [
    'throws an error with a code',
    () => {
      throw uncoloured;
    },
    { error: 'RangeError', code: 'colour-unknown' },
  ],
  ['returns a number', () => JSON.parse('7'), { error: 'TypeError', code: null }],
  ['returns undefined', () => undefined, { error: 'TypeError', code: null }],
])('a key function that %s is an answer, and stores nothing', async (_, key, why) => {
  const world = roleScenario(undefined, [
    defineWorkflow({
      name: 'odd',
      version: 1,
      details: z.object({ colour: z.string() }),
      singleton: { key: () => JSON.parse(JSON.stringify(key()) ?? '[]'), else: 'skip' },
    })
      .step('paint', { agent: paint, input: ({ details }) => details })
      .build(),
  ]);
  const { store, clock, log, registry } = world;
  const role = assembleSubmission({
    ...{ store, clock, log, registry, digest: sha256, responseChannels: [] },
    ids: systemIds(clock, 'front'),
    random: systemRandom,
    nudges: { async send() {} },
  });
  const request = {
    workflow: 'odd',
    details: { colour: 'secret' },
    priority: 'normal',
    tenant: null,
    replyTo: null,
    correlationId: null,
    key: 'k',
  } as const;
  expect(await role.submit(request, 'ada')).toEqual({
    kind: 'refused',
    code: 'singleton-key-failed',
    errors: [{ field: 'details', message: expect.stringContaining('workflow odd throws') }],
  });
  const { items } = await store.list({ processState: null, limit: 10, cursor: null });
  expect(items).toEqual([]);
  expect(log.lines).toMatchObject([
    { event: 'singleton-key-failed', fields: { workflow: 'odd', ...why } },
  ]);
  expect(JSON.stringify(log.lines)).not.toContain('secret');
});
