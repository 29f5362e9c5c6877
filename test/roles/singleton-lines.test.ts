/** What a submission reads of a long line, and what it finds in one whose orders have ended without leaving it (R29). */
import { expect, test, vi } from 'vitest';
import { CorruptDataError } from '#core/model/errors.ts';
import { lineName, type OrderId, orderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { search } from '#roles/search.ts';
import { idOf, type SingletonWorld, singletonWorld } from '../support/singleton-world.ts';

/** How many records, and how many lines, are read. */
function countedReads({ store }: SingletonWorld) {
  const records = vi.spyOn(store, 'records');
  const line = vi.spyOn(store, 'line');
  return () => ({
    records: records.mock.calls.reduce((sum, [ids]) => sum + ids.length, 0),
    lines: line.mock.calls.length,
  });
}

const lineOf = async (world: SingletonWorld, id: OrderId) =>
  (await world.record(id)).turn?.line ?? lineName('');

/** Puts orders that are not stored before those of the line, as if they had ended without leaving it. */
async function endedBefore(world: SingletonWorld, id: OrderId, count: number): Promise<void> {
  const name = await lineOf(world, id);
  const before = await world.store.line(name);
  const gone = Array.from({ length: count }, (_, at) => orderId(`gone-${at}`));
  await world.store.changeLine({ name, before, after: [...gone, ...before] });
}

test.each(['wait', 'replace'] as const)(
  '%s: a submission to a long line reads the line, and the record of no order',
  async (rule) => {
    const world = singletonWorld(rule);
    for (let at = 0; at < limits.lineMax / 2; at += 1) await world.submit('a');
    const reads = countedReads(world);
    const one = idOf(await world.submit('a'));
    expect(reads()).toEqual({ records: 0, lines: 1 });
    expect((await world.record(one)).turn).toHaveProperty('behind');
  },
);

test('wait: a submission to a line that is full reads each of its orders once', async () => {
  const world = singletonWorld('wait');
  const one = idOf(await world.submit('a'));
  await endedBefore(world, one, limits.lineMax - 1);
  const reads = countedReads(world);
  const two = idOf(await world.submit('a'));
  expect(reads()).toEqual({ records: limits.lineMax, lines: 1 });
  expect(await world.store.line(await lineOf(world, one))).toEqual([one, two]);
});

test('wait: an order of a full line that cannot be read is not known to have ended, and stays in it', async () => {
  const world = singletonWorld('wait');
  const one = idOf(await world.submit('a'));
  await endedBefore(world, one, limits.lineMax - 1);
  const { records } = world.store;
  vi.spyOn(world.store, 'records').mockImplementation((ids) =>
    ids.includes(orderId('gone-7'))
      ? Promise.reject(new CorruptDataError('row-damaged', 'gone-7'))
      : records(ids),
  );
  const two = idOf(await world.submit('a'));
  expect(await world.store.line(await lineOf(world, one))).toEqual([orderId('gone-7'), one, two]);
});

test.each(['wait', 'replace'] as const)(
  '%s: an order that was deleted, and is submitted again, does not take its old place in the line',
  async (rule) => {
    const key = 'again';
    const again = idOf(await singletonWorld(rule).submit('a', { key }));
    const world = singletonWorld(rule);
    const two = idOf(await world.submit('a'));
    const name = await lineOf(world, two);
    await world.store.changeLine({ name, before: [two], after: [again, two] });
    expect(idOf(await world.submit('a', { key }))).toBe(again);
    expect((await world.record(again)).turn).toMatchObject({ behind: two });
    expect(await world.store.line(name)).toEqual([two, again]);
  },
);

test('wait: of many submissions at once, each is in the line once', async () => {
  const world = singletonWorld('wait');
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => world.submit('a')));
  const ids = outcomes.map(idOf);
  const line = await world.store.line(await lineOf(world, idOf(await world.submit('a'))));
  expect(line.slice(0, -1).toSorted()).toEqual(ids.toSorted());
});

test('skip: an order that has ended, and is still in its line, is no answer', async () => {
  const world = singletonWorld('skip');
  const one = idOf(await world.submit('a'));
  await world.settle();
  const name = await lineOf(world, one);
  await world.store.changeLine({ name, before: [], after: [one] });
  const next = await world.submit('a');
  expect(next).not.toHaveProperty('skipped');
  expect(await world.store.line(name)).toEqual([idOf(next)]);
});

test('skip: of a long line, whose workflow had another rule before, the first live order is the answer', async () => {
  const world = singletonWorld('skip');
  const one = idOf(await world.submit('a'));
  await endedBefore(world, one, limits.lineMax - 1);
  expect(await world.submit('a')).toMatchObject({ orderId: one, skipped: true });
});

test('replace: orders that have ended, and are still in the line, keep none waiting', async () => {
  const world = singletonWorld('replace');
  const one = idOf(await world.submit('a'));
  await endedBefore(world, one, 3);
  const two = idOf(await world.submit('a'));
  await world.cancel(one);
  await world.settle();
  expect(await world.record(one)).toMatchObject({ processState: 'Undone' });
  expect(await world.record(two)).toMatchObject({ processState: 'Processed' });
  expect(await world.store.line(await lineOf(world, two))).toEqual([]);
});

test('an order whose turn has not come is found among those that are held, and not by the agent of its step', async () => {
  const world = singletonWorld('wait');
  await world.submit('a');
  const two = idOf(await world.submit('a'));
  await world.deliverNudge(1);
  const query = { processState: null, limit: 10, cursor: null };
  const held = await search(world.store, query, { held: true });
  expect(held.items.map((record) => record.orderId)).toEqual([two]);
  const ofAgent = await search(world.store, query, { agent: 'packing' });
  expect(ofAgent.items).toEqual([]);
});
