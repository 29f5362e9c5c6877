/** Where the search leads, by the first page of the orders with the text as their correlation id. */
import { expect, test } from 'vitest';
import type { Answer } from '#console/api/answer.ts';
import type { ListDocument } from '#console/api/documents.ts';
import { foundHash } from '#console/orders/found-hash.ts';
import { summary } from './scenario.ts';

const page = (ids: readonly string[], cursor: string | null): Answer<ListDocument> => ({
  kind: 'ok',
  body: { orders: ids.map((id) => summary(id)), cursor, asOf: '' },
});

test.each<[string, Answer<ListDocument>, string]>([
  ['one order', page(['o1'], null), '#/orders/o1'],
  ['several orders', page(['o1', 'o2'], null), '#/orders?correlationId=cart+1'],
  ['several orders, and more', page(['o1', 'o2'], 'c'), '#/orders?correlationId=cart+1'],
  ['none: it is an order id', page([], null), '#/orders/cart%201'],
  // A tenant reads the listing of all, without the orders of others.
  ['none so far', page([], 'c'), '#/orders?correlationId=cart+1'],
  ['one order so far', page(['o1'], 'c'), '#/orders?correlationId=cart+1'],
  ['no answer', { kind: 'unreachable' }, '#/orders/cart%201'],
])('it finds %s', (_, answer, hash) => {
  expect(foundHash('cart 1', answer)).toBe(hash);
});
