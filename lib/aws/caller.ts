/** Who asked, as API Gateway's authorizer says it: by role or user, or by the subject of a token. */
import { createHash } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import { principalName } from '#core/principal.ts';

/** Kept in an order's history, which has to stay small. */
const lengthMax = 100;
const unknownCaller = 'api';

const schema = z.object({
  requestContext: z.object({
    authorizer: z.object({
      iam: z.object({ userArn: z.string() }).optional(),
      jwt: z.object({ claims: z.object({ sub: z.string() }) }).optional(),
    }),
  }),
});

export function callerOf(env: unknown): string {
  const parsed = schema.safeParse(env);
  if (!parsed.success) return unknownCaller;
  const { iam, jwt } = parsed.data.requestContext.authorizer;
  // Of an ARN the end alone tells callers of one account apart.
  const name = iam?.userArn.split(':').at(-1) ?? jwt?.claims.sub ?? unknownCaller;
  return name.slice(-lengthMax);
}

/** Whoever sent a message to a queue, as SQS itself says it: no sender can say so of itself. */
export function senderOf(record: Pick<SQSRecord, 'attributes'> | undefined): string {
  const { SenderId: sender = '' } = record?.attributes ?? {};
  return sender === '' ? 'submission-queue' : principalName(sender, sha256);
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
