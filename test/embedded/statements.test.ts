/** How SQLite finds the rows of the statements that read more than one. */
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { addMissingColumns, schema } from '#embedded/schema.ts';
import { type Statements, statements } from '#embedded/statements.ts';

const planRow = z.object({ detail: z.string() });

function planOf(name: keyof Statements): string {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  database.exec(schema);
  addMissingColumns(database);
  const statement = statements(database)[name];
  if (typeof statement !== 'object') throw new RangeError(name);
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${statement.sourceSQL}`).all();
  return rows.map((row) => planRow.parse(row).detail).join('; ');
}

test.each([
  ['due', 'SEARCH Processes USING COVERING INDEX Due ((DueAt,OrderID)>(?,?) AND DueAt<?)'],
  ['list', 'SEARCH Processes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  ['listProcessed', 'SEARCH Processes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  ['listAttention', 'SEARCH Processes USING INDEX Attention (ProcessState=? AND Seq>? AND Seq<?)'],
  ['listLive', 'SEARCH Processes USING INDEX Due (DueAt>?); USE TEMP B-TREE FOR ORDER BY'],
  [
    'listByCorrelation',
    'SEARCH Processes USING INDEX Correlation (CorrelationID=? AND Seq>? AND Seq<?)',
  ],
] as const)('%s reads no order that it does not list', (name, plan) => {
  expect(planOf(name)).toBe(plan);
});
