/** Rows may have been edited by hand: each is checked, and an invalid one causes one error class. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { changeOf } from '#core/model/change.ts';
import { CorruptDataError, ReeveError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import {
  ageOf,
  changeOfRow,
  dueCursor,
  dueOf,
  listCursor,
  listedOf,
  orderOf,
  recordOf,
} from '#embedded/rows.ts';
import { sqliteStore } from '#embedded/sqlite-store.ts';
import type { Page } from '#ports/state-store.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';
import { rubbish, spoiled, wholeText } from '../support/spoiled.ts';

const now = Date.UTC(2026, 0, 1);
const { order, record } = newOrder('one', now, 'shop');
const change = changeOf(null, record);
const fault = { code: 'x', message: 'y', effect: 'none', step: 'east', action: 'undo' } as const;
const changes = [change, { ...change, processState: 'Error', previousState: 'Processing', fault }];

const readers: readonly [string, (row: unknown) => unknown, Record<string, unknown>][] = [
  ['a process record', recordOf, { ...encodeRecord(record) }],
  [
    'an order',
    orderOf,
    { OrderID: 'one', Details: JSON.stringify(order.details), Digest: 'd', SubmittedAt: now },
  ],
  ['an entry of the due index', dueOf, { DueAt: now, OrderID: 'one' }],
  ['a place in a listing', listedOf, { Seq: 7, OrderID: 'one' }],
  [
    'the age of an order',
    ageOf,
    { Seq: 7, OrderID: 'one', ProcessState: 'Undone', SubmittedAt: now, UpdatedAt: now },
  ],
  ['a change', changeOfRow, { Seq: 7, Change: JSON.stringify(change), Audience: 'operator' }],
];

/** The value, which must be the same when it is written and read again; or the one error. */
function judge(read: (row: unknown) => unknown, row: unknown): 'read' | 'refused' {
  try {
    expect(read(row)).toEqual(read(row));
    return 'read';
  } catch (error) {
    expect(error).toBeInstanceOf(CorruptDataError);
    expect(error).toMatchObject({ code: expect.stringMatching(/^(row|record)-corrupt$/) });
    return 'refused';
  }
}

describe.each(readers)('%s', (_, read, row) => {
  test('reads a sound row', () => {
    expect(judge(read, row)).toBe('read');
  });

  test('refuses random values', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), rubbish), (value) => {
        expect(judge(read, value)).toBe('refused');
      }),
    );
  });

  test('refuses or reads a row with one corrupted column', () => {
    fc.assert(fc.property(spoiled(row), (text) => void judge(read, JSON.parse(text))));
  });

  test.each(Object.keys(row))('refuses a row without %s, or with another type in it', (name) => {
    const { [name]: value, ...rest } = row;
    // Older records have none.
    if (name === 'CorrelationID') expect(judge(read, rest)).toBe('read');
    else expect(judge(read, rest)).toBe('refused');
    const broken = { ...rest, [name]: typeof value === 'number' ? 'x' : 0.5 };
    expect(judge(read, broken)).toBe('refused');
  });
});

const isWithin = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((inner) => isWithin(inner, levels - 1)));

/** Values that Reeve could have stored: JSON within its limit of depth, with finite numbers. */
function isDocument(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    return isWithin(parsed, limits.jsonDepthMax) && wholeText(parsed) === JSON.stringify(parsed);
  } catch {
    return false;
  }
}

test('corrupted details and changes are refused, or read as they were stored', () => {
  const details = { colour: 'blue', sizes: [1, null, { deep: true }] };
  const row = { OrderID: 'one', Digest: 'd', SubmittedAt: now };
  fc.assert(
    fc.property(fc.oneof(spoiled(details), rubbish), (Details) => {
      if (judge(orderOf, { ...row, Details }) === 'refused') {
        expect(isDocument(Details)).toBe(false);
      } else {
        const { details: read } = orderOf({ ...row, Details });
        expect(wholeText(read)).toBe(JSON.stringify(JSON.parse(Details)));
      }
    }),
    { numRuns: 300 },
  );
  const text = fc.oneof(...changes.map((one) => spoiled(one)), rubbish);
  fc.assert(
    fc.property(text, (Change) => {
      if (judge(changeOfRow, { Seq: 1, Change, Audience: 'submitter' }) === 'refused') return;
      // A round trip through JSON, which does not distinguish 0 and -0.
      const { change: read } = changeOfRow({ Seq: 1, Change, Audience: 'submitter' });
      // Older changes have no correlation id and no attempts.
      const stored = { correlationId: null, tried: null, ...JSON.parse(Change) };
      // The comparison is recursive.
      if (!isWithin(stored, 1_000)) return;
      expect(JSON.parse(JSON.stringify(stored))).toMatchObject(
        JSON.parse(JSON.stringify({ ...read, fault: undefined, tried: undefined })),
      );
    }),
    { numRuns: 300 },
  );
});

