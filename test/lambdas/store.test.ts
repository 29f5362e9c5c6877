/** The store of a function: units of what its environment says. */
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { answeringAws } from '../support/answering-aws.ts';
import { claimed, newOrder, succeeded } from '../support/orders.ts';

const put = z.object({
  TableName: z.string(),
  Item: z.object({ ExpiresAt: z.object({ N: z.string() }).optional() }),
});

test('an order is kept for days after its end, and sweeps come after seconds', async () => {
  const aws = await answeringAws(() => ({}));
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL_DYNAMODB: aws.url,
    REEVE_ORDERS_TABLE: 'orders',
    REEVE_PROCESSES_TABLE: 'processes',
    REEVE_SHARDS: '4',
    REEVE_SWEEP_SECONDS: '120',
    REEVE_KEEP_DAYS: '30',
  })) {
    vi.stubEnv(name, value);
  }
  // Imported here, because a function reads its environment when it is loaded.
  const { functionStore } = await import('../../lambdas/store.ts');
  const { store, sweepPeriodMs } = functionStore();
  expect({ sweepPeriodMs, shards: store.dueShards }).toEqual({ sweepPeriodMs: 120_000, shards: 4 });
  const start = Date.UTC(2026, 0, 1);
  const begun = claimed(newOrder('one', start).record, start);
  const ended = ['east', 'west', 'roof'].reduce(
    (record, step) => succeeded(record, step, start + 1_000),
    begun,
  );
  expect(ended.processState).toBe('Processed');
  await store.commit(ended);
  const [written] = aws.calls.map(({ input }) => put.parse(input));
  expect(written?.TableName).toBe('processes');
  expect(Number(written?.Item.ExpiresAt?.N) * 1_000).toBe(start + 1_000 + 30 * 86_400_000);
});
