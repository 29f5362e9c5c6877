/** An item of DynamoDB of which one attribute is gone, of another type, or too many. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import type { Item } from '#aws/store/attributes.ts';

/** What DynamoDB itself takes: numbers of its own range, no null but `true`, no empty set. */
const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc
    .oneof(fc.string(), fc.constantFrom('{}', '[]', '[["s"]]', 'x'.repeat(5_000), '__proto__'))
    .map((S) => ({ S })),
  fc
    .oneof(
      fc.integer().map(String),
      fc.constantFrom('0.5', '-1', '1E+120', '9007199254740993', '-1E-120'),
    )
    .map((N) => ({ N })),
  fc.constantFrom<AttributeValue>(
    { NULL: true },
    { BOOL: false },
    { L: [] },
    { M: { S: { S: 'x' } } },
    { SS: ['x'] },
  ),
);

export function spoiledItem(item: Item): fc.Arbitrary<Item> {
  const name = fc.constantFrom(...Object.keys(item));
  const gone = name.map((one) =>
    Object.fromEntries(Object.entries(item).filter(([at]) => at !== one)),
  );
  const other = fc.tuple(name, value).map(([one, by]) => ({ ...item, [one]: by }));
  const more = value.map((by) => ({ ...item, Unknown: by }));
  return fc.oneof(
    { weight: 1, arbitrary: gone },
    { weight: 5, arbitrary: other },
    { weight: 1, arbitrary: more },
  );
}
