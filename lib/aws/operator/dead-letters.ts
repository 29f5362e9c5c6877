/** The dead-letter queues of a stack: what is in them, and sending back or deleting one letter. */
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { changeIn } from '#aws/notifications/change-dead-letter.ts';
import { retryPlace } from '#aws/notifications/retry-queue.ts';
import { reasonAttribute } from '#aws/queues/parking.ts';
import { byPriority, type PriorityQueues } from '#aws/queues/queue-of-priority.ts';
import { type FifoPlace, type Outgoing, sendBatch } from '#aws/queues/send-batch.ts';
import {
  type Decoded,
  notificationCodec,
  nudgeCodec,
  replyCodec,
  requestCodec,
  statusCodec,
} from '#core/codec/message-codec.ts';
import { notificationsOf } from '#core/model/change.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { Priority } from '#core/model/record.ts';
import type { DeadLetterKind, DeadLetterSubject } from '#core/view/dead-letter.ts';
import type { DeadLetterQueues } from './dead-letter-queues.ts';

/** Of one look at a queue: a longer list is for a program, not for a person. */
const deadLettersMax = 200;
/** How long a letter stays with whoever looked, unless it is released: their receipt is good so long, s. */
const hiddenSeconds = 120;
/**
 * Any wait makes SQS ask all of its servers; without one it asks a few, and a queue with letters may look
 * empty (SQS, short and long polling). Less than the client's request timeout, s.
 */
const waitSeconds = 1;
const receiveMax = 10;

export interface DeadLetter {
  readonly queue: string;
  readonly kind: DeadLetterKind;
  /** Why it was parked, or that it was given up. */
  readonly reason: string;
  readonly wasParked: boolean;
  /** Null when it cannot be read. */
  readonly subject: DeadLetterSubject | null;
  readonly body: string;
  readonly dead: string;
  readonly source: string | null;
  readonly receipt: string;
  /** How a FIFO queue knows it; null for a letter of another queue. */
  readonly fifo: FifoPlace | null;
}

/** Hides what it gives, until it is released, and changes nothing else. */
export async function readDeadLetters(
  client: SQSClient,
  queues: DeadLetterQueues,
): Promise<{ readonly letters: readonly DeadLetter[]; readonly isComplete: boolean }> {
  const all = await Promise.all(
    Object.entries(queues).map(async ([queue, { kind, dead, sources }]) => {
      const messages = await receiveAll(client, dead);
      return messages.map((message) => ({
        ...deadLetterOf(kind, message, sources),
        queue,
        dead,
      }));
    }),
  );
  return { letters: all.flat(), isComplete: all.every(({ length }) => length < deadLettersMax) };
}

async function receiveAll(client: SQSClient, queue: string): Promise<readonly Message[]> {
  const found = new Map<string, Message>();
  while (found.size < deadLettersMax) {
    const { Messages: page = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queue,
        MaxNumberOfMessages: receiveMax,
        VisibilityTimeout: hiddenSeconds,
        WaitTimeSeconds: waitSeconds,
        MessageAttributeNames: [reasonAttribute],
        MessageSystemAttributeNames: ['MessageGroupId', 'MessageDeduplicationId'],
      }),
    );
    const before = found.size;
    for (const message of page) found.set(message.MessageId ?? '', message);
    if (found.size === before) break;
  }
  return [...found.values()];
}

function deadLetterOf(kind: DeadLetterKind, message: Message, sources: PriorityQueues | null) {
  const { Body: body = '', MessageAttributes, Attributes, ReceiptHandle: receipt = '' } = message;
  const group = Attributes?.MessageGroupId;
  const id = Attributes?.MessageDeduplicationId;
  const reason = MessageAttributes?.[reasonAttribute]?.StringValue;
  const subject = subjectOf(kind, body);
  return {
    kind,
    body,
    receipt,
    source: sources === null ? null : byPriority(sources)(subject ?? { priority: 'normal' }),
    fifo: group === undefined || id === undefined ? null : { group, id },
    subject,
    reason: reason ?? 'given up by its queue',
    wasParked: reason !== undefined,
  };
}

/** What a letter is about, and the class whose queue it came by: replies and statuses have one queue for all. */
type Subject = DeadLetterSubject & { readonly priority: Priority };

function subjectOf(kind: DeadLetterKind, body: string): Subject | null {
  switch (kind) {
    case 'nudge':
      return messageOf(nudgeCodec.decode(body));
    case 'request':
      return messageOf(requestCodec.decode(body));
    case 'reply':
      return ofOneQueue(messageOf(replyCodec.decode(body)));
    case 'status':
      return messageOf(statusCodec.decode(body));
    case 'notification':
      return messageOf(notificationCodec.decode(body))?.change ?? null;
    case 'change':
      return changeIn(body);
    case 'submission':
      return null;
  }
}

function messageOf<Message>(decoded: Decoded<Message>): Message | null {
  return decoded.kind === 'message' ? decoded.message : null;
}

const ofOneQueue = (subject: DeadLetterSubject | null): Subject | null =>
  subject === null ? null : { ...subject, priority: 'normal' };

/** Sent before it is deleted: a crash in between leaves a letter twice, never not at all. */
export async function sendBack(client: SQSClient, deadLetter: DeadLetter): Promise<void> {
  if (deadLetter.source === null) {
    throw new ReeveError(
      'no-source',
      `Dead letters of ${deadLetter.queue} have no queue to go back to.`,
    );
  }
  const refused = await sendBatch(client, deadLetter.source, outgoing(deadLetter));
  for (const error of refused.values()) throw error;
  await discard(client, deadLetter);
}

/** What goes back: the letter itself; of a change, what each audience is to be told of it. */
function outgoing({ kind, body, fifo }: DeadLetter): readonly Outgoing[] {
  const change = kind === 'change' ? changeIn(body) : null;
  if (change !== null) {
    return notificationsOf(change).map((notification) => ({
      body: notificationCodec.encode(notification),
      fifo: again(retryPlace(notification)),
    }));
  }
  return [{ body, ...(fifo !== null && { fifo: again(fifo) }) }];
}

/** Another id: what SQS takes for a repetition, it drops without a word. */
const again = ({ group, id }: FifoPlace): FifoPlace => ({ group, id: `${id}-again` });

export async function discard(
  client: SQSClient,
  { dead, receipt }: Pick<DeadLetter, 'dead' | 'receipt'>,
): Promise<void> {
  await client.send(new DeleteMessageCommand({ QueueUrl: dead, ReceiptHandle: receipt }));
}

/** Shows it to the next look at once; its receipt is then no longer good. */
export async function release(client: SQSClient, { dead, receipt }: DeadLetter): Promise<void> {
  await client.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: dead,
      ReceiptHandle: receipt,
      VisibilityTimeout: 0,
    }),
  );
}
