/** Slots of a rate that several instances lease from one item. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lateMs, rateLeases, type SlotAnswer } from '#distributed/limits/rate-leases.ts';
import { limitTable } from '#sim/ports/sim-limit-items.ts';
import { memoryItems } from '../../support/memory-limit-items.ts';

const begin = Date.UTC(2026, 0, 1);

/** Instances with one clock, whose writes are counted. */
function deployment(everyMs: number, burst = 1, count = 1) {
  let nowMs = begin;
  let writes = 0;
  const table = limitTable();
  const items = memoryItems({
    ...table,
    advance(name, change) {
      writes += 1;
      return table.advance(name, change);
    },
  });
  const all = Array.from({ length: count }, () => rateLeases(items, { now: () => nowMs }));
  const rate = { name: 'pay/all##rate', everyMs, burst };
  return {
    wait(ms: number) {
      nowMs += ms;
    },
    now: () => nowMs,
    writes: () => writes,
    giveBack: (answer: SlotAnswer) => answer.kind === 'slot' && all[0]?.giveBack(rate.name, answer),
    lease: (
      calls: number,
      {
        isBusy = false,
        isBehind = false,
        instance = 0,
        later = 0,
        forMs = Number.POSITIVE_INFINITY,
        burst: burstNow = burst,
        horizonMs = 500,
      } = {},
    ) =>
      Promise.all(
        Array.from({ length: calls }, async (): Promise<SlotAnswer> => {
          const own = all[instance];
          if (own === undefined) throw new Error('no such instance');
          return own.lease({
            rate: { ...rate, burst: burstNow },
            from: nowMs + later,
            by: nowMs + later + forMs,
            horizonMs,
            isBusy,
            isBehind,
          });
        }),
      ),
  };
}

const beginsOf = (answers: readonly SlotAnswer[]) =>
  answers.flatMap((answer) => (answer.kind === 'slot' ? [answer.startAt - begin] : []));

test('calls that ask together share a write, and have slots one after the other', async () => {
  const { lease, writes } = deployment(100);
  // The first one begins when it arrives, within 250 ms, and the next one comes after that.
  expect(beginsOf(await lease(4))).toEqual([0, 300, 400, 500]);
  expect(writes()).toBe(1);
});

test('slots are leased a little ahead: the others wait, and the answer says for how long', async () => {
  const { lease, writes } = deployment(100);
  const answers = await lease(20);
  expect(beginsOf(answers)).toHaveLength(5);
  expect(answers.at(-1)).toEqual({ kind: 'full', freeAt: begin + 700 });
  expect((await lease(1)).at(0)).toMatchObject({ kind: 'full', freeAt: begin + 200 });
  expect(writes()).toBe(1);
});

test('a slow rate has one slot at a time', async () => {
  const { lease, wait } = deployment(60_000);
  expect(beginsOf(await lease(3))).toEqual([0]);
  wait(59_400);
  expect(beginsOf(await lease(1))).toEqual([]);
  wait(200);
  expect(beginsOf(await lease(2))).toEqual([60_000]);
});

test('after a time without calls, as many as the burst begin together', async () => {
  const { lease, wait } = deployment(200, 3);
  wait(5_000);
  const [first, second, third, fourth] = await lease(4);
  expect([first, second, third]).toEqual([
    ...Array.from({ length: 3 }, () => ({
      ...{ kind: 'slot', startAt: begin + 5_000 },
      startBy: begin + 5_000 + 150 + lateMs(200),
    })),
  ]);
  expect(fourth).toMatchObject({ kind: 'full' });
});

test('a slot that is given back is used by another call without a write', async () => {
  const { lease, giveBack, writes, wait } = deployment(100);
  const answers = await lease(4);
  giveBack(answers.at(2) ?? { kind: 'behind' });
  expect(beginsOf(await lease(1))).toEqual([400]);
  giveBack(answers.at(3) ?? { kind: 'behind' });
  wait(450);
  // It comes too late for the spare slot.
  expect(beginsOf(await lease(1))).toEqual([600]);
  expect(writes()).toBe(2);
});

test('a call that can wait for a short time only gets no slot of those that can wait for longer', async () => {
  const { lease, giveBack, writes } = deployment(100);
  const short = { horizonMs: 250 };
  const [long, own] = await Promise.all([lease(4), lease(1, short)]);
  expect(beginsOf(long)).toEqual([0, 300, 400, 500]);
  expect(own).toMatchObject([{ kind: 'full' }]);
  const before = writes();
  giveBack(long.at(2) ?? { kind: 'behind' });
  expect(await lease(1, short)).toMatchObject([{ kind: 'full' }]);
  expect(beginsOf(await lease(1))).toEqual([400]);
  expect(writes()).toBe(before);
});

test('while others wait, a call that comes gets only a slot that no call took', async () => {
  const { lease, wait } = deployment(100);
  await lease(2);
  expect(await lease(1, { isBehind: true })).toEqual([{ kind: 'behind' }]);
  wait(1_000);
  expect(beginsOf(await lease(1, { isBehind: true }))).toEqual([1_000]);
});

