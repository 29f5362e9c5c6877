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
  ['listAttention', 'SEARCH Processes USING INDEX Attention (ProcessState=? AND Seq>? AND Seq<?)'],
  ['listLive', 'SEARCH Processes USING INDEX Due (DueAt>?); USE TEMP B-TREE FOR ORDER BY'],
  ['manyLive', 'SEARCH Processes USING COVERING INDEX Due (DueAt>?)'],
  ['endAmong', 'SEARCH Processes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  [
    'listAmong',
    'CO-ROUTINE (subquery-1); SEARCH Processes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?); SCAN (subquery-1)',
  ],
  [
    'endByCorrelation',
    'SEARCH Processes USING COVERING INDEX Correlation (CorrelationID=? AND Seq>? AND Seq<?)',
  ],
  [
    'listByCorrelation',
    'CO-ROUTINE (subquery-1); SEARCH Processes USING INDEX Correlation (CorrelationID=? AND Seq>? AND Seq<?); SCAN (subquery-1)',
  ],
] as const)('%s sorts no more orders than it looks at', (name, plan) => {
  expect(planOf(name)).toBe(plan);
});
