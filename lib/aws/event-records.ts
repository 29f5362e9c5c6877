/** Checks that an event is a batch of what invokes a function: a principal that may invoke it can send another one, as from the console of Lambda. */
import { ReeveError } from '#core/model/errors.ts';
import { isObject } from '#core/model/json.ts';

// By hand, because each invocation is checked, and the first one would compile schemas.
const isMessage = (record: unknown) =>
  isObject(record) &&
  typeof record['messageId'] === 'string' &&
  typeof record['body'] === 'string' &&
  isObject(record['attributes']);
const isChange = (record: unknown) => isObject(record) && isObject(record['dynamodb']);

/** What invokes a function, and what to do instead of invoking it. */
const sources = {
  queue: {
    isRecord: isMessage,
    records: 'messages of an SQS queue',
    instead: 'To have a message handled, send it to the queue of the function.',
  },
  changes: {
    isRecord: (record: unknown) => isChange(record) || isMessage(record),
    records: 'changes of the stream of a DynamoDB table, or messages of an SQS queue',
    instead: 'A change that was not notified is a dead letter, which `reeve dlq` shows.',
  },
} as const;

/** What an event has in its list `Records`. */
export type BatchSource = keyof typeof sources;

/** @throws {ReeveError} `event-unknown`, when it is no batch of this source */
export function checkRecords(source: BatchSource, event: unknown, functionName: string): void {
  const { isRecord, records, instead } = sources[source];
  const given = isObject(event) ? event['Records'] : undefined;
  if (Array.isArray(given) && given.every(isRecord)) return;
  throw new ReeveError(
    'event-unknown',
    `The function ${functionName} was invoked with an event that has no list \`Records\` of ${records}, so nothing was done. Only its event source mapping invokes it. ${instead}`,
  );
}