test('another instance knows nothing, and takes the next slot by one write where calls wait', async () => {
  const { lease, writes } = deployment(100, 1, 2);
  await lease(2);
  expect(beginsOf(await lease(1, { instance: 1, isBusy: true }))).toEqual([400]);
  expect(writes()).toBe(2);
});

test('an instance leases slots for its next calls as well, so that a high rate costs few writes', async () => {
  const { lease, writes, wait } = deployment(1);
  const calls: number[] = [];
  for (let ms = 0; ms < 3_000; ms += 1) {
    wait(1);
    calls.push(...beginsOf(await lease(1, { isBusy: true })));
  }
  expect(calls.length).toBeGreaterThan(2_900);
  expect(writes()).toBeLessThan(0.1 * calls.length);
  // Each slot once.
  expect(new Set(calls).size).toBe(calls.length);
});

test('an instance that was refused asks again when there are slots for others too', async () => {
  const { lease, writes, wait } = deployment(100, 1, 2);
  await lease(20);
  const [refused] = await lease(1, { instance: 1, isBusy: true });
  expect(refused).toMatchObject({ kind: 'full', freeAt: begin + 400 });
  expect(writes()).toBe(2);
  wait(399);
  await lease(1, { instance: 1, isBusy: true });
  expect(writes()).toBe(2);
  wait(2);
  expect(beginsOf(await lease(1, { instance: 1, isBusy: true }))).toHaveLength(1);
  expect(writes()).toBe(3);
});

test('an instant that no correct clock can have stored is replaced', async () => {
  const { lease, wait } = deployment(100, 1, 2);
  wait(3_600_000);
  await lease(1);
  wait(-3_600_000);
  expect(beginsOf(await lease(1, { instance: 1 }))).toEqual([0]);
});

test('an operator who lowers the burst gives no slot of a used one again', async () => {
  const { lease, wait } = deployment(3_600, 1_000, 2);
  expect(beginsOf(await lease(100))).toHaveLength(100);
  for (let calls = 100; calls < 1_000; calls += 100) await lease(100, { isBusy: true });
  wait(5_000);
  for (const instance of [0, 1])
    expect(await lease(1, { instance, burst: 1 })).toMatchObject([{ kind: 'full' }]);
  expect(beginsOf(await lease(1_000, { instance: 1 })).length).toBeLessThan(3);
});

test('an instance whose own clock was wrong does not wait for what it knew', async () => {
  const { lease, wait } = deployment(100);
  wait(3_600_000);
  await lease(1);
  wait(-3_600_000);
  expect(beginsOf(await lease(1))).toEqual([0]);
});

test('a burst that was used up is free again one call at a time', async () => {
  const { lease } = deployment(100, 3);
  expect(beginsOf(await lease(3))).toEqual([0, 0, 0]);
  expect(beginsOf(await lease(2))).toEqual([300, 400]);
});

test.each([1, 2])('calls that come one by one use all of a burst: %i instances', async (count) => {
  const { lease, wait, writes } = deployment(600, 100, count);
  let calls = 0;
  for (let call = 0; call < 100; call += 1) {
    calls += beginsOf(await lease(1, { instance: call % count })).length;
    wait(10);
  }
  expect(calls).toBe(100);
  expect(writes()).toBeLessThan(110);
});

test('a call that begins later takes a slot of its own, and leaves those before it to others', async () => {
  const { lease, writes, wait } = deployment(100, 1, 2);
  expect(beginsOf(await lease(1, { later: 330, forMs: 50 }))).toEqual([330]);
  expect(writes()).toBe(1);
  // The first begins when it arrives, within 250 ms; the slot in which the later call begins is not given again.
  expect(beginsOf(await lease(5, { instance: 1 }))).toEqual([0, 400, 500, 600]);
  wait(100);
  const later = { later: 400, instance: 1 };
  expect(beginsOf(await lease(1, { ...later, forMs: 200 }))).toEqual([700]);
});

test.each([
  ['at multiples of its distance', 50, [350, 400, 450]],
  ['at any instant, of a lower rate', 100, [330, 450, 550]],
])(
  'two instances that know nothing of each other do not give one slot to two calls: %s',
  async (_, everyMs, expected) => {
    const { lease } = deployment(everyMs, 1, 2);
    const begins: readonly number[][] = [
      beginsOf(await lease(1, { later: 330, forMs: 300 })),
      beginsOf(await lease(1, { later: 350, forMs: 300, instance: 1 })),
      beginsOf(await lease(1, { later: 330, forMs: 300 })),
    ];
    expect(begins.flat()).toEqual(expected);
  },
);

