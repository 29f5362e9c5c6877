/** The definitions that the live orders of stored data need, read before a start changes anything. */
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { behindLink, isThere, sizeOf } from './data-files.ts';
import { openError } from './open-database.ts';
import { openUntouched } from './read-only.ts';
import { isDamage } from './store-error.ts';

const row = z
  .object({
    Workflow: z.string(),
    WorkflowVersion: z.number(),
    Fingerprint: z.string(),
    Orders: z.number(),
    First: z.string(),
  })
  .transform(({ Workflow, WorkflowVersion, Fingerprint, Orders, First }) => ({
    ...{ workflow: Workflow, workflowVersion: WorkflowVersion, fingerprint: Fingerprint },
    ...{ orders: Orders, first: First },
  }));

/** A definition with its live orders: those that are neither ended nor in Error. */
export type LiveDefinition = Readonly<z.infer<typeof row>>;

/**
 * Reads them without a change on disk; none when there are no data. Orders that cannot be read are left out: the start reports them.
 *
 * @throws {ReeveError} `store-in-use`, `store-unusable`, `store-damaged`, as a start on the same data does
 */
export function liveDefinitions(given: string): readonly LiveDefinition[] {
  const path = behindLink(given);
  if (!isThere(path) || sizeOf(path) === 0) return [];
  try {
    const { database, close } = openUntouched(path);
    try {
      const made = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'Processes'").get();
      return made === undefined ? [] : definitionsIn(database);
    } finally {
      close();
    }
  } catch (cause) {
    throw openError(cause, path);
  }
}

const live = (where: string) => `
  SELECT Workflow, WorkflowVersion, Fingerprint, count(*) AS Orders, min(OrderID) AS First
  FROM Processes WHERE ${where}
  GROUP BY Workflow, WorkflowVersion, Fingerprint
  ORDER BY Workflow, WorkflowVersion
`;

/** It reads the index alone, and so no page of orders. */
const liveIds = 'SELECT OrderID FROM Processes INDEXED BY Due WHERE DueAt IS NOT NULL';

const readable = (rows: readonly unknown[]): readonly LiveDefinition[] =>
  rows.flatMap((each) => row.safeParse(each).data ?? []);

function definitionsIn(database: DatabaseSync): readonly LiveDefinition[] {
  try {
    return readable(database.prepare(live('DueAt IS NOT NULL')).all());
  } catch (error) {
    if (!isDamage(error)) throw error;
    return definitionsOfReadable(database);
  }
}

/** Order by order, because one lost page makes a query of all of them fail. */
function definitionsOfReadable(database: DatabaseSync): readonly LiveDefinition[] {
  const found = new Map<string, LiveDefinition>();
  const ofOne = database.prepare(live('OrderID = ?'));
  for (const { OrderID = null } of database.prepare(liveIds).all()) {
    for (const one of readable(ifIntact(() => ofOne.all(OrderID)))) {
      const key = JSON.stringify([one.workflow, one.workflowVersion, one.fingerprint]);
      const before = found.get(key);
      found.set(key, { ...(before ?? one), orders: (before?.orders ?? 0) + 1 });
    }
  }
  return [...found.values()];
}

function ifIntact(read: () => readonly unknown[]): readonly unknown[] {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [];
  }
}
