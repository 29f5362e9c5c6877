/**
 * The errors of a schema validation, by field. A document of some kilobytes can have thousands of them, and names and messages that are
 * nearly as long as itself, so each list has a limit.
 */
import type { z } from 'zod';
import { cutText } from './cut-text.ts';
import { plainIssue } from './plain-issue.ts';

/** One error of one field. */
export interface FieldError {
  /** Dotted path into the document; the name of the document for the document itself. At most 200 characters; a longer one is cut. */
  readonly field: string;
  /** The end of a sentence that begins with the field. At most 500 characters; a longer one is cut. */
  readonly message: string;
}

/** The position of the validated document: `path` leads to it, `whole` is its name. */
export interface Within {
  readonly path?: readonly string[];
  readonly whole: string;
}

/** The errors that a list names at most; one more gives the number of the others. */
export const errorsMax = 20;
/** The characters of all fields and messages of a list at most, without those of the entry with the number of the others. */
export const errorsLengthMax = 2_000;
const fieldLengthMax = 200;
const messageLengthMax = 500;

type Refused = Pick<z.core.$ZodError, 'issues'>;

/**
 * The errors by field, within the limits of a list; the last entry then says how many more there are. Each unknown key is an error of its
 * own; zod reports them together at their parent.
 */
export function fieldErrors({ issues }: Refused, within: Within): FieldError[] {
  return limitedErrors(errorsOf(issues, within), within.whole);
}

/**
 * The errors within the limits of a list. The last entry says how many more there are, as an error of the whole document.
 *
 * @param errors makes each error; those that are left out are not made
 */
export function limitedErrors(errors: Iterable<() => FieldError>, whole: string): FieldError[] {
  const { listed, more } = limited(errors);
  const shown = listed.map(({ field, message }) => ({ field, message }));
  if (more === 0) return shown;
  return [
    ...shown,
    { field: whole, message: `has ${more} more ${more === 1 ? 'error' : 'errors'}` },
  ];
}

/** How many errors there are, listed or not: each unknown key is one. */
export const errorCount = ({ issues }: Refused): number =>
  [...errorsOf(issues, { whole: '' })].length;

/** Field errors in one line: `limit` must be a number; `state` must be … */
export function errorsText(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `\`${field}\` ${message}`).join('; ');
}

/** The errors in one line, for the author of a configuration. */
export function refusedText(error: Refused, whole: string): string {
  return errorsText(fieldErrors(error, { whole }));
}

/** Only the names of the fields, for messages that must not quote values; the last of them may be the number of further errors. */
export function faultyFields({ issues }: Refused, whole: string): string {
  return namesText(errorsOf(issues, { whole }), ({ field }) => field);
}

/** The names of the fields, with the messages of Reeve's own checks, which quote no values. */
export function fieldFaults({ issues }: Refused, whole: string): string {
  return namesText(errorsOf(issues, { whole }), ({ field, message, isOwn }) =>
    isOwn ? `${field} (${message})` : field,
  );
}

interface OneError extends FieldError {
  /** Whether the message is of a check of Reeve, or of the author of the schema. */
  readonly isOwn: boolean;
}

function* errorsOf(
  issues: readonly z.core.$ZodIssue[],
  { path = [], whole }: Within,
): Generator<() => OneError> {
  const at = (inner: readonly PropertyKey[]) => [...path, ...inner].map(String).join('.') || whole;
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const field = [...issue.path, key];
        yield () => ({ field: at(field), message: 'is not known here', isOwn: false });
      }
    } else {
      const isOwn = issue.code === 'custom';
      yield () => ({ field: at(issue.path), message: plainIssue(issue), isOwn });
    }
  }
}

function limited<One extends FieldError>(
  errors: Iterable<() => One>,
): { readonly listed: One[]; readonly more: number } {
  const listed: One[] = [];
  let length = 0;
  let more = 0;
  for (const made of errors) {
    if (more === 0 && listed.length < errorsMax) {
      const error = made();
      const field = cutText(error.field, fieldLengthMax);
      const message = cutText(error.message, messageLengthMax);
      length += field.length + message.length;
      if (length > errorsLengthMax) more = 1;
      else listed.push({ ...error, field, message });
    } else more += 1;
  }
  return { listed, more };
}

function namesText<One extends FieldError>(
  errors: Iterable<() => One>,
  nameOf: (error: One) => string,
): string {
  const { listed, more } = limited(errors);
  return [...listed.map(nameOf), ...(more === 0 ? [] : [`and ${more} more`])].join(', ');
}
