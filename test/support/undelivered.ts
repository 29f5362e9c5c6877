/** The undelivered changes of a store, read page by page as a start does. */
import type { ChangePage, Outbox, StoredChange } from '#ports/outbox.ts';

/** After so many pages the outbox counts as endless. */
const pagesMax = 10_000;

export function undelivered(outbox: Pick<Outbox, 'changes'>): readonly StoredChange[] {
  const all: StoredChange[] = [];
  let after: number | null = 0;
  for (let count = 0; count < pagesMax; count += 1) {
    const page: ChangePage = outbox.changes(after, 2);
    all.push(...page.entries);
    after = page.next;
    if (after === null) return all;
  }
  throw new Error(`no end after ${pagesMax} pages`);
}
