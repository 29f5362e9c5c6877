/** Mistakes in orders whose details are a part of the item of their record. */
import { type Mistake, mistake } from './mistake.ts';

const store = 'lib/aws/store/dynamo-store.ts';
const answers = 'test/aws/dynamo-answers.test.ts';
const orders = 'test/aws/one-item-orders.test.ts';
const rule = 'lib/aws/store/one-item.ts';
const sizes = 'test/aws/one-item.test.ts';
const stream = 'lib/aws/notifications/process-stream.ts';
const changes = 'test/aws/stream-batch.test.ts';
const codec = 'lib/core/codec/record-codec.ts';

export const mistakesOfOneItem: readonly Mistake[] = [
  mistake(
    store,
    orders,
    'a creation overwrites an order that is there',
    'const command = new PutItemCommand({ TableName: options.tables.processes, Item: item, ...ifNew });',
    'const command = new PutItemCommand({ TableName: options.tables.processes, Item: item });',
  ),
  mistake(
    store,
    answers,
    'a creation whose answer was lost is taken for another order',
    "return isOwn(error.Item, record) ? 'created' : 'exists';",
    "return isOwn(error.Item, record) && record.revision > 1 ? 'created' : 'exists';",
  ),
  mistake(
    store,
    orders,
    'the details are lost with the second write of a record that was not read',
    "'Revision = :before AND attribute_not_exists(Details)'",
    "'Revision = :before'",
  ),
  mistake(
    store,
    answers,
    'a conflict of a record without the details costs another write',
    "if (record.document !== undefined || stored?.['Revision']?.N !== String(replaced)) return null;",
    'if (record.document !== undefined || stored === undefined) return null;',
  ),
  mistake(
    store,
    orders,
    'an order with a singleton key is one item',
    'if (line !== undefined) return createItems(options, order, record, line);',
    '',
  ),
  mistake(
    'lib/core/decide/draft.ts',
    answers,
    'a decision drops the details',
    '...(document !== undefined && { document }),',
    '',
  ),
  mistake(
    codec,
    'test/lambdas/older-release.test.ts',
    'an older release takes an order of one item for one whose details it must look for',
    'if (document !== undefined) return 5;',
    'if (document !== undefined) return 4;',
  ),
  mistake(
    'lib/roles/orders-of.ts',
    orders,
    'an order of one item has no details',
    'if (document !== undefined) orders.set',
    'if (document === undefined) orders.set',
  ),
  mistake(
    stream,
    changes,
    'the end of an order of one item deletes the order that has its id now',
    "return OldImage?.['Details'] !== undefined && line === null",
    "return OldImage?.['Details'] !== undefined && line !== null",
  ),
  mistake(
    'lib/aws/notifications/change-dead-letter.ts',
    'test/aws/change-dead-letter.test.ts',
    'a dead letter has the details of its order',
    'whole && withoutDocument(whole)',
    'whole',
  ),
  mistake(
    rule,
    sizes,
    'large details are a part of the record',
    'if (wholeBytes - recordBytes > writeUnitBytes) return false;',
    '',
  ),
  mistake(
    rule,
    sizes,
    'details are a part of the record where that costs more',
    'return more < savedUnits;',
    'return more < savedUnits * 10;',
  ),
  mistake(
    'lib/infra/order-tables.ts',
    'test/infra/reeve-stack.test.ts',
    'the indexes have the details',
    'projectionType: ProjectionType.KEYS_ONLY,',
    'projectionType: ProjectionType.ALL,',
  ),
];
