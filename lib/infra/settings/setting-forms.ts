/** Schemas of the values of settings. */
import * as z from 'zod';
import { namedValues } from '#core/codec/named-values.ts';
import { strictJson } from '#core/codec/strict-json.ts';
import { wholeNumber } from '#core/codec/whole-number.ts';

/** Values are texts on the command line and JSON in cdk.json. */
export const json = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value, context) => {
    if (typeof value !== 'string') return value;
    const parsed = strictJson(value);
    if (parsed.kind === 'json') return parsed.value;
    const { field, message } = parsed.fault;
    if (field === null) return value;
    context.addIssue({ code: 'custom', path: field.split('.'), message });
    return z.NEVER;
  }, schema);

/** A list without duplicates, which would have no effect. */
export const distinct = <Schema extends z.ZodType<readonly string[]>>(schema: Schema) =>
  schema.refine((all) => new Set(all).size === all.length, 'must contain each element only once');

/** The ARN of an SQS queue. */
const queueArn = z
  .string()
  .regex(/^arn:[\w-]+:sqs:[\w-]+:\d{12}:[\w.-]+$/, 'must be the ARN of a queue');
/** Messages for submitters have no message group: their sequence is in the status message. */
export const mustBeStandard =
  'must be a standard queue: status messages have no message group, which a FIFO queue requires';
/** The ARN of a queue that takes messages without a message group. */
export const standardQueueArn = queueArn.refine((arn) => !arn.endsWith('.fifo'), mustBeStandard);
/** The whole ARN of a secret of Secrets Manager: without its end, a policy that grants its use would name no secret. */
export const secretArn = z
  .string()
  .regex(
    /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/,
    'must be the ARN of a secret, with the "-" and the six characters that Secrets Manager puts at its end',
  );
/** Words in a token's claim are separated by spaces. */
export const word = z.string().regex(/^[^\s[\]]+$/, 'must be one word without brackets');

/** Not an alias: a policy that grants the use of a key must name the key. */
export const keyArn = z
  .string()
  .regex(
    /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/,
    'must be the ARN of a key, and not of an alias',
  );
/** The ARN of a managed policy, as a permissions boundary. */
export const boundaryArn = z
  .string()
  .regex(
    /^arn:[\w-]+:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+$/,
    'must be the ARN of a managed policy',
  );
/** PutEvents accepts an ARN too, but a rule must be on a bus of its own account and region. */
export const busName = z
  .string()
  .regex(/^[\w.-]{1,256}$/, 'must be the name of a bus in the account and region of the stack');
const originForm = /^(https:\/\/[a-z0-9.-]+|http:\/\/(localhost|127\.0\.0\.1))(:\d{1,5})?$/;
/** As a browser sends it: no path, no `*`, no port that its scheme has anyway. Plain http is for development. */
export const origin = z
  .string()
  .refine(
    (text) => originForm.test(text) && URL.canParse(text) && new URL(text).origin === text,
    'must be an origin such as https://shop.example.com, in lower case, without a path and without the port 443',
  );

/** Retention periods that CloudWatch Logs accepts, days (PutRetentionPolicy). */
const retentions = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1_096, 1_827, 2_192, 2_557, 2_922,
  3_288, 3_653,
];
/** Days; only those that CloudWatch Logs accepts. */
export const logRetention = wholeNumber(1, 3_653).refine((days) => retentions.includes(days), {
  error: `must be one of ${retentions.join(', ')}`,
});

const tagText = /^[\p{L}\p{Z}\p{N}_.:/=+@-]*$/u;
/** Tags per resource (AWS Tagging Best Practices: 50, not counting CloudFormation's own). */
const tagsMax = 50;
const tagKey = z
  .string()
  .min(1)
  .max(128)
  .regex(tagText, 'has a character that tags do not allow')
  .regex(/^(?!aws:)/i, 'must not begin with aws:');
// CloudFormation refuses an empty one for some resources.
const tagValue = z
  .string()
  .min(1)
  .max(256)
  .regex(tagText, 'has a character that tags do not allow');
/** Tags of all resources, up to 50. */
export const tags = namedValues(tagKey, tagValue).refine(
  (all) => Object.keys(all).length <= tagsMax,
  `must be ${tagsMax} at most`,
);
