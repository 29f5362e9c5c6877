/** Who of those that wait for an agent is next, by an index that shows one page at a time. */
import { expect, test } from 'vitest';
import { type OrderId, orderId } from '#core/model/ids.ts';
import type { Priority } from '#core/model/record.ts';
import { nextHeld } from '#distributed/next-held.ts';
import type { HeldPlace } from '#ports/held-steps.ts';
import { virtualClock } from '../support/virtual-clock.ts';

interface Waiting {
  readonly orderId: OrderId;
  readonly flow: string;
  readonly queue: string | null;
  readonly priority: Priority;
}

const textOf = ({ flow, queue }: HeldPlace) => `${flow}/${queue ?? ''}`;

/** An index in memory, in the order of the stored one. `served`: how many of each flow were taken. */
function index(weightOf?: (flow: string) => number, isClosed?: (queue: string) => boolean) {
  let waiting: Waiting[] = [];
  /** By class, in the order of their texts; made when it is read. */
  const sorted = new Map<Priority, readonly (Waiting & { readonly text: string })[]>();
  const sortedOf = (priority: Priority) => {
    const own =
      sorted.get(priority) ??
      waiting
        .filter((one) => one.priority === priority)
        .map((one) => ({ ...one, text: textOf(one) }))
        .toSorted((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)));
    sorted.set(priority, own);
    return own;
  };
  let number = 0;
  let reads = 0;
  const served = new Map<string, number>();
  const clock = virtualClock();
  const next = nextHeld({
    clock,
    ...(weightOf !== undefined && { weightOf }),
    ...(isClosed !== undefined && { isClosed }),
    index: {
      async waiting(_agent: string, priority: Priority, limit: number, after: HeldPlace | null) {
        reads += 1;
        const all = sortedOf(priority);
        const end = after === null ? '' : textOf(after);
        const from = all.findIndex(({ text }) => text > end);
        return from < 0 ? [] : all.slice(from, from + limit);
      },
    },
  });
  return {
    served,
    reads: () => reads,
    add(count: number, flow: string, priority: Priority = 'normal', queue: string | null = null) {
      for (let at = 0; at < count; at += 1) {
        number += 1;
        waiting.push({ orderId: orderId(`o${number}`), flow, queue, priority });
      }
      sorted.delete(priority);
    },
    async take(count: number): Promise<readonly OrderId[]> {
      const taken = (await next.of('paint', count)).orders.map((order) => order.orderId);
      for (const id of taken) {
        const one = waiting.find((other) => other.orderId === id);
        const key = `${one?.priority} ${one?.flow}${one?.queue ?? ''}`;
        served.set(key, (served.get(key) ?? 0) + 1);
      }
      const isLeft = (one: Waiting) => !taken.includes(one.orderId);
      waiting = waiting.filter(isLeft);
      for (const [priority, all] of sorted) sorted.set(priority, all.filter(isLeft));
      return taken;
    },
  };
}

test('behind the last place of the index it begins again, so that one answer has those of the first tenants as well', async () => {
  const { add, take, served } = index();
  // Each of the first nine has more than a page, and an answer reads eight pages.
  for (const flow of 'abcdefghi') add(30, flow);
  add(5, 'j');
  await take(1);
  served.clear();
  await take(20);
  expect([...served.keys()].toSorted()).toEqual([...'abcdefij'].map((flow) => `normal ${flow}`));
});

test('nothing waits: nothing is next', async () => {
  expect(await index().take(5)).toEqual([]);
});

test('the orders of one tenant come in the order in which they have waited', async () => {
  const { add, take } = index();
  add(60, '-');
  const taken = [...(await take(3)), ...(await take(30))];
  expect(taken).toEqual(Array.from({ length: 33 }, (_, at) => `o${at + 1}`));
});

test.each([1, 3, 10])('%i at a time, tenants share by their weights', async (count) => {
  const { add, take, served } = index((flow) => (flow === 'inn' ? 4 : 1));
  for (const flow of ['bar', 'inn', 'spa']) add(400, flow);
  let taken = 0;
  while (taken < 300) taken += (await take(Math.min(count, 300 - taken))).length;
  const shares = ['bar', 'inn', 'spa'].map((flow) => served.get(`normal ${flow}`) ?? 0);
  expect(shares.map((share) => Math.round(share / 10))).toEqual([5, 20, 5]);
});

test.each([1, 3, 10])('%i at a time, the classes share as 16, 4 and 1', async (count) => {
  const { add, take, served } = index();
  for (const priority of ['low', 'normal', 'high'] as const) add(2_000, '-', priority);
  let taken = 0;
  while (taken < 420) taken += (await take(Math.min(count, 420 - taken))).length;
  const shares = ['high -', 'normal -', 'low -'].map((key) => served.get(key) ?? 0);
  expect(shares[0]).toBeGreaterThanOrEqual(316);
  expect(shares[1]).toBeGreaterThanOrEqual(76);
  expect(shares[2]).toBeGreaterThanOrEqual(17);
});

test.each([1, 4, 25])(
  '%i at a time, a tenant with ten thousand orders does not hide eight small ones',
  async (count) => {
    const { add, take, served } = index();
    add(10_000, 'd-flood');
    const small = ['a', 'b', 'c', 'e', 'f', 'g', 'h', 'i'];
    for (const flow of small) add(200, flow);
    let taken = 0;
    while (taken < 900) taken += (await take(Math.min(count, 900 - taken))).length;
    const shares = [...small, 'd-flood'].map((flow) => served.get(`normal ${flow}`) ?? 0);
    const sum = shares.reduce((total, share) => total + share, 0);
    const squares = shares.reduce((total, share) => total + share ** 2, 0);
    // Jain's index: 1 when all have the same.
    expect(sum ** 2 / (shares.length * squares)).toBeGreaterThan(0.95);
  },
);

