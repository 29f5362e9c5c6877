/** The batches that simulated pollers take. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chance } from '#sim/world/chance.ts';
import { arrivalsOf, polled } from '../../bench/bill/pollers.ts';
import { gathered } from '../../bench/bill/window-pollers.ts';

const queue = (perSecond: number, batchMax = 10) =>
  polled({ perSecond, batchMax, handlerMs: 30 }, arrivalsOf(perSecond, chance(7).next));

test('messages that come now and then are taken one by one, and at once', () => {
  const { messagesPerBatch, waitMs } = queue(0.5);
  expect(messagesPerBatch).toBe(1);
  expect(waitMs).toBe(0);
});

test('pollers of a queue that is empty for a minute ask again every 20 seconds', () => {
  // Five pollers ask 15 times a minute, of which a message answers one.
  expect(queue(1 / 60).emptyPerMessage).toBeGreaterThan(13);
  expect(queue(1 / 60).emptyPerMessage).toBeLessThan(16);
});

test('there are as many pollers as keep up, five at least, and no batch has more than its bound', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.1, max: 3_000, noNaN: true }),
      fc.integer({ min: 1, max: 10 }),
      (perSecond, batchMax) => {
        const { pollers, messagesPerBatch, waitMs } = queue(perSecond, batchMax);
        expect(messagesPerBatch).toBeGreaterThanOrEqual(1);
        expect(messagesPerBatch).toBeLessThanOrEqual(batchMax);
        expect(pollers).toBeGreaterThanOrEqual(5);
        expect((pollers * batchMax) / 0.05).toBeGreaterThan(perSecond);
        // Pollers that do not keep up would let a message wait ever longer.
        expect(waitMs).toBeLessThan(2_000);
      },
    ),
    { numRuns: 40 },
  );
});

test('the more messages there are, the fuller batches are', () => {
  const sizes = [1, 100, 500, 1_000].map((perSecond) => queue(perSecond).messagesPerBatch);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  expect(sizes.at(-1)).toBeGreaterThan(8);
});

const gatheredAt = (perSecond: number, windowMs: number) => {
  const arrivals = arrivalsOf(perSecond, chance(7).next);
  return gathered({ perSecond, batchMax: 10, handlerMs: 30, windowMs }, arrivals, chance(8).next);
};

test('a batch window makes batches fuller, and a message waits for the window at most where pollers keep up', () => {
  for (const windowMs of [1_000, 5_000]) {
    const { messagesPerBatch, waitMs, batches } = gatheredAt(10, windowMs);
    expect(messagesPerBatch).toBeGreaterThan(queue(10).messagesPerBatch);
    expect(waitMs).toBeLessThan(windowMs);
    expect(Math.max(...batches.map(({ messages }) => messages))).toBeLessThanOrEqual(10);
  }
  expect(gatheredAt(10, 5_000).messagesPerBatch).toBeGreaterThan(
    gatheredAt(10, 1_000).messagesPerBatch,
  );
});

test('no message is lost, taken twice or handled before it comes', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.1, max: 500, noNaN: true }),
      fc.integer({ min: 1, max: 20_000 }),
      (perSecond, windowMs) => {
        const { batches, waitMs, receivesPerMessage } = gatheredAt(perSecond, windowMs);
        const taken = batches.reduce((sum, { messages }) => sum + messages, 0);
        expect(taken).toBe(arrivalsOf(perSecond, chance(7).next).length);
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(receivesPerMessage).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 15 },
  );
});

test('where messages fill a batch before the window ends, it does not delay them', () => {
  expect(gatheredAt(1_000, 5_000).waitMs).toBeLessThan(200);
  expect(gatheredAt(1_000, 5_000).messagesPerBatch).toBeGreaterThan(9.9);
});
