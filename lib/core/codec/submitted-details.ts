/** The check of details against the schema of their workflow, which is code of its author. */
import type * as z from 'zod';
// From "zod", all of its core would be in each bundle.
import { $ZodAsyncError } from 'zod/v4/core';
import { errorKind, ReeveError } from '#core/model/errors.ts';
import { isObject, type JsonValue } from '#core/model/json.ts';
import { errorCount, errorsMax } from './field-errors.ts';

/**
 * All errors are collected of a document with at most so many values, itself included; of a larger one only the first. A list of 100,000
 * bytes can have a million errors, and to collect them takes zod seconds, or more arguments than a call can have.
 */
const valuesMax = 100;

/** What is needed of a workflow. */
interface Accepting {
  readonly name: string;
  readonly version: number;
  readonly details: z.ZodType<JsonValue>;
}

/**
 * The details as the schema returns them, or its issues; of details with more than 100 values the first ones, and one that says so.
 *
 * @throws {ReeveError} `details-schema-failed` when the schema throws, or when it validates asynchronously, which no submission waits for
 */
export function submittedDetails(
  { name, version, details }: Accepting,
  given: unknown,
): z.ZodSafeParseResult<JsonValue> {
  try {
    return hasMoreValues(given) ? firstIssues(details, given) : details.safeParse(given);
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

function firstIssues(
  details: Accepting['details'],
  given: unknown,
): z.ZodSafeParseResult<JsonValue> {
  const parsed = details.safeParse(given, untilFirst);
  // A schema may make its result from the issues of a part (`catch`), so what it accepts is parsed with all of them.
  if (parsed.success) return details.safeParse(given);
  // Where more are known than are listed, the list says how many.
  if (errorCount(parsed.error) <= errorsMax) {
    parsed.error.issues.push({
      ...{ code: 'custom', path: [], input: undefined },
      message: `has more than ${valuesMax} values: there may be further errors`,
    });
  }
  return parsed;
}

/** As `validate` of zod, which returns no issues; a zod that does not know it collects all of them. */
const untilFirst: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };

/** Looks at no more of them than it must. */
function hasMoreValues(document: unknown): boolean {
  let left = valuesMax;
  const passes = (value: unknown): boolean => {
    left -= 1;
    if (left < 0) return true;
    if (Array.isArray(value)) return value.some(passes);
    if (!isObject(value)) return false;
    for (const key in value) if (passes(value[key])) return true;
    return false;
  };
  return passes(document);
}