test('one tenant alone costs two reads of its class, and one of each empty one', async () => {
  const { add, take, reads } = index();
  add(1_000, '-');
  await take(10);
  const before = reads();
  await take(10);
  expect(reads() - before).toBe(4);
});

test('an order that was taken is not taken again while the index may still show it', async () => {
  const clock = virtualClock();
  const index = {
    async waiting(_agent: string, priority: Priority) {
      return priority === 'normal' ? [{ orderId: orderId('one'), flow: '-', queue: null }] : [];
    },
  };
  const next = nextHeld({ index, clock });
  expect((await next.of('paint', 1)).orders).toHaveLength(1);
  expect(await next.of('paint', 1)).toEqual({ orders: [], areWaiting: true });
  // It did not start after all.
  await clock.advance(1_000);
  const { orders } = await next.of('paint', 1);
  expect(orders).toHaveLength(1);
  // Its gate is still closed, and it waits as before.
  const asked = orders.map((order) => order.orderId);
  next.tried('paint', { asked, overtaken: [], stillHeld: asked, isLast: false });
  expect((await next.of('paint', 1)).orders).toHaveLength(1);
});

test('several readers of one index take different orders, if each chooses a place', async () => {
  const index = {
    async waiting(_agent: string, priority: Priority) {
      const orders = ['one', 'two', 'three'].map((id) => ({
        orderId: orderId(id),
        flow: '-',
        queue: null,
      }));
      return priority === 'low' ? orders : [];
    },
  };
  const next = nextHeld({ index, clock: virtualClock(), placeIn: (shown) => shown - 1 });
  expect((await next.of('paint', 2)).orders.map((order) => order.orderId)).toEqual([
    'three',
    'two',
  ]);
});

test('the queues of one tenant have equal shares, and take none of those of other tenants', async () => {
  const held = index();
  held.add(300, 'inn', 'normal', 'full');
  for (const queue of ['a', 'b', 'c']) held.add(30, 'inn', 'normal', queue);
  held.add(60, 'bar');
  for (let round = 0; round < 16; round += 1) await held.take(5);
  expect(held.served.get('normal bar')).toBe(40);
  const shares = ['full', 'a', 'b', 'c'].map((queue) => held.served.get(`normal inn${queue}`));
  expect(shares).toEqual([10, 10, 10, 10]);
});

test('a closed queue hides no other, and is served when it is open', async () => {
  let closed = 'full';
  const held = index(undefined, (queue) => queue === closed);
  held.add(500, 'inn', 'normal', 'full');
  held.add(5, 'inn', 'normal', 'some');
  held.add(5, 'inn');
  expect(await held.take(20)).toHaveLength(10);
  expect(held.served.get('normal innfull')).toBeUndefined();
  closed = '';
  expect(await held.take(20)).toHaveLength(20);
});

/** A tenant of which many wait, and one of which few do; of a queue, the latest order that may be taken is. */
function latestOf(waiting: Readonly<Record<string, number>>) {
  const index = {
    async waiting(_agent: string, priority: Priority, limit: number, after: HeldPlace | null) {
      const all = Object.entries(waiting).flatMap(([flow, count]) =>
        Array.from({ length: count }, (_, at) => ({
          ...{ orderId: orderId(`${flow}-${at + 1}`), flow, queue: null },
        })),
      );
      const isLater = ({ flow }: HeldPlace) => after === null || flow > after.flow;
      return priority === 'normal' ? all.filter(isLater).slice(0, limit) : [];
    },
  };
  const clock = virtualClock();
  const next = nextHeld({ index, clock, placeIn: (orders) => orders - 1 });
  /** Takes one order, which another instance may have started first. */
  return async (isOvertaken: boolean): Promise<string> => {
    await clock.advance(2_000);
    const asked = (await next.of('paint', 1)).orders.map((order) => order.orderId);
    const overtaken = isOvertaken ? asked : [];
    next.tried('paint', { asked, overtaken, stillHeld: [], isLast: false });
    return asked.join();
  };
}

test('of many orders of a queue, one of those that have waited for longest is next, unless others start them first', async () => {
  const take = latestOf({ many: 1_000 });
  expect(await take(false)).toBe('many-20');
  expect(await take(true)).toBe('many-20');
  expect(await take(true)).toBe('many-40');
  expect(await take(false)).toBe('many-80');
  for (let times = 0; times < 60; times += 1) await take(false);
  expect(await take(false)).toBe('many-20');
});

test('a queue of few orders, which others start first, does not put those of another queue out of turn', async () => {
  const take = latestOf({ few: 2 });
  for (let times = 0; times < 20; times += 1) expect(await take(true)).toBe('few-2');
  const both = latestOf({ few: 2, many: 1_000 });
  const taken: string[] = [];
  for (let times = 0; times < 40; times += 1) {
    const isOfFew = taken.at(-1)?.startsWith('many') ?? false;
    taken.push(await both(isOfFew));
  }
  expect(taken.filter((id) => id.startsWith('many')).length).toBeGreaterThan(10);
  expect(taken.filter((id) => Number(id.split('-')[1]) > 20)).toEqual([]);
});
