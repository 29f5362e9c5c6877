/** The parameters for more orders per second. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { templateOf } from './scenario.ts';

const warm = z.strictObject({ ReadUnitsPerSecond: z.number(), WriteUnitsPerSecond: z.number() });
const table = z.object({
  WarmThroughput: warm.optional(),
  GlobalSecondaryIndexes: z
    .array(z.object({ IndexName: z.string(), WarmThroughput: warm.optional() }))
    .default([]),
});

/** Write units per second of each table and index that has warm throughput. */
function warmUnits(context: Readonly<Record<string, unknown>>) {
  const found: Record<string, number> = {};
  const template = templateOf(context);
  for (const [id, properties] of Object.entries(
    template.findResources('AWS::DynamoDB::GlobalTable'),
  )) {
    const { WarmThroughput, GlobalSecondaryIndexes } = table.parse(properties['Properties']);
    const add = (name: string, units: z.infer<typeof warm> | undefined) => {
      if (units === undefined) return;
      found[name] = units.WriteUnitsPerSecond;
      // An order reads less than it writes, and a new table on demand takes 12,000 reads already.
      expect(units.ReadUnitsPerSecond).toBe(Math.max(12_000, units.WriteUnitsPerSecond));
    };
    add(id.replace(/^StateStore|[0-9A-F]{8}$/g, ''), WarmThroughput);
    for (const index of GlobalSecondaryIndexes) add(index.IndexName, index.WarmThroughput);
  }
  return found;
}

test('tables and indexes have a partition for each 700 units of the expected orders, an index by shard at least one for each shard', () => {
  expect(warmUnits({ warmOrdersPerSecond: '10000', shards: 64, recoveryPerSecond: 6_000 })).toEqual(
    {
      Orders: 43_000,
      Processes: 86_000,
      Due: 64_000,
      Recent: 64_000,
      Correlation: 64_000,
    },
  );
  expect(warmUnits({ warmOrdersPerSecond: 1_000 })).toEqual({
    Orders: 5_000,
    Processes: 9_000,
    Due: 8_000,
    Recent: 8_000,
    Correlation: 8_000,
  });
});

test('without the parameter no table is prepared, so that nothing is paid', () => {
  expect(warmUnits({})).toEqual({});
});

const withRate = z.object({
  Environment: z.object({ Variables: z.object({ REEVE_RECOVERY_PER_SECOND: z.string() }) }),
});

test.each([
  [{}, '1000'],
  [{ recoveryPerSecond: '6000' }, '6000'],
])('the Supervisor knows how many orders it may recover: %j', (context, expected) => {
  const rates = Object.values(templateOf(context).findResources('AWS::Lambda::Function')).flatMap(
    ({ Properties }) => {
      const parsed = withRate.safeParse(Properties);
      return parsed.success ? [parsed.data.Environment.Variables.REEVE_RECOVERY_PER_SECOND] : [];
    },
  );
  expect(rates).toEqual([expected]);
});
