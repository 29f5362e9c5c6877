/** Each transaction counts its writes; the totals are read as they were written, or not at all. */
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  countedTotals,
  readTotals,
  runningTotals,
  type Totals,
  totalsSchema,
  writeTotals,
} from '#embedded/integrity/totals.ts';
import { accepted, ended, opened, somewhere } from '../support/stored-data.ts';

const from: Totals = {
  store: 'a'.repeat(16),
  commits: 3,
  accepted: 20,
  revisions: 70,
  forgotten: 10,
};

function database(): DatabaseSync {
  const open = new DatabaseSync(':memory:');
  onTestFinished(() => open.close());
  open.exec(totalsSchema);
  return open;
}

test('they replace the previous totals', () => {
  const open = database();
  for (const totals of [from, { ...from, commits: 4 }]) {
    writeTotals(open, totals);
    expect(readTotals(open)).toEqual({ kind: 'read', totals });
  }
});

test('only committed transactions count', () => {
  const happenings = fc.array(fc.constantFrom('accepted', 'revised', 'forgot'), { maxLength: 5 });
  const transactions = fc.array(fc.record({ happenings, isCommitted: fc.boolean() }));
  fc.assert(
    fc.property(transactions, (all) => {
      const open = database();
      writeTotals(open, from);
      const running = runningTotals(open, from);
      let expected = from;
      for (const transaction of all) {
        for (const happening of transaction.happenings) {
          if (happening === 'revised') running.revised(2);
          else running[happening]();
        }
        if (!transaction.isCommitted) {
          running.revert();
          continue;
        }
        const count = (wanted: string) =>
          transaction.happenings.filter((happening) => happening === wanted).length;
        expected = {
          store: expected.store,
          commits: expected.commits + 1,
          accepted: expected.accepted + count('accepted'),
          revisions: expected.revisions + count('accepted') + 2 * count('revised'),
          forgotten: expected.forgotten + count('forgot'),
        };
        running.write();
        running.keep();
        expect(running.current).toEqual(expected);
        expect(readTotals(open)).toEqual({ kind: 'read', totals: expected });
      }
      expect(running.current).toEqual(expected);
    }),
  );
});

test('until a transaction is committed, the totals are the previous ones', () => {
  const open = database();
  const running = runningTotals(open, from);
  running.accepted();
  running.write();
  expect(running.current).toEqual(from);
});

test('a database without the table has none', () => {
  const open = new DatabaseSync(':memory:');
  onTestFinished(() => open.close());
  expect(readTotals(open)).toEqual({ kind: 'absent' });
});

test.each([
  ['no row', 'DELETE FROM Totals'],
  ['another name', `UPDATE Totals SET Store = '${'b'.repeat(16)}'`],
  ['a name that is too short', "UPDATE Totals SET Store = 'b'"],
  ['another number of commits', 'UPDATE Totals SET Commits = 4'],
  ['another number of orders', 'UPDATE Totals SET Accepted = 21'],
  ['another number of revisions', 'UPDATE Totals SET Revisions = 71'],
  ['another number of forgotten orders', 'UPDATE Totals SET Forgotten = 11'],
  ['a number below nothing', 'UPDATE Totals SET Forgotten = -1'],
  ['another checksum', 'UPDATE Totals SET Checksum = Checksum + 1'],
  ['two numbers that make the same digits', 'UPDATE Totals SET Commits = 32, Accepted = 0'],
])('%s is damage', (_, sql) => {
  const open = database();
  writeTotals(open, from);
  open.exec(sql);
  expect(readTotals(open)).toEqual({ kind: 'damaged' });
});

test('data without totals are counted, under a new name', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one', 'two');
  await ended(store, 'three');
  store.close();
  const open = new DatabaseSync(path);
  onTestFinished(() => open.close());
  const counted = [countedTotals(open), countedTotals(open)];
  for (const totals of counted) {
    // A first revision of each, and four more of the one that was processed.
    expect(totals).toMatchObject({ commits: 0, accepted: 3, revisions: 7, forgotten: 0 });
    expect(totals.store).toMatch(/^[0-9a-f]{16}$/);
  }
  expect(counted[0]?.store).not.toBe(counted[1]?.store);
});
