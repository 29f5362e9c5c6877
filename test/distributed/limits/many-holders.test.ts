/** Items of calls at once of which one write cannot name all holders. */
import { expect, test } from 'vitest';
import { UnavailableError } from '#core/model/errors.ts';
import type { LimitSlot } from '#core/model/message.ts';
import { roomLeases } from '#distributed/limits/room-leases.ts';
import { limitTable } from '#sim/ports/sim-limit-items.ts';
import { memoryItems } from '../../support/memory-limit-items.ts';

const begin = Date.UTC(2026, 0, 1);
const callMs = 10_000;
/** See graceMs. */
const graceMs = 5_000;
/** A refused call asks again after this, ms; see askAgainMs. */
const againMs = 200;

/** Of a limit of 40, which operators raised tenfold: it has one item. */
function deployment() {
  let nowMs = begin;
  let max = 400;
  let isFailing = false;
  const table = limitTable();
  const items = memoryItems({
    ...table,
    occupy(name, change) {
      if (isFailing) throw new UnavailableError('store-unavailable', 'The write is throttled.');
      return table.occupy(name, change);
    },
  });
  const instance = () => {
    const leases = roomLeases({
      ...{ items, clock: { now: () => nowMs }, random: { next: () => 0 } },
    });
    return {
      enter: (holder: string) =>
        leases.enter({
          ...{ name: 'pay/all##calls', max, definedMax: 40, holder, isBehind: false },
          until: nowMs + callMs,
        }),
      leave: (room: LimitSlot, holder: string) => leases.leave(room, holder),
      settle: () => leases.settle(),
    };
  };
  return {
    ...{ instance },
    wait(ms: number) {
      nowMs += ms;
    },
    allow(calls: number) {
      max = calls;
    },
    fail(isOutage: boolean) {
      isFailing = isOutage;
    },
  };
}

type Instance = ReturnType<ReturnType<typeof deployment>['instance']>;

/** How many of them enter together. */
async function enterAll({ enter }: Instance, name: string, count: number): Promise<number> {
  const holders = Array.from({ length: count }, (_, at) => `${name}${at}`);
  const rooms = await Promise.all(holders.map(enter));
  return rooms.filter((room) => room !== null).length;
}

async function fill(instance: Instance): Promise<void> {
  for (let call = 0; call < 400; call += 40) {
    expect(await enterAll(instance, `call${call}-`, 40)).toBe(40);
  }
  expect(await instance.enter('one more')).toBeNull();
}

test('calls enter where hundreds of holders have ended, at any instance', async () => {
  const { instance, wait } = deployment();
  const one = instance();
  await fill(one);
  wait(callMs + graceMs + 1);
  expect(await enterAll(one, 'next', 40)).toBe(40);
  expect(await enterAll(instance(), 'other', 40)).toBe(40);
});

test('a limit that is lowered while hundreds of holders end lets as many enter as it says', async () => {
  const { instance, wait, allow } = deployment();
  const one = instance();
  await fill(one);
  allow(20);
  wait(callMs + graceMs + 1);
  expect(await enterAll(one, 'next', 40)).toBe(20);
  wait(againMs);
  expect(await enterAll(instance(), 'other', 40)).toBe(0);
});

test('hundreds of holders that leave one after the other make room for others', async () => {
  const { instance } = deployment();
  const one = instance();
  const rooms: [LimitSlot, string][] = [];
  for (let call = 0; call < 400; call += 1) {
    const room = await one.enter(`call${call}`);
    if (room !== null) rooms.push([room, `call${call}`]);
  }
  for (const [room, holder] of rooms) one.leave(room, holder);
  await one.settle();
  const other = instance();
  for (let calls = 0; calls < 400; calls += 40) {
    expect(await enterAll(other, `other${calls}-`, 40)).toBe(40);
  }
});

test('calls enter after an outage in which many were refused, and holders that left before it have left', async () => {
  const { instance, allow, fail } = deployment();
  allow(1);
  const one = instance();
  const room = await one.enter('first');
  if (room === null) throw new Error('no room');
  one.leave(room, 'first');
  fail(true);
  for (let call = 0; call < 1_000; call += 1) {
    await expect(one.enter(`call${call}`)).rejects.toThrow(UnavailableError);
  }
  fail(false);
  expect(await one.enter('next')).not.toBeNull();
});

test('of calls that entered without an answer, an instance gives the room of the latest 200 back; the others lose it after their time', async () => {
  const { instance, allow, fail, wait } = deployment();
  const [one, other] = [instance(), instance()];
  for (let call = 0; call < 300; call += 1) await other.enter(`call${call}`);
  // As if these had been its writes.
  fail(true);
  for (let call = 0; call < 300; call += 1) {
    await expect(one.enter(`call${call}`)).rejects.toThrow(UnavailableError);
  }
  fail(false);
  await one.settle();
  allow(101);
  expect(await enterAll(instance(), 'next', 2)).toBe(1);
  wait(callMs + graceMs + 1);
  expect(await enterAll(instance(), 'last', 102)).toBe(101);
});

test('room whose end could not be written is given back after the next batch, and that of other items at once', async () => {
  const [failing, well] = ['pay/all##calls', 'ship/all##calls'];
  const table = limitTable();
  let isFailing = false;
  const items = memoryItems({
    ...table,
    occupy(name, change) {
      if (isFailing && name === failing) throw new UnavailableError('store-unavailable', 'No.');
      return table.occupy(name, change);
    },
  });
  const instance = () =>
    roomLeases({ items, clock: { now: () => begin }, random: { next: () => 0 } });
  const want = (name: string, holder: string) => ({
    ...{ name, holder, max: 1, definedMax: 1, isBehind: false, until: begin + callMs },
  });
  const one = instance();
  for (const name of [failing, well]) {
    const room = await one.enter(want(name, 'first'));
    if (room === null) throw new Error('no room');
    one.leave(room, 'first');
  }
  isFailing = true;
  await expect(one.settle()).rejects.toThrow(UnavailableError);
  isFailing = false;
  expect(await instance().enter(want(well, 'second'))).not.toBeNull();
  expect(await instance().enter(want(failing, 'second'))).toBeNull();
  await one.settle();
  expect(await instance().enter(want(failing, 'third'))).not.toBeNull();
});
