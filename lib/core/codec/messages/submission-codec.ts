/** Submissions by queue. */
import * as z from 'zod';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { priorities } from '#core/model/record.ts';
import { submissionKeyForm } from '#core/model/submission-key.ts';
import { jsonSchema } from '../json-schema.ts';
import { strictJson } from '../strict-json.ts';
import { messageCodec } from './message-codec.ts';
import { correlationId, priority, replyTo, tenant } from './message-fields.ts';

/** A submission by queue. The key is required: a queue can deliver twice, and must create only one order. */
export interface SubmissionMessage {
  readonly workflow: string;
  readonly details: JsonValue;
  readonly priority: (typeof priorities)[number];
  readonly tenant: string | null;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
  readonly key: string;
}

const submissionSchema: z.ZodType<SubmissionMessage> = z
  .object({
    workflow: z.string().describe('The name of the workflow.'),
    details: jsonSchema.describe('The document that the workflow defines.'),
    priority: priority.default('normal'),
    tenant: tenant.default(null),
    replyTo: replyTo.default(null),
    correlationId,
    key: z
      .string()
      .max(limits.submissionKeyLengthMax)
      .regex(submissionKeyForm.pattern, submissionKeyForm.message)
      .describe('Identifies the submission: however often it is delivered, it creates one order.'),
  })
  .meta({ title: 'Submission', description: 'Submits an order through the submission queue.' });

/** Submission queue. Its JSON is validated by the same rules as the bodies of the API. */
export const submissionCodec = messageCodec('submission', submissionSchema, strictJson);
