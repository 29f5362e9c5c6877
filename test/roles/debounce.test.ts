/** Orders with a singleton key of which the last one is processed, once no further one was submitted for a while (R29). */
import { expect, test, vi } from 'vitest';
import { singletonBreaches } from '#checkers/singleton-checker.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import { lineName, type OrderId, orderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { replay } from '#core/view/replay.ts';
import {
  cartWorkflow,
  debounceTimes,
  idOf,
  type SingletonWorld,
  type StoreFault,
  singletonWorld,
} from '../support/singleton-world.ts';

const { quiet, atMost } = debounceTimes;
const declined = {
  kind: 'failed',
  fault: { code: 'declined', message: 'No.', effect: 'none' },
} as const;

/** A world whose writes are checked. */
function debounced() {
  const breaches: string[] = [];
  const times = { quietMs: quiet, atMostMs: atMost };
  const judge = singletonBreaches(
    (_, message) => breaches.push(message),
    () => times,
  );
  const written: ProcessRecord[] = [];
  const world = singletonWorld('debounce', (record) => {
    written.push(record);
    judge(record);
  });
  return { ...world, breaches, written };
}

const lineOf = async (world: SingletonWorld, id: OrderId) =>
  world.store.line((await world.record(id)).turn?.line ?? lineName(''));

const statesOf = async (world: SingletonWorld, ids: readonly OrderId[]) =>
  Promise.all(ids.map(async (id) => (await world.record(id)).processState));

test('an order begins when no other one was submitted for as long as its workflow says', async () => {
  const world = debounced();
  const start = world.clock.now();
  const one = idOf(await world.submit('a'));
  expect(await world.record(one)).toMatchObject({
    processState: 'Pending',
    notBefore: start + quiet,
    turn: { since: start },
    history: [{ type: 'submit', notBefore: start + quiet }],
  });
  expect(world.nudges).toEqual([]);
  expect(world.delayed).toMatchObject([{ orderId: one, at: start + quiet }]);
  await world.wait(quiet - 1);
  expect(world.requests).toEqual([]);
  await world.wait(1);
  expect(world.requests.map((request) => request.orderId)).toEqual([one]);
  await world.settle();
  expect(await statesOf(world, [one])).toEqual(['Processed']);
});

test('of a burst, the last one is processed, and the others are cancelled by the next one', async () => {
  const world = debounced();
  const ids: OrderId[] = [];
  for (let at = 0; at < 3; at += 1) {
    ids.push(idOf(await world.submit('a')));
    await world.wait(2_000);
  }
  const [one, two, three] = ids;
  expect(await statesOf(world, ids)).toEqual(['Undone', 'Undone', 'Pending']);
  expect(await world.record(one ?? orderId('none'))).toMatchObject({
    fault: { code: 'cancelled', message: `Cancelled by order ${two}.` },
    history: [{ type: 'submit' }, { type: 'cancel', by: `order ${two}` }, { type: 'claim' }],
  });
  // Four seconds after the first one, and five after the last.
  await world.wait(quiet - 2_000);
  expect(world.requests.map((request) => request.orderId)).toEqual([three]);
  await world.settle();
  expect(await statesOf(world, ids)).toEqual(['Undone', 'Undone', 'Processed']);
  expect(world.breaches).toEqual([]);
});

test('however many follow each other, one begins as late as its workflow says after the first of them', async () => {
  const world = debounced();
  const start = world.clock.now();
  const ids: OrderId[] = [];
  while (world.requests.length === 0) {
    ids.push(idOf(await world.submit('a')));
    await world.wait(1_000);
  }
  expect(world.clock.now()).toBe(start + atMost);
  expect(world.requests.map((request) => request.orderId)).toEqual(ids.slice(-1));
  const next = idOf(await world.submit('a'));
  expect((await world.record(next)).turn).toMatchObject({ since: start + atMost });
  expect(world.breaches).toEqual([]);
});

test('an order that has begun is not cancelled: the next one waits until it has ended', async () => {
  const world = debounced();
  const one = idOf(await world.submit('a'));
  await world.wait(quiet);
  const [two, three] = [idOf(await world.submit('a')), idOf(await world.submit('a'))];
  expect(await lineOf(world, three)).toEqual([one, three]);
  expect((await world.record(three)).turn).toMatchObject({ behind: one });
  await world.wait(quiet);
  expect(await world.record(three)).toMatchObject({
    steps: [{ attempt: 0, progress: { state: 'Held', gate: 'turn' } }, {}],
  });
  await world.settle();
  expect(await statesOf(world, [one, two, three])).toEqual(['Processed', 'Undone', 'Processed']);
  expect(world.breaches).toEqual([]);
});

