/** The check of details against the schema of their workflow, which is code of its author. */
import type * as z from 'zod';
// From "zod", all of its core would be in each bundle.
import { $ZodAsyncError } from 'zod/v4/core';
import { errorKind, ReeveError } from '#core/model/errors.ts';
import type { JsonValue } from '#core/model/json.ts';

/** What is needed of a workflow. */
interface Accepting {
  readonly name: string;
  readonly version: number;
  readonly details: z.ZodType<JsonValue>;
}

/**
 * The details as the schema returns them, or its issues.
 *
 * @throws {ReeveError} `details-schema-failed` when the schema throws, or when it validates asynchronously, which no submission waits for
 */
export function submittedDetails(
  { name, version, details }: Accepting,
  given: unknown,
): z.ZodSafeParseResult<JsonValue> {
  try {
    return details.safeParse(given);
  } catch (cause) {
    const schema = `The schema of the details of workflow ${name}@${version}`;
    // The message of what it threw may quote the details.
    const message =
      cause instanceof $ZodAsyncError
        ? `${schema} validates asynchronously, and submissions do not wait. Take the async functions out of it, and check in a step what must be waited for.`
        : `${schema} threw ${errorKind(cause)}. Correct the function in it that throws: it refuses a value by returning false, or by adding an issue.`;
    throw new ReeveError('details-schema-failed', message, { cause });
  }
}
