/**
 * What a submission of this process must be, as the API checks it: code without types may pass anything, and what is stored in
 * another form than it is read would look like damage.
 */
import * as z from 'zod';
import { type FieldError, fieldErrors } from '#core/codec/field-errors.ts';
import { submittedSchema } from '#core/codec/json-schema.ts';
import { isShallow, type JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { priorities } from '#core/model/record.ts';
import { submissionKeyForm } from '#core/model/submission-key.ts';
import { SubmissionError } from '#roles/submission/submission-error.ts';

/** Names of response channels are no longer than those of workflows. */
const channelNameLengthMax = 40;
const text = (lengthMax: number) => z.string().min(1).max(lengthMax).optional();

const form = z.strictObject({
  key: z
    .string()
    .max(limits.submissionKeyLengthMax, submissionKeyForm.message)
    .regex(submissionKeyForm.pattern, submissionKeyForm.message)
    .optional(),
  priority: z.enum(priorities).optional(),
  tenant: text(limits.tenantLengthMax),
  replyTo: text(channelNameLengthMax),
  correlationId: text(limits.correlationIdLengthMax),
  by: text(limits.principalLengthMax),
});

/** @throws {SubmissionError} `option-invalid` */
export function checkedOptions(options: unknown): z.infer<typeof form> {
  const { error, data } = form.safeParse(options);
  if (error === undefined) return data;
  throw refused('option-invalid', fieldErrors(error, { whole: 'options' }));
}

/** @throws {SubmissionError} `details-invalid` when it is not JSON */
export function checkedDetails(details: unknown): JsonValue {
  const within = { path: ['details'], whole: 'details' };
  // The schema refuses what is deeper or larger.
  const isShort = isShallow(details, limits.jsonDepthMax, limits.detailsBytesMax);
  const path = isShort ? noJson(details, within.path) : null;
  if (path !== null) {
    const message = 'must be JSON: text, a number, a boolean, null, a list or a plain object';
    throw refused('details-invalid', [{ field: path.join('.'), message }]);
  }
  const { error, data } = submittedSchema.safeParse(details);
  if (error === undefined) return data;
  throw refused('details-invalid', fieldErrors(error, within));
}

const refused = (code: 'details-invalid' | 'option-invalid', errors: readonly FieldError[]) =>
  new SubmissionError({ kind: 'refused', code, errors });

/** The path of the first value that JSON does not have; null: there is none. */
function noJson(value: unknown, path: readonly string[]): readonly string[] | null {
  if (typeof value !== 'object' || value === null) {
    const isJson = value === null || ['string', 'number', 'boolean'].includes(typeof value);
    return isJson ? null : path;
  }
  const made: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && made !== Object.prototype && made !== null) return path;
  for (const [key, inner] of Object.entries(value)) {
    // A property without a value counts as absent, an element of a list does not.
    if (inner === undefined && !Array.isArray(value)) continue;
    const found = noJson(inner, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}
