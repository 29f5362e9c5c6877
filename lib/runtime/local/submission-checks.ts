/**
 * What a submission of this process must be, as the API checks it: code without types may pass anything, and what is stored in
 * another form than it is read would look like damage.
 */
import * as z from 'zod';
import { type FieldError, fieldErrors } from '#core/codec/field-errors.ts';
import { submittedSchema } from '#core/codec/json-schema.ts';
import { loneSurrogate } from '#core/codec/strict-json.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { priorities } from '#core/model/record.ts';
import { submissionKeyForm } from '#core/model/submission-key.ts';
import { SubmissionError } from '#roles/submission/submission-error.ts';

/** Names of response channels are no longer than those of workflows. */
const channelNameLengthMax = 40;
const text = (lengthMax: number) =>
  z
    .string()
    .min(1)
    .max(lengthMax)
    // SQLite and DynamoDB store UTF-8, which has no lone surrogate: another name would be read.
    .refine((value) => value.isWellFormed(), loneSurrogate)
    .optional();

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
  const { error, data } = submittedSchema.safeParse(details);
  if (error === undefined) return data;
  throw refused('details-invalid', fieldErrors(error, { path: ['details'], whole: 'details' }));
}

const refused = (code: 'details-invalid' | 'option-invalid', errors: readonly FieldError[]) =>
  new SubmissionError({ kind: 'refused', code, errors });
