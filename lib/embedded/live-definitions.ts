/** The definitions that the live orders of stored data need, read before a start changes anything. */
import * as z from 'zod';
import { isThere, sizeOf } from './data-files.ts';
import { openError } from './open-database.ts';
import { openUntouched } from './read-only.ts';

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
 * Reads them without a change on disk; none when there are no data.
 *
 * @throws {ReeveError} `store-in-use`, `store-unusable`, `store-damaged`, as a start on the same data does
 */
export function liveDefinitions(path: string): readonly LiveDefinition[] {
  if (!isThere(path) || sizeOf(path) === 0) return [];
  try {
    const { database, close } = openUntouched(path);
    try {
      const made = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'Processes'").get();
      if (made === undefined) return [];
      return database
        .prepare(live)
        .all()
        .map((each) => row.parse(each));
    } finally {
      close();
    }
  } catch (cause) {
    throw openError(cause, path);
  }
}

const live = `
  SELECT Workflow, WorkflowVersion, Fingerprint, count(*) AS Orders, min(OrderID) AS First
  FROM Processes WHERE DueAt IS NOT NULL
  GROUP BY Workflow, WorkflowVersion, Fingerprint
  ORDER BY Workflow, WorkflowVersion
`;
