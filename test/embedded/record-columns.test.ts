/**
 * The columns of a process record are named in the schema, in the statements that write them and in the checksum: each of them
 * has every attribute of the stored form, so that a new one is forgotten in none.
 */
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { schedulerId, writeId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { claimed, newOrder, succeeded } from '../support/orders.ts';
import { edited, opened, somewhere } from '../support/stored-data.ts';

const now = Date.UTC(2026, 0, 1);
const { order, record } = newOrder('one', now, 'shop', 'cart');
const attributes = Object.keys(encodeRecord(record)).toSorted();
/** Columns that only this store has. */
const own = ['Seq', 'DueAt', 'Extension', 'Checksum'];

const nameRow = z.object({ name: z.string() });
function columnsIn(path: string): string[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare("SELECT name FROM pragma_table_info('Processes')").all();
  database.close();
  return rows.map((row) => nameRow.parse(row).name);
}

function rowIn(path: string): Readonly<Record<string, unknown>> {
  const database = new DatabaseSync(path);
  const row = database.prepare('SELECT * FROM Processes').get();
  database.close();
  return Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => !own.includes(name)));
}

const fault = { code: 'x', message: 'y', effect: 'none', step: null, action: null } as const;
/** Each kind of write, and each attribute that a write may change. */
const changes: Readonly<Record<string, (before: ProcessRecord) => ProcessRecord>> = {
  progress: (before) => succeeded(before, 'east', now + 2),
  'the lock': (before) =>
    before.processState === 'Processing' ? { ...before, lockedBy: schedulerId('other') } : before,
  'the end of the attempt': (before) =>
    before.processState === 'Processing' ? { ...before, completeBy: now + 7 } : before,
  'failures, direction and priority': (before) => ({
    ...before,
    ...{ failureCount: 3, direction: 'undo', priority: 'high' },
  }),
  'the earliest claim and the fault': (before) => ({ ...before, notBefore: now + 5, fault }),
  'a stop': (before) => ({
    ...before,
    ...{ processState: 'Error', lockedBy: null, completeBy: null, fault },
  }),
};

test('the table has the attributes of a stored record, and no others', () => {
  const path = somewhere();
  opened(path).store.close();
  expect(columnsIn(path).toSorted()).toEqual([...attributes, ...own].toSorted());
});

test('the changes are of every attribute that can change', () => {
  const claim = claimed(record, now + 1);
  const before = Object.entries(encodeRecord(claim));
  const changed = Object.values(changes).flatMap((change) => {
    const after = new Map(Object.entries(encodeRecord(third(claim, change))));
    return before.filter(([name, value]) => after.get(name) !== value).map(([name]) => name);
  });
  const never = [
    ...['OrderID', 'Workflow', 'WorkflowVersion', 'Fingerprint'],
    ...['Tenant', 'ReplyTo', 'CorrelationID', 'SubmittedAt'],
  ];
  expect([...new Set([...changed, ...never])].toSorted()).toEqual(attributes);
});

test.each(Object.entries(changes))('each attribute is stored after %s', async (_, change) => {
  const path = somewhere();
  const { store } = opened(path);
  await store.create(order, record);
  store.close();
  expect(rowIn(path)).toEqual(encodeRecord(record));
  const { store: next } = opened(path);
  const claim = claimed(record, now + 1);
  const after = third(claim, change);
  expect([await next.commit(claim), await next.commit(after)]).toEqual(['committed', 'committed']);
  next.close();
  expect(rowIn(path)).toEqual(encodeRecord(after));
});

test.each([...attributes, 'DueAt'])('the checksum covers column %s', async (column) => {
  const path = somewhere();
  const { store } = opened(path);
  await store.create(order, record);
  store.close();
  edited(
    path,
    `UPDATE Processes SET ${column} = CASE typeof(${column}) WHEN 'integer' THEN ${column} + 1 WHEN 'null' THEN 1 ELSE ${column} || 'x' END`,
  );
  const { store: damaged, log } = opened(path);
  await damaged.list({ processState: null, limit: 5, cursor: null });
  expect(log.lines[0]?.fields['reason']).toBe('Its checksum does not agree.');
});

function third(
  claim: ProcessRecord,
  change: (before: ProcessRecord) => ProcessRecord,
): ProcessRecord {
  const at = { revision: 3, writeId: writeId('third'), updatedAt: now + 3 };
  return { ...change(claim), ...at };
}