test('an order that waits for its turn may be replaced as well, and the latest begin is that of the first', async () => {
  const world = debounced();
  const one = idOf(await world.submit('a'));
  await world.wait(quiet);
  const two = idOf(await world.submit('a'));
  await world.wait(atMost);
  const { since } = (await world.record(two)).turn ?? {};
  const three = idOf(await world.submit('a'));
  // The latest begin is past: it begins as soon as the first one has ended.
  expect(await world.record(three)).toMatchObject({
    notBefore: world.clock.now(),
    turn: { since, behind: one },
    history: [{ type: 'submit' }],
  });
  expect((await world.record(three)).history[0]).not.toHaveProperty('notBefore');
  await world.settle();
  expect(await statesOf(world, [one, two, three])).toEqual(['Processed', 'Undone', 'Processed']);
  expect(world.breaches).toEqual([]);
});

test('an order in Error that has begun is not replaced, and keeps the next one waiting', async () => {
  const world = debounced();
  const one = idOf(await world.submit('a'));
  await world.wait(quiet);
  await world.answer();
  await world.answer(0, declined);
  while (world.nudges.length > 0) await world.deliverNudge();
  await world.answer(0, declined);
  expect(await statesOf(world, [one])).toEqual(['Error']);
  const two = idOf(await world.submit('a'));
  await world.wait(atMost);
  expect(await statesOf(world, [one, two])).toEqual(['Error', 'Pending']);
  await world.resubmit(one);
  await world.settle();
  expect(await statesOf(world, [one, two])).toEqual(['Undone', 'Processed']);
});

test('an order that an operator cancelled is not replaced, and nothing continues it', async () => {
  const world = debounced();
  const [one, two] = [idOf(await world.submit('a')), idOf(await world.submit('a'))];
  await world.cancel(two);
  await world.wait(1_000);
  const three = idOf(await world.submit('a'));
  expect((await world.record(three)).turn).toEqual({
    line: (await world.record(one)).turn?.line,
    since: world.clock.now(),
  });
  await world.wait(quiet);
  await world.settle();
  expect(await statesOf(world, [one, two, three])).toEqual(['Undone', 'Undone', 'Processed']);
});

test('an order that was replaced is not processed when an operator cancels the one that replaced it', async () => {
  const world = debounced();
  const [one, two] = [idOf(await world.submit('a')), idOf(await world.submit('a'))];
  await world.cancel(two);
  await world.wait(atMost);
  await world.settle();
  expect(await statesOf(world, [one, two])).toEqual(['Undone', 'Undone']);
  expect(world.written.every(({ steps }) => steps.every(({ attempt }) => attempt === 0))).toBe(
    true,
  );
});

test('three thousand submissions of one key are accepted, and their line stays short', async () => {
  const world = debounced();
  const reads = vi.spyOn(world.store, 'records');
  const ids: OrderId[] = [];
  for (let at = 0; at < 3 * limits.lineMax; at += 1) ids.push(idOf(await world.submit('a')));
  const last = ids.at(-1) ?? orderId('none');
  // Nothing was claimed or cancelled by a Scheduler.
  expect(world.nudges).toHaveLength(ids.length - 1);
  expect(await lineOf(world, last)).toEqual([last]);
  expect(reads.mock.calls.every(([asked]) => asked.length === 1)).toBe(true);
  expect(reads.mock.calls.length).toBeLessThanOrEqual(ids.length);
});

test.each(['crash', 'answer-lost'] as const satisfies readonly StoreFault[])(
  'a submission whose write meets a %s has replaced the earlier order, or has not',
  async (fault) => {
    const world = debounced();
    const one = idOf(await world.submit('a'));
    let calls = 0;
    // The line, the record, and the write.
    const faults = () => {
      calls += 1;
      return calls === 3 ? fault : null;
    };
    await expect(world.submit('a', { faults, key: 'k' })).rejects.toThrow();
    expect(await world.record(one)).toMatchObject({ direction: 'undo' });
    const two = idOf(await world.submit('a', { key: 'k' }));
    expect(await lineOf(world, two)).toEqual([two]);
    // The nudge of the order that was replaced was lost: a sweep finds it.
    await world.wait(limits.pickUpGraceMs);
    await world.sweep();
    await world.settle();
    expect(await statesOf(world, [one, two])).toEqual(['Undone', 'Processed']);
    expect(world.breaches).toEqual([]);
  },
);

test('of submissions at the same time, all are orders, and one of them is processed', async () => {
  const world = debounced();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => world.submit('a')));
  const ids = outcomes.map(idOf);
  expect(new Set(ids).size).toBe(20);
  await world.wait(quiet);
  await world.settle();
  const states = await statesOf(world, ids);
  expect(states.filter((state) => state === 'Processed')).toHaveLength(1);
  expect(states.filter((state) => state === 'Undone')).toHaveLength(19);
  expect(world.breaches).toEqual([]);
});