test('the reserved instants of former calls keep no later call from one', async () => {
  const { lease, wait } = deployment(5, 1, 2);
  // As many as are reserved at most.
  for (let call = 0; call < 250; call += 1)
    expect(beginsOf(await lease(1, { later: 250 + 5 * call, forMs: 2_000 }))).toHaveLength(1);
  expect(beginsOf(await lease(1, { later: 1_500, forMs: 2_000 }))).toEqual([]);
  wait(3_600_000);
  expect(beginsOf(await lease(1, { later: 300, forMs: 100 }))).toHaveLength(1);
  expect(beginsOf(await lease(1))).toHaveLength(1);
  // The other instance learns of them by its first write.
  expect(beginsOf(await lease(1, { instance: 1, isBusy: true }))).toHaveLength(1);
  for (const instance of [0, 1])
    expect(beginsOf(await lease(1, { instance, later: 600, forMs: 100 }))).toHaveLength(1);
});

test('a slot that would come too late for another limit stays for others', async () => {
  const { lease, writes } = deployment(100);
  expect(beginsOf(await lease(4))).toEqual([0, 300, 400, 500]);
  expect(await lease(1, { later: 150, forMs: 50 })).toEqual([{ kind: 'later', at: begin + 600 }]);
  expect(writes()).toBe(1);
});

test('the slot after one that has a call stays for others when it is too late for another limit', async () => {
  const { lease, wait, writes } = deployment(200, 1, 2);
  await lease(2);
  wait(285);
  await lease(2, { later: 665 });
  wait(70);
  await lease(3, { instance: 1, isBusy: true });
  wait(351);
  const before = writes();
  expect(await lease(1, { instance: 1, later: 174, forMs: 270 })).toMatchObject([
    { kind: 'later' },
  ]);
  expect(writes()).toBe(before + 1);
  // Without another write.
  expect(await lease(1, { instance: 1, later: 174 })).toMatchObject([{ kind: 'slot' }]);
  expect(writes()).toBe(before + 1);
});

test.each([
  ['the instance that reserved it', 0, 3_550],
  ['another instance', 1, 3_750],
])(
  'no call begins in the slot of a reserved instant that has come: %s',
  async (_, instance, freeAt) => {
    const { lease, wait } = deployment(2_000, 1, 2);
    expect(beginsOf(await lease(1))).toEqual([0]);
    wait(1_950);
    expect(beginsOf(await lease(1, { later: 100, forMs: 50 }))).toEqual([2_050]);
    wait(300);
    expect(await lease(1, { instance })).toEqual([{ kind: 'full', freeAt: begin + freeAt }]);
    wait(1_800);
    expect(beginsOf(await lease(1, { instance, isBusy: true }))).toEqual([
      instance === 0 ? 4_050 : 4_250,
    ]);
  },
);

test('calls with reserved instants leave no time without calls: no burst begins beside them', async () => {
  const { lease, wait } = deployment(50, 3);
  await lease(3, { later: 1 });
  wait(10);
  const begins = beginsOf(await lease(3));
  expect(Math.min(...begins)).toBeGreaterThan(100);
  expect(new Set(begins).size).toBe(3);
});

test('in no interval begin more calls than the rate and its burst, for all instances together and with late calls', async () => {
  const asks = fc.array(
    fc.record({
      waitMs: fc.integer({ min: 0, max: 400 }),
      calls: fc.integer({ min: 1, max: 12 }),
      instance: fc.integer({ min: 0, max: 3 }),
      isBusy: fc.boolean(),
      later: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_500 })),
      forMs: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 400 })),
    }),
    { minLength: 1, maxLength: 40 },
  );
  const rates = fc.record({
    everyMs: fc.constantFrom(1, 7, 50, 200, 1_500),
    burst: fc.integer({ min: 1, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(
      rates,
      asks,
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      async ({ everyMs, burst }, all, late) => {
        const { lease, wait, now } = deployment(everyMs, burst, 4);
        const begins: number[] = [];
        for (const { waitMs, calls, ...how } of all) {
          wait(waitMs);
          for (const answer of await lease(calls, how)) {
            if (answer.kind !== 'slot') continue;
            const { startAt, startBy } = answer;
            expect(startAt).toBeGreaterThanOrEqual(now() + how.later);
            if (how.later > 0) expect(startAt).toBeLessThanOrEqual(now() + how.later + how.forMs);
            expect(startBy).toBeGreaterThanOrEqual(startAt + lateMs(everyMs));
            begins.push(startAt + (late.next().value ?? 0) * (startBy - startAt));
          }
        }
        begins.sort((a, b) => a - b);
        for (const slots of [1, 2, 5, 20, 100]) {
          for (const [at, from] of begins.entries()) {
            const until = from + slots * everyMs;
            const within = begins.slice(at).filter((other) => other < until).length;
            // A call may be late, and a reserved instant is anywhere in the slot that it takes.
            const displaced = 1 + Math.ceil(lateMs(everyMs) / everyMs);
            expect(within).toBeLessThanOrEqual(slots + burst - 1 + displaced);
          }
        }
      },
    ),
  );
});
