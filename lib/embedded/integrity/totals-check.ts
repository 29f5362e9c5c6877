/** Compares the totals of a database with those of its totals file. No I/O. */

import type { StoredTotals, Totals } from './totals.ts';
import type { TotalsOnFile } from './totals-file.ts';

/** The result of the comparison at a start. */
export type TotalsVerdict =
  /** `from`: the totals to continue from; null: count the rows. `report`: damage to report; null: none. */
  | { readonly kind: 'goOn'; readonly from: Totals | null; readonly report: string | null }
  | { readonly kind: 'refuse'; readonly why: string };

export function compareTotals(stored: StoredTotals, onFile: TotalsOnFile): TotalsVerdict {
  switch (onFile.kind) {
    case 'absent':
      return withoutFile(stored, 'There is no totals file');
    case 'empty':
      return withoutFile(stored, 'The totals file is empty');
    case 'damaged':
      return stored.kind === 'absent'
        ? { kind: 'refuse', why: 'it is not the database that was here before' }
        : withoutFile(stored, 'The totals file is damaged');
    case 'read':
      return withFile(stored, onFile.totals, onFile.isWhole);
  }
}

function withoutFile(stored: StoredTotals, what: string): TotalsVerdict {
  const report = `${what}: whether accepted work was lost cannot be determined.`;
  switch (stored.kind) {
    case 'absent':
      return { kind: 'goOn', from: null, report: null };
    case 'damaged':
      return { kind: 'goOn', from: null, report: `The row of table Totals is damaged. ${report}` };
    case 'read':
      return { kind: 'goOn', from: stored.totals, report };
  }
}

function withFile(stored: StoredTotals, file: Totals, isWhole: boolean): TotalsVerdict {
  const orders = counted(file.accepted, 'order');
  switch (stored.kind) {
    case 'absent':
      // The first start makes the file before it commits, and was killed between the two.
      if (file.commits === 0) return { kind: 'goOn', from: null, report: null };
      return { kind: 'refuse', why: `${orders} had been accepted, and it has no record of them` };
    case 'damaged':
      return { kind: 'goOn', from: null, report: 'The row of table Totals is damaged.' };
    case 'read':
      break;
  }
  const { totals } = stored;
  if (totals.store !== file.store) {
    return { kind: 'refuse', why: 'it is not the database that its totals file counts' };
  }
  if (totals.commits < file.commits) {
    const lost = counted(file.accepted - totals.accepted, 'accepted order');
    const changes = counted(file.revisions - totals.revisions, 'change of orders');
    return { kind: 'refuse', why: `${lost} and ${changes} that were on disk are missing` };
  }
  const report = isWhole
    ? null
    : 'One slot of the totals file is damaged. The next start writes it again.';
  return { kind: 'goOn', from: totals, report };
}

const counted = (count: number, what: string) =>
  `${count.toLocaleString('en')} ${count === 1 ? what : what.replace(/^(\S+ )?(order|change)/, '$1$2s')}`;