test('an order begins, or is replaced: of a claim and a submission at the same time, one comes first', async () => {
  const world = debounced();
  const one = idOf(await world.submit('a'));
  await world.clock.advance(quiet);
  world.nudges.push(...world.delayed.splice(0));
  const { line } = world.store;
  // It is claimed after the submission has read it.
  vi.spyOn(world.store, 'line').mockImplementationOnce(async (name) => {
    const read = await line(name);
    const { records } = world.store;
    vi.spyOn(world.store, 'records').mockImplementationOnce(async (ids) => {
      const found = await records(ids);
      await world.deliverNudge();
      return found;
    });
    return read;
  });
  const two = idOf(await world.submit('a'));
  expect(await world.record(one)).toMatchObject({
    direction: 'forward',
    processState: 'Processing',
  });
  // The burst of the first one is over.
  expect((await world.record(two)).turn).toMatchObject({ behind: one, since: world.clock.now() });
  await world.wait(quiet);
  await world.settle();
  expect(await statesOf(world, [one, two])).toEqual(['Processed', 'Processed']);
  expect(world.breaches).toEqual([]);
});

test('an order that others came before again and again waits from the instant at which it is stored', async () => {
  const world = debounced();
  const one = idOf(await world.submit('a'));
  vi.spyOn(world.store, 'create').mockImplementationOnce(async () => {
    await world.clock.advance(quiet - 1);
    return 'overtaken';
  });
  const two = idOf(await world.submit('a'));
  const submittedAt = world.clock.now();
  expect(await world.record(two)).toMatchObject({ submittedAt, notBefore: submittedAt + quiet });
  expect((await world.store.orders([two])).get(two)).toMatchObject({ submittedAt });
  expect(await world.record(one)).toMatchObject({ direction: 'undo', updatedAt: submittedAt });
  expect(world.breaches).toEqual([]);
});

test('an idempotency key names one order, also after it was replaced (R2)', async () => {
  const world = debounced();
  const one = idOf(await world.submit('a', { key: 'k' }));
  const two = idOf(await world.submit('a'));
  const revision = (await world.record(two)).revision;
  await world.wait(0);
  expect(await world.submit('a', { key: 'k' })).toEqual({
    kind: 'accepted',
    orderId: one,
    processState: 'Undone',
    isRepeated: true,
  });
  expect((await world.record(two)).revision).toBe(revision);
  expect(await lineOf(world, two)).toEqual([two]);
});

test('a repeated submission asks for the claim at the instant of the stored order (R12)', async () => {
  const world = debounced();
  const one = idOf(await world.submit('a', { key: 'k' }));
  const { notBefore } = await world.record(one);
  world.delayed.length = 0;
  await world.clock.advance(2_000);
  await world.submit('a', { key: 'k' });
  expect(world.delayed).toMatchObject([{ orderId: one, at: notBefore }]);
});

test('an order that cannot be read is not known to have begun: nothing is stored beside it', async () => {
  const world = debounced();
  const one = idOf(await world.submit('a'));
  const unreadable = new CorruptDataError('row-damaged', one);
  vi.spyOn(world.store, 'records').mockRejectedValueOnce(unreadable);
  await expect(world.submit('a')).rejects.toBe(unreadable);
  expect(await lineOf(world, one)).toEqual([one]);
});

test('the last order of a line that has ended, or is not stored, is replaced by nobody and leaves it', async () => {
  const world = debounced();
  const one = idOf(await world.submit('a'));
  await world.wait(quiet);
  await world.settle();
  const name = (await world.record(one)).turn?.line ?? lineName('');
  await world.store.changeLine({ name, before: [], after: [one] });
  const two = idOf(await world.submit('a'));
  expect(await world.store.line(name)).toEqual([two]);
  await world.cancel(two);
  await world.wait(0);
  await world.store.changeLine({ name, before: [], after: [orderId('gone')] });
  const three = idOf(await world.submit('a'));
  expect(await world.store.line(name)).toEqual([three]);
  expect((await world.record(three)).turn).not.toHaveProperty('behind');
});

test('other keys, other tenants and orders without a key replace nothing', async () => {
  const world = debounced();
  const ids: OrderId[] = [];
  for (const cart of ['a', 'b', null, null]) ids.push(idOf(await world.submit(cart)));
  ids.push(idOf(await world.submit('a', { tenant: 'acme' })));
  await world.wait(quiet);
  expect(world.requests).toHaveLength(5);
  await world.settle();
  expect(new Set(await statesOf(world, ids))).toEqual(new Set(['Processed']));
});

test('the histories of the order that was replaced, and of the one that waited, replay (R15)', async () => {
  const world = debounced();
  const one = idOf(await world.submit('a'));
  await world.wait(1_000);
  const two = idOf(await world.submit('a'));
  await world.wait(quiet);
  await world.settle();
  const known = { definition: cartWorkflow('debounce'), details: { cart: 'a' } };
  for (const record of [await world.record(one), await world.record(two)]) {
    expect(replay(record, known).at(-1)).toEqual(record);
    expect(replay(record, known)[0]?.notBefore).toBe(record.submittedAt + quiet);
  }
});

test('a clock that is behind puts no begin before the submission', async () => {
  const world = debounced();
  const start = world.clock.now();
  await world.submit('a');
  vi.spyOn(world.clock, 'now').mockReturnValue(start - 3_600_000);
  const two = idOf(await world.submit('a'));
  expect(await world.record(two)).toMatchObject({
    notBefore: start - 3_600_000 + quiet,
    turn: { since: start - 3_600_000 },
  });
});
