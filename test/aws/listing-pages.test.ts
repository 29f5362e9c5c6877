/** The pages of a listing: each order once, and cursors that name no order. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { entryOf, inOrder, isAhead, positionBetween } from '#aws/store/listing-order.ts';
import { orderId } from '#core/model/ids.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { createTables, type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

const start = Date.UTC(2026, 0, 1);

async function newStore(shards: number) {
  const { client } = server;
  return dynamoStore({
    ...{ client, tables: await createTables(client), shards },
    ...{ sweepPeriodMs: 60_000, keepEndedMs: 3_600_000 },
    ...{ log: testLog(), clock: systemClock, random: systemRandom },
  });
}

/** Instants of submission: few of them, so that many orders have the same one. */
const instants = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 25 });
const shape = fc.record({
  instants,
  limit: fc.integer({ min: 1, max: 6 }),
  shards: fc.constantFrom(1, 3),
  isCorrelated: fc.boolean(),
});

test('the pages of a listing have each order once, newest first, and no cursor names an order', async () => {
  await fc.assert(
    fc.asyncProperty(shape, async ({ instants: at, limit, shards, isCorrelated }) => {
      const store = await newStore(shards);
      const ids = at.map((_, number) => `order-of-a-tenant-${number}`);
      await Promise.all(
        at.map(async (ms, number) => {
          const { order, record } = newOrder(ids[number] ?? '', start + 10 * ms, null, 'po-7');
          await store.create(order, record);
        }),
      );
      const found: { readonly id: string; readonly submittedAt: number }[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof store.list>> = await store.list({
          ...{ processState: null, limit, cursor },
          ...(isCorrelated && { correlationId: 'po-7' }),
        });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...page.items.map(({ orderId: id, submittedAt }) => ({ id, submittedAt })));
        cursor = page.cursor;
        const text = Buffer.from(cursor ?? '', 'base64url').toString();
        expect(text).not.toContain('order');
      } while (cursor !== null);
      expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      const order = found.map(({ submittedAt }) => submittedAt);
      if (!isCorrelated) expect(order).toEqual(order.toSorted((a, b) => b - a));
    }),
    { numRuns: 20 },
  );
});

const entry = fc
  .tuple(fc.string({ minLength: 1 }), fc.integer({ min: 0, max: 40 }))
  .map(([text, at]) => entryOf(orderId(Buffer.from(text).toString('hex').slice(0, 64)), at));
const entries = fc.uniqueArray(entry, { minLength: 2, selector: ({ id }) => id });

test('a position divides the entries before it from those after it, and has the mark of none of them', () => {
  fc.assert(
    fc.property(entries, (all) => {
      const sorted = all.toSorted(inOrder);
      for (const [place, next] of sorted.entries()) {
        const last = sorted[place - 1];
        if (last === undefined) continue;
        const position = positionBetween(last, next);
        expect(sorted.filter((one) => isAhead(one, position))).toEqual(sorted.slice(place));
        // Of so few hashes, no two begin with as many equal digits.
        expect(position.from.length).toBeLessThan(10);
      }
    }),
  );
});

test('where two orders are seconds apart, the position has the instant of neither', () => {
  const [last, next] = [entryOf(orderId('b'), 9_000), entryOf(orderId('a'), 4_000)];
  expect(positionBetween(last, next)).toEqual({ at: 6_499, from: '' });
});