describe('a cursor', () => {
  const refuses = (read: () => unknown) => {
    try {
      return [read()];
    } catch (error) {
      expect(error).toBeInstanceOf(ReeveError);
      expect(error).toMatchObject({ code: 'cursor-invalid' });
      return null;
    }
  };
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[0-9.eE+-]{0,20}$/),
    fc.stringMatching(/^\d{1,18}(\.[A-Za-z0-9_-]{0,66})?$/),
  );

  test('of a listing is refused unless it is a number', () => {
    fc.assert(
      fc.property(text, (cursor) => {
        const read = refuses(() => listCursor(cursor));
        if (read !== null) expect(read).toEqual([Number.parseInt(cursor, 10)]);
      }),
    );
  });

  test('of a due query is decoded unchanged, or refused', () => {
    fc.assert(
      fc.property(text, (cursor) => {
        const [read] = refuses(() => dueCursor(cursor)) ?? [];
        if (!Array.isArray(read)) return;
        const [at, id] = read;
        expect(cursor.replace(/^0+(?=\d)/, '')).toBe(`${at}.${id}`);
      }),
    );
  });

  test('of any form causes no error except cursor-invalid', async () => {
    const store = sqliteStore({ path: ':memory:', sweepPeriodMs: 1_000, log: testLog() });
    onTestFinished(() => store.close());
    await store.create(order, record);
    const due = { shard: 0, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 5 };
    await fc.assert(
      fc.asyncProperty(text, async (cursor) => {
        for (const query of [
          store.list({ processState: null, limit: 5, cursor }),
          store.due({ ...due, cursor }),
        ]) {
          const outcome = await query.catch((error: unknown) => error);
          if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'cursor-invalid' });
        }
      }),
    );
  });
});

test('after an edit on disk a store returns the order unchanged, or an error', async () => {
  const path = join(directory(), 'reeve.db');
  const first = sqliteStore({ path, sweepPeriodMs: 1_000, log: testLog() });
  await first.create(order, record);
  const other = newOrder('two', now);
  await first.create(other.order, other.record);
  first.close();
  const columns = fc.constantFrom(...Object.keys(encodeRecord(record)), 'Details', 'Digest');
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    // The last is larger than the largest safe integer.
    fc.constantFrom(null, '{}', '[]', '[["C"]]', 4_611_686_018_427_387_904n),
  );
  await fc.assert(
    fc.asyncProperty(columns, value, async (column, edit) => {
      const copy = join(directory(), 'reeve.db');
      copyFileSync(path, copy);
      if (!edited(copy, column, edit)) return;
      const store = sqliteStore({ path: copy, sweepPeriodMs: 1_000, log: testLog() });
      try {
        const reads = await Promise.allSettled([
          store.records([order.orderId]),
          store.orders([order.orderId]),
        ]);
        for (const read of reads) {
          if (read.status === 'rejected') expect(read.reason).toBeInstanceOf(CorruptDataError);
        }
        const { items } = await store.list({ processState: null, limit: 5, cursor: null });
        expect(items).toContainEqual(other.record);
        const everything = { shard: 0, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1 };
        const due: string[] = [];
        let cursor: string | null = null;
        do {
          const page: Page<OrderId> = await store.due({ ...everything, cursor });
          due.push(...page.items);
          cursor = page.cursor;
        } while (cursor !== null);
        expect(due).toContain('two');
      } finally {
        store.close();
      }
    }),
    { numRuns: 60 },
  );
});

/** False when the tables themselves refuse the value. */
function edited(path: string, column: string, value: string | number | bigint | null): boolean {
  const database = new DatabaseSync(path);
  const table = column === 'Details' || column === 'Digest' ? 'Orders' : 'Processes';
  try {
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE OrderID = 'one'`).run(value);
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'reeve-rows-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
