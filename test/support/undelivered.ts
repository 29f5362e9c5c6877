/** The undelivered changes of a store, read page by page as a start does. */
import type { ChangePage, Outbox, StoredChange } from '#ports/outbox.ts';

/** After so many pages the outbox counts as endless. */
const pagesMax = 10_000;

/** @param limit changes of one page */
export function undelivered(outbox: Pick<Outbox, 'changes'>, limit = 2): readonly StoredChange[] {
  const all: StoredChange[] = [];
  let after: number | null = 0;
  for (let count = 0; count < pagesMax; count += 1) {
    const page: ChangePage = outbox.changes(after, limit);
    all.push(...page.entries);
    after = page.next;
    if (after === null) return all;
  }
  throw new Error(`no end after ${pagesMax} pages`);
}
