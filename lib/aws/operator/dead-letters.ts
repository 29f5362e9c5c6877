/** Reads, sends back and deletes the dead letters of a stack. */
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
import { notificationCodec, statusCodec } from '#core/codec/messages/change-codec.ts';
import { deadlineCheckCodec } from '#core/codec/messages/deadline-check-codec.ts';
import type { Decoded } from '#core/codec/messages/message-codec.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { notificationsOf } from '#core/model/change.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { Priority } from '#core/model/record.ts';
import type { DeadLetterKind, DeadLetterSubject } from '#core/view/dead-letter.ts';
import type { DeadLetterQueues } from './dead-letter-queues.ts';

/** Dead letters read from one queue at a time: an operator cannot use a longer list. */
const deadLettersMax = 200;
/** How long a dead letter that was read stays hidden and its receipt handle stays valid, unless released, s. */
const hiddenSeconds = 120;
/**
 * Any wait makes SQS query all of its servers. Without one it queries a few, and a queue with messages may
 * look empty (SQS, short and long polling). Below the client's request timeout, s.
 */
const waitSeconds = 1;
const receiveMax = 10;

export interface DeadLetter {
  readonly queue: string;
  readonly kind: DeadLetterKind;
  /** Why it was parked, or that its queue gave up. */
  readonly reason: string;
  readonly wasParked: boolean;
  /** Null when the body is unreadable. */
  readonly subject: DeadLetterSubject | null;
  readonly body: string;
  readonly dead: string;
  readonly source: string | null;
  readonly receipt: string;
  /** Its place in a FIFO queue; null in a standard queue. */
  readonly fifo: FifoPlace | null;
}

/**
 * Hides the dead letters that it returns until they are released, and changes nothing else. `isComplete` is false when a queue
 * may have more.
 */
export async function readDeadLetters(
  client: SQSClient,
  queues: DeadLetterQueues,
): Promise<{ readonly deadLetters: readonly DeadLetter[]; readonly isComplete: boolean }> {
  const all = await Promise.all(
    Object.entries(queues).map(async ([queue, { kind, dead, sources }]) => {
      const messages = await receiveAll(client, dead);
      const deadLetters = messages.map((message) => ({
        ...deadLetterOf(kind, message, sources),
        queue,
        dead,
      }));
      return { deadLetters, isComplete: isAll(dead, messages) };
    }),
  );
  return {
    deadLetters: all.flatMap(({ deadLetters }) => deadLetters),
    isComplete: all.every(({ isComplete }) => isComplete),
  };
}

/** While some messages of a group are hidden, a FIFO queue hides all that come after them in the group (SQS). */
const isAll = (queue: string, messages: readonly Message[]) =>
  messages.length < deadLettersMax && !(queue.endsWith('.fifo') && messages.length > 0);

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
    reason: reason ?? 'received too often without success',
    wasParked: reason !== undefined,
  };
}

/** The order and the priority class of a dead letter; one queue serves all classes of replies and statuses. */
type Subject = DeadLetterSubject & { readonly priority: Priority };

function subjectOf(kind: DeadLetterKind, body: string): Subject | null {
  switch (kind) {
    case 'nudge':
      return messageOf(nudgeCodec.decode(body));
    case 'deadline-check':
      return withNormalPriority(messageOf(deadlineCheckCodec.decode(body)));
    case 'request':
      return messageOf(requestCodec.decode(body));
    case 'reply':
      return withNormalPriority(messageOf(replyCodec.decode(body)));
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

const withNormalPriority = (subject: DeadLetterSubject | null): Subject | null =>
  subject === null ? null : { ...subject, priority: 'normal' };

/**
 * Sends before deleting: a crash in between duplicates the dead letter and never loses it. So that the deletion finds it, it is hidden anew first, for
 * longer than both take.
 *
 * @throws {ReeveError} `dead-letter-visible` when it was read too long ago: nothing is sent
 */
export async function sendBack(client: SQSClient, deadLetter: DeadLetter): Promise<void> {
  if (deadLetter.source === null) {
    throw new ReeveError('no-source', `Dead letters of ${deadLetter.queue} have no source queue.`);
  }
  await hideAnew(client, deadLetter);
  const refused = await sendBatch(client, deadLetter.source, outgoing(deadLetter));
  for (const error of refused.values()) throw error;
  await discard(client, deadLetter);
}

/** How SQS refuses a receipt handle whose time is over. */
const overdue: ReadonlySet<string> = new Set([
  'InvalidParameterValue',
  'MessageNotInflight',
  'ReceiptHandleIsInvalid',
]);

async function hideAnew(client: SQSClient, deadLetter: DeadLetter): Promise<void> {
  try {
    await client.send(visibleIn(hiddenSeconds, deadLetter));
  } catch (cause) {
    if (!(cause instanceof Error && overdue.has(cause.name))) throw cause;
    throw new ReeveError(
      'dead-letter-visible',
      `It was read more than ${hiddenSeconds} s ago, and another run may have handled it. Nothing was sent: run the command again.`,
      { cause },
    );
  }
}

/** What is sent back: the message itself; for a change, a notification for each audience. */
function outgoing({ kind, body, fifo }: DeadLetter): readonly Outgoing[] {
  const change = kind === 'change' ? changeIn(body) : null;
  if (change !== null) {
    return notificationsOf(change).map((notification) => ({
      body: notificationCodec.encode(notification),
      fifo: withNewId(retryPlace(notification)),
    }));
  }
  return [{ body, ...(fifo !== null && { fifo: withNewId(fifo) }) }];
}

/** An id, how often it was sent back by former releases, and how often it was sent, which no id of Reeve has. */
const sentId = /^(.*?)(?:-again)*(?:~(\d+))?$/;

/**
 * SQS silently drops a message whose deduplication id it has seen within five minutes. So it gets another one: the same again
 * where it was sent back and could not be deleted.
 */
function withNewId({ group, id }: FifoPlace): FifoPlace {
  const [, first = id, times = '1'] = sentId.exec(id) ?? [];
  return { group, id: `${first}~${Number(times) + 1}` };
}

export async function discard(
  client: SQSClient,
  { dead, receipt }: Pick<DeadLetter, 'dead' | 'receipt'>,
): Promise<void> {
  await client.send(new DeleteMessageCommand({ QueueUrl: dead, ReceiptHandle: receipt }));
}

/** Makes the dead letter visible at once and invalidates its receipt handle. */
export async function release(client: SQSClient, deadLetter: DeadLetter): Promise<void> {
  await client.send(visibleIn(0, deadLetter));
}

const visibleIn = (seconds: number, { dead, receipt }: DeadLetter) =>
  new ChangeMessageVisibilityCommand({
    QueueUrl: dead,
    ReceiptHandle: receipt,
    VisibilityTimeout: seconds,
  });
