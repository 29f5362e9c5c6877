/** DynamoDB items as Reeve stores them: flat, with texts, numbers and nulls only. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { CorruptDataError } from '#core/model/errors.ts';

export type Item = Record<string, AttributeValue>;
export type Attributes = Readonly<Record<string, string | number | null | undefined>>;

/** Leaves out undefined attributes. */
export function toItem(attributes: Attributes): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    if (value === null) item[name] = { NULL: true };
    else item[name] = typeof value === 'string' ? { S: value } : { N: String(value) };
  }
  return item;
}

/** @throws {CorruptDataError} `attribute-unknown` for a type that Reeve does not store */
export function fromItem(item: Item): Record<string, string | number | null> {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, plain(name, value)]),
  );
}

function plain(name: string, value: AttributeValue): string | number | null {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.NULL === true) return null;
  throw new CorruptDataError(
    'attribute-unknown',
    `Attribute ${name} has a type that Reeve does not store. Restore the item from a backup.`,
  );
}
