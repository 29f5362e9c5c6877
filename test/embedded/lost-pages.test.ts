/** A page that the disk has lost: the check and the start agree on whether a start is refused, and each part that is lost is named. */
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { changeOf } from '#core/model/change.ts';
import { lineName, orderId } from '#core/model/ids.ts';
import { changeChecksum } from '#embedded/integrity/checksums.ts';
import { examineData } from '#embedded/integrity/examine.ts';
import { newOrder } from '../support/orders.ts';
import {
  accepted,
  edited,
  ended,
  folder,
  leafOf,
  opened,
  pageLost,
  rootOf,
  somewhere,
} from '../support/stored-data.ts';

const now = Date.UTC(2026, 0, 1);
const line = (at: number) => lineName(String(at).padStart(40, '0'));

async function stored(lines = 1): Promise<string> {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one', 'two');
  await ended(store, 'old', 0);
  const after = [orderId('one'), orderId('two')];
  await Promise.all(
    Array.from({ length: lines }, (_, at) =>
      store.changeLine({ name: line(at), before: [], after }),
    ),
  );
  store.close();
  return path;
}

const nameRow = z.object({ name: z.string() });
function namesIn(path: string): string[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare('SELECT name FROM sqlite_schema WHERE rootpage > 0').all();
  database.close();
  return rows.map((row) => nameRow.parse(row).name);
}

const copied = (path: string): string => {
  const to = join(folder(), 'reeve.db');
  cpSync(dirname(path), dirname(to), { recursive: true });
  return to;
};

function isRefused(path: string): boolean {
  try {
    opened(path).store.close();
    return false;
  } catch {
    return true;
  }
}

test('whichever page is lost, the check says that a start is refused exactly where it is', async () => {
  const path = await stored();
  const refused: string[] = [];
  for (const name of namesIn(path)) {
    const damaged = copied(path);
    pageLost(damaged, rootOf(damaged, name));
    const { orders, changes, findings } = examineData(damaged);
    expect([name, findings.length > 0]).toEqual([name, true]);
    const isSaid = orders === null && changes === null;
    expect([name, isSaid]).toEqual([name, isRefused(damaged)]);
    if (isSaid) refused.push(name);
  }
  expect(refused.toSorted()).toEqual(['AgentSettings', 'Changes', 'Due', 'Totals']);
});

const malformed = 'SQLite says: database disk image is malformed.';
const ofOrders = (row: string) => ({ table: 'Processes', row });
const without: readonly (readonly [string, string, object])[] = [
  [
    'sqlite_sequence',
    'no order goes to Error, and none with a response channel is accepted or changes its state',
    { table: 'sqlite_sequence', row: null },
  ],
  ['Attention', 'no order goes to Error or is undone', ofOrders('index Attention')],
  ['Correlation', 'no order with a correlation id is accepted', ofOrders('index Correlation')],
  ['Lines', 'no order with a singleton key is accepted', { table: 'Lines', row: null }],
];

test.each(without)('without %s it is said that %s', async (name, what, of) => {
  const path = await stored();
  pageLost(path, rootOf(path, name));
  const reason = `It cannot be read, so that ${what}: ${malformed}`;
  const lost = { ...of, reason };
  expect(examineData(path).findings).toContainEqual(lost);
  const { store, log } = opened(path);
  const going = store.verify();
  while (going.next(100));
  const reported = log.lines.filter(({ event }) => event === 'store-damaged');
  expect(reported.map(({ fields }) => fields)).toContainEqual({ file: path, ...lost });
  store.close();
});

test('the lines before a lost page, all orders and all changes are checked', async () => {
  const path = await stored(200);
  edited(path, `UPDATE Lines SET Checksum = 1 WHERE Name = '${line(3)}'`);
  const leaf = leafOf(path, 'Lines', -1);
  pageLost(path, leaf);
  const found = examineData(path);
  expect(found).toMatchObject({ orders: 3, changes: 2 });
  expect(found.findings).toContainEqual({
    ...{ table: 'Lines', row: line(3), reason: 'Its checksum does not agree.' },
  });
  expect(found.findings).toContainEqual({
    ...{ table: 'Lines', row: null },
    reason: expect.stringMatching(/^The lines( after \d{40})? cannot be read: SQLite says: /),
  });
});

test('a lost page of changes behind those that a start reads is a finding, and those before it are counted', async () => {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one');
  store.close();
  const change = JSON.stringify(changeOf(null, newOrder('one', now, 'shop').record));
  const checksum = changeChecksum(change, 'submitter');
  const database = new DatabaseSync(path);
  const add = database.prepare(
    `INSERT INTO Changes (Change, Audience, Checksum) VALUES (?, 'submitter', ${checksum})`,
  );
  database.exec('BEGIN');
  for (let at = 0; at < 3_000; at += 1) add.run(change);
  database.exec('COMMIT');
  database.close();
  pageLost(path, leafOf(path, 'Changes', -1));
  const { orders, changes, findings } = examineData(path);
  expect(orders).toBe(1);
  expect((changes ?? 0) % 50).toBe(0);
  expect(changes).toBeGreaterThan(2_900);
  const tables = findings.map(({ table }) => table);
  expect([...new Set(tables)]).toEqual(['database', 'Changes']);
  expect(findings.at(-1)).toEqual({ table: 'Changes', row: 'listing', reason: malformed });
  expect(isRefused(path)).toBe(false);
});
