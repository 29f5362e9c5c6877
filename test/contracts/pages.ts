/** Complete results of queries, page by page, each page within its limit. */
import { expect } from 'vitest';
import type { OrderId } from '#core/model/ids.ts';
import type { DueQuery, ListQuery, Page, StateStore } from '#ports/state-store.ts';

/** After this many pages a query counts as endless. */
const pagesMax = 500;

export async function everyPage<Item>(
  limit: number,
  page: (cursor: string | null) => Promise<Page<Item>>,
): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | null = null;
  for (let count = 0; count < pagesMax; count += 1) {
    const next: Page<Item> = await page(cursor);
    expect(next.items.length).toBeLessThanOrEqual(limit);
    found.push(...next.items);
    cursor = next.cursor;
    if (cursor === null) return found;
  }
  throw new Error(`no end after ${pagesMax} pages`);
}

/** Of all shards. */
export async function allDue(
  store: StateStore,
  query: Pick<DueQuery, 'from' | 'to' | 'limit'>,
): Promise<OrderId[]> {
  const found: OrderId[] = [];
  for (let shard = 0; shard < store.dueShards; shard += 1) {
    const page = (cursor: string | null) => store.due({ ...query, shard, cursor });
    found.push(...(await everyPage(query.limit, page)));
  }
  return found;
}

export async function allListed(
  store: StateStore,
  query: Omit<ListQuery, 'cursor'>,
): Promise<string[]> {
  const records = await everyPage(query.limit, (cursor) => store.list({ ...query, cursor }));
  return records.map(({ orderId }) => orderId);
}
