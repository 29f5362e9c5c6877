/**
 * A change stream record as a dead letter. It contains the record, so that a later version of Reeve can read
 * the change, and not the details of the order.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { StreamImage, StreamRecord } from '#aws/lambda-events.ts';
import { sendDeadLetter } from '#aws/queues/parking.ts';
import type { Change } from '#core/model/change.ts';
import { UnreadableDataError } from '#core/model/errors.ts';
import { streamEntry } from './process-stream.ts';

const image = z.record(
  z.string(),
  z.union([
    z.strictObject({ S: z.string() }),
    z.strictObject({ N: z.string() }),
    z.strictObject({ NULL: z.literal(true) }),
  ]),
);
const schema = z.object({
  kind: z.literal('change'),
  eventName: z.enum(['INSERT', 'MODIFY', 'REMOVE']),
  dynamodb: z.object({
    Keys: image.optional(),
    OldImage: image.optional(),
    NewImage: image.optional(),
  }),
});

/** Parks records in the dead-letter queue with this URL. */
export function changeParking(
  client: SQSClient,
  queue: string,
): (record: StreamRecord, reason: string) => Promise<void> {
  return async ({ eventName, dynamodb }, reason) => {
    const { Keys, OldImage, NewImage: whole } = dynamodb ?? {};
    const NewImage = whole && withoutDocument(whole);
    // Only the state of the old image is needed; without the rest the message fits SQS's size limit.
    const state = OldImage?.['ProcessState'];
    const before = state === undefined ? undefined : { ProcessState: state };
    const body = JSON.stringify({
      kind: 'change',
      eventName,
      dynamodb: { Keys, NewImage, ...(before !== undefined && { OldImage: before }) },
    });
    await sendDeadLetter(client, queue, { body, reason });
  };
}

const withoutDocument = ({ Details: _, Digest: __, ...record }: StreamImage): StreamImage => record;

/** The change in a dead letter; null when this version cannot read it, or when the message only refers to records. */
export function changeIn(body: string): Change | null {
  const parsed = schema.safeParse(json(body));
  if (!parsed.success) return null;
  const { eventName, dynamodb } = parsed.data;
  try {
    const entry = streamEntry({ eventName, dynamodb });
    return entry.kind === 'changed' ? entry.change : null;
  } catch (error) {
    if (error instanceof UnreadableDataError) return null;
    throw error;
  }
}

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
