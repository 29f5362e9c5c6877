/** The slots of a rate: evenly spaced, and none is lost or given away twice. */
import { expect, test } from 'vitest';
import { rateSlots, slotSlackMs } from '#core/flow/rate-slots.ts';
import { randoms } from '../support/randoms.ts';

const perMs = 1_000;
/** A process that has made no call for an hour. */
const idle = (count: number, burst = 1) => rateSlots({ count, perMs, burst }, -3_600_000);

test('the first call begins at once, and the next ones follow evenly', () => {
  const slots = idle(4);
  expect([0, 1, 2, 3].map(() => slots.take(0))).toEqual([0, 230, 480, 730]);
});

test('a burst begins together', () => {
  const slots = idle(4, 3);
  expect([0, 1, 2, 3, 4].map(() => slots.take(0))).toEqual([0, 0, 0, 230, 480]);
});

test('a new process waits as long as if the former one had made all its calls', () => {
  const slots = rateSlots({ count: 4, perMs, burst: 2 }, 0);
  expect([0, 1].map(() => slots.take(0))).toEqual([250, 500]);
});

test('a call that begins a little late does not delay the next ones', () => {
  const slots = idle(10);
  const begins: number[] = [];
  for (let nowMs = 0; begins.length < 100; ) {
    nowMs = Math.max(nowMs, slots.readyAt(0, nowMs)) + slotSlackMs;
    begins.push(slots.take(nowMs));
  }
  expect(begins.at(-1)).toBeLessThanOrEqual(100 * 100 + slotSlackMs);
});

test('others that begin before it are counted', () => {
  const slots = idle(4);
  expect(slots.readyAt(3, 0) - slots.readyAt(0, 0)).toBe(750);
});

test('a clock that is set back by a day delays calls by what they were delayed anyway', () => {
  const slots = idle(4);
  slots.take(86_400_000);
  expect(slots.take(0)).toBe(230);
});

test.each([
  [1, 1],
  [5, 1],
  [100, 7],
  [1_000, 1],
])('%i per second with a burst of %i: no second has more, whenever calls come', (count, burst) => {
  const random = randoms(count + burst);
  const slots = idle(count, burst);
  const taken: number[] = [];
  let nowMs = 0;
  for (let call = 0; call < 3_000; call += 1) {
    if (random() < 0.01) nowMs += random() * 3_000;
    else if (random() < 0.5) nowMs = Math.max(nowMs, slots.readyAt(0, nowMs));
    taken.push(slots.take(nowMs));
  }
  const most = Math.floor(count * 1.02) + burst;
  const tooMany = taken.filter((at, first) => (taken[first + most] ?? Infinity) < at + perMs);
  expect(tooMany).toEqual([]);
  expect(taken.toSorted((a, b) => a - b)).toEqual(taken);
});

test('the slots before one that lies ahead are those of other calls', () => {
  const slots = idle(50);
  expect(slots.slotFrom(0, 2_000)).toBe(2_000);
  expect(slots.take(0, 2_000)).toBe(2_000);
  const others = Array.from({ length: 150 }, () => slots.take(0));
  expect(others.filter((at) => at < 2_000)).toHaveLength(100);
  expect(others.filter((at) => Math.abs(at - 1_980) < 10)).toEqual([]);
  expect(others.at(-1)).toBe(150 * 20 - slotSlackMs);
  expect(slots.isIdle(4_000)).toBe(true);
});

test('the instants for calls that come leave out the slots ahead that are taken', () => {
  const slots = idle(4);
  slots.take(0, 730);
  // At 0, 230, 480, and not at 730.
  expect([0, 1, 2, 3].map((ahead) => slots.readyAt(ahead, 0))).toEqual([-20, 230, 480, 980]);
  expect([0, 1, 2, 3].map(() => slots.take(0))).toEqual([0, 230, 480, 980]);
});

test('a clock that is set back moves the slots ahead with it', () => {
  const slots = idle(4);
  slots.take(86_400_000, 86_401_000);
  expect(slots.take(0, 1_000)).toBe(1_230);
});

test.each([
  [5, 1],
  [50, 1],
  [50, 4],
  [1_000, 1],
])(
  '%i per second with a burst of %i: with a tenth of the calls ahead, no second has more, and the rate is used',
  (count, burst) => {
    const random = randoms(count * 7 + burst);
    const slots = idle(count, burst);
    const begun: number[] = [];
    const untilMs = 20_000;
    let ahead = 0;
    for (let nowMs = 0; nowMs < untilMs; nowMs = Math.max(nowMs, slots.readyAt(0, nowMs))) {
      if (random() < 0.1) {
        const at = slots.slotFrom(nowMs, nowMs + random() * 2_000);
        expect(slots.take(nowMs, at)).toBe(at);
        begun.push(at);
        ahead += 1;
      } else begun.push(slots.take(nowMs));
    }
    const inOrder = begun.toSorted((a, b) => a - b);
    const most = Math.floor(count * 1.02) + burst;
    const tooMany = inOrder.filter((at, first) => (inOrder[first + most] ?? Infinity) < at + perMs);
    expect(tooMany).toEqual([]);
    expect(ahead).toBeGreaterThan(5);
    const used = inOrder.filter((at) => at < untilMs).length / ((untilMs / perMs) * count);
    expect(used).toBeGreaterThan(0.97);
  },
);
