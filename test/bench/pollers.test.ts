/** The batches that simulated pollers take. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chance } from '#sim/world/chance.ts';
import { polled } from '../../bench/bill/pollers.ts';

const queue = (perSecond: number, batchMax = 10) =>
  polled({ perSecond, batchMax, handlerMs: 30 }, chance(7).next);

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
