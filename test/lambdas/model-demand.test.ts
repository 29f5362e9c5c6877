/** What `npm run model` takes from the meter, beside what lib/infra and the store say. */
import { expect, test } from 'vitest';
import { warmWriteUnits } from '#infra/warm-throughput.ts';
import { measuredDemand } from '../../bench/model/demand.ts';
import { batch } from '../../bench/notify/batches.ts';

test('the units by which tables are prepared, and the changes that are notified, are those that the meter counts', async () => {
  const { writeUnits, notified, changes, schedulerMessages, agentMessages } =
    await measuredDemand(20);
  const rate = 70_000;
  for (const name of ['Orders', 'Processes', 'Due', 'Recent'] as const) {
    const perOrder = (warmWriteUnits(name, { orders: rate, shards: 1 }) * 0.7) / rate;
    // Orders that a busy machine delays move in the index Due.
    expect(writeUnits[name]).toBeGreaterThanOrEqual(perOrder);
    expect(writeUnits[name]).toBeLessThan(perOrder + 0.5);
  }
  const { delivered, Records } = batch('queue');
  expect(notified / changes).toBe(delivered / Records.length);
  expect([schedulerMessages, agentMessages]).toEqual([4, 3]);
});
