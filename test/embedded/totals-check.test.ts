/** The verdict of a start on each pair of totals, in the database and in the file beside it. */
import { expect, test } from 'vitest';
import type { StoredTotals, Totals } from '#embedded/integrity/totals.ts';
import { compareTotals, type TotalsVerdict } from '#embedded/integrity/totals-check.ts';
import type { TotalsOnFile } from '#embedded/integrity/totals-file.ts';

const name = 'a'.repeat(16);
const totals = (commits: number, more: Partial<Totals> = {}): Totals => ({
  store: name,
  commits,
  accepted: commits,
  revisions: 2 * commits,
  forgotten: 0,
  ...more,
});

const stored = (commits: number, more?: Partial<Totals>): StoredTotals => ({
  kind: 'read',
  totals: totals(commits, more),
});
const onFile = (commits: number, isWhole = true, more?: Partial<Totals>): TotalsOnFile => ({
  kind: 'read',
  totals: totals(commits, more),
  isWhole,
});
const absent = { kind: 'absent' } as const;
const empty = { kind: 'empty' } as const;
const damaged = { kind: 'damaged' } as const;

const goOn = (from: Totals | null, report: string | null = null): TotalsVerdict => ({
  kind: 'goOn',
  from,
  report,
});
const refuse = (why: string): TotalsVerdict => ({ kind: 'refuse', why });

const lossUnknown = 'whether accepted work was lost cannot be determined.';
const rowDamaged = 'The row of table Totals is damaged.';

const pairs: readonly [string, StoredTotals, TotalsOnFile, TotalsVerdict][] = [
  ['nothing, no file: new data', absent, absent, goOn(null)],
  [
    'a damaged row, no file',
    damaged,
    absent,
    goOn(null, `${rowDamaged} There is no totals file: ${lossUnknown}`),
  ],
  ['a row, no file', stored(5), absent, goOn(totals(5), `There is no totals file: ${lossUnknown}`)],
  [
    'a row of the first start, no file',
    stored(1),
    absent,
    goOn(totals(1), `There is no totals file: ${lossUnknown}`),
  ],
  ['nothing, a file that was not written yet: new data', absent, empty, goOn(null)],
  [
    'a row, an empty file',
    stored(5),
    empty,
    goOn(totals(5), `The totals file is empty: ${lossUnknown}`),
  ],
  ['nothing, a file of no commit: new data', absent, onFile(0), goOn(null)],
  [
    'nothing, a damaged file',
    absent,
    damaged,
    refuse('it is not the database that was here before'),
  ],
  [
    'a damaged row, a damaged file',
    damaged,
    damaged,
    goOn(null, `${rowDamaged} The totals file is damaged: ${lossUnknown}`),
  ],
  [
    'a row, a damaged file',
    stored(5),
    damaged,
    goOn(totals(5), `The totals file is damaged: ${lossUnknown}`),
  ],
  [
    'nothing, a file',
    absent,
    onFile(1),
    refuse('1 order had been accepted, and it has no record of them'),
  ],
  [
    'nothing, a file of many',
    absent,
    onFile(1_234),
    refuse('1,234 orders had been accepted, and it has no record of them'),
  ],
  ['a damaged row, a file', damaged, onFile(5), goOn(null, rowDamaged)],
  ['the same of both', stored(5), onFile(5), goOn(totals(5))],
  ['a row ahead of the file', stored(6), onFile(5), goOn(totals(6))],
  [
    'the same of both, one slot damaged',
    stored(5),
    onFile(5, false),
    goOn(totals(5), 'One slot of the totals file is damaged. The next start writes it again.'),
  ],
  [
    'a row behind the file',
    stored(4),
    onFile(5),
    refuse('1 accepted order and 2 changes of orders that were on disk are missing'),
  ],
  [
    'a row far behind the file',
    stored(4),
    onFile(6, true, { revisions: 9 }),
    refuse('2 accepted orders and 1 change of orders that were on disk are missing'),
  ],
  [
    'a row behind the file by what was changed alone',
    stored(4),
    onFile(5, false, { accepted: 4 }),
    refuse('0 accepted orders and 2 changes of orders that were on disk are missing'),
  ],
  [
    'the totals of other data',
    stored(9, { store: 'b'.repeat(16) }),
    onFile(5),
    refuse('it is not the database that its totals file counts'),
  ],
];

test.each(pairs)('%s', (_, inDatabase, inFile, verdict) => {
  expect(compareTotals(inDatabase, inFile)).toEqual(verdict);
});
