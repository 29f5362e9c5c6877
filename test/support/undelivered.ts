/** The undelivered changes of a store, read page by page as a start does. */
import type { ChangePage, Outbox, StoredChange } from '#ports/outbox.ts';

export function undelivered(outbox: Pick<Outbox, 'changes'>): readonly StoredChange[] {
  const all: StoredChange[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const page: ChangePage = outbox.changes(after, 2);
    all.push(...page.entries);
    after = page.next;
  }
  return all;
}
