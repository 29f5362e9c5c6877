/** Checks that an event is a batch of what invokes a function: a principal that may invoke it can send another one, as from the console of Lambda. */
import * as z from 'zod';
import { ReeveError } from '#core/model/errors.ts';

const message = z.object({ messageId: z.string(), body: z.string(), attributes: z.object({}) });
const change = z.object({ dynamodb: z.object({}) });

/** What invokes a function, and what to do instead of invoking it. */
const sources = {
  queue: {
    event: z.object({ Records: z.array(message) }),
    records: 'messages of an SQS queue',
    instead: 'To have a message handled, send it to the queue of the function.',
  },
  changes: {
    event: z.object({ Records: z.array(z.union([change, message])) }),
    records: 'changes of the stream of a DynamoDB table, or messages of an SQS queue',
    instead: 'A change that was not notified is a dead letter, which `reeve dlq` shows.',
  },
} as const;

/** What an event has in its list `Records`. */
export type BatchSource = keyof typeof sources;

/** @throws {ReeveError} `event-unknown`, when it is no batch of this source */
export function checkRecords(source: BatchSource, event: unknown, functionName: string): void {
  const { event: schema, records, instead } = sources[source];
  if (schema.safeParse(event).success) return;
  throw new ReeveError(
    'event-unknown',
    `The function ${functionName} was invoked with an event that has no list \`Records\` of ${records}, so nothing was done. Only its event source mapping invokes it. ${instead}`,
  );
}
