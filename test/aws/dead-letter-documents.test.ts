/** Reading dead letters: the requests to SQS, and the subject of each kind. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import type { DeadLetterQueues } from '#aws/operator/dead-letter-queues.ts';
import { type DeadLetter, readDeadLetters } from '#aws/operator/dead-letters.ts';
import { notificationCodec, statusCodec } from '#core/codec/messages/change-codec.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { orderId } from '#core/model/ids.ts';
import type { DeadLetterKind } from '#core/view/dead-letter.ts';
import { answeringAws, sqsMessage } from '../support/answering-aws.ts';
import { changeToError } from '../support/changes.ts';
import { nudge, reply, request, status } from '../support/messages.ts';

const dead = 'http://127.0.0.1/000000000000/dead';
const [high, normal] = [
  'http://127.0.0.1/000000000000/high',
  'http://127.0.0.1/000000000000/normal',
];
type Message = ReturnType<typeof sqsMessage>;

/** An SQS whose dead-letter queue returns these pages, and nothing after them. */
async function sqs(pages: readonly (readonly Message[])[] = [], answer: object = {}) {
  let page = 0;
  const { calls, url } = await answeringAws(({ operation }) => {
    if (operation !== 'ReceiveMessage') return answer;
    page += 1;
    const Messages = pages[page - 1];
    return Messages === undefined ? {} : { Messages };
  });
  return { calls, client: sqsClient({ endpoint: url }) };
}

const messages = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => sqsMessage(`m${from + at}`, `rubbish ${from + at}`));
/** Pages of ten. */
const pagesOf = (count: number) =>
  Array.from({ length: Math.ceil(count / 10) }, (_, at) =>
    messages(Math.min(10, count - at * 10), at * 10),
  );

const queuesOf = (
  kind: DeadLetterKind,
  sources: DeadLetterQueues[string]['sources'],
): DeadLetterQueues => ({
  Some: { kind, dead, sources },
});

async function look(
  kind: DeadLetterKind,
  pages: readonly (readonly Message[])[],
  sources: DeadLetterQueues[string]['sources'] = { high, normal },
) {
  const { calls, client } = await sqs(pages);
  return { calls, ...(await readDeadLetters(client, queuesOf(kind, sources))) };
}

/** The only dead letter of a queue. */
async function letter(kind: DeadLetterKind, message: Message): Promise<DeadLetter> {
  const { deadLetters } = await look(kind, [[message]]);
  expect(deadLetters).toHaveLength(1);
  const [only] = deadLetters;
  if (only === undefined) throw new Error('there is one');
  return only;
}

test('a read requests ten dead letters at a time, with their reasons, and hides them for two minutes', async () => {
  const { calls, deadLetters } = await look('nudge', []);
  expect(deadLetters).toEqual([]);
  expect(calls).toEqual([
    {
      operation: 'ReceiveMessage',
      input: {
        QueueUrl: dead,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 120,
        // Any wait makes SQS ask all of its servers.
        WaitTimeSeconds: 1,
        MessageAttributeNames: ['Reason'],
        MessageSystemAttributeNames: ['MessageGroupId', 'MessageDeduplicationId'],
      },
    },
  ]);
});

test('a read continues until a page has nothing new, and lists a repeated dead letter once', async () => {
  const { calls, deadLetters } = await look('nudge', [
    messages(10),
    messages(3, 8),
    messages(4, 7),
  ]);
  expect(calls).toHaveLength(3);
  expect(deadLetters.map(({ body }) => body)).toEqual(messages(11).map(({ Body }) => Body));
});

test.each([
  [199, 199, true],
  [200, 200, false],
  [230, 200, false],
])(
  'from %i dead letters a read returns %i, and whether these are all',
  async (count, shown, isComplete) => {
    const found = await look('nudge', pagesOf(count));
    expect(found.deadLetters).toHaveLength(shown);
    expect(found.isComplete).toBe(isComplete);
  },
);

test('one queue that is not read to its end leaves the result incomplete', async () => {
  const { url } = await answeringAws(({ input }, number) => {
    const isFull = JSON.stringify(input).includes('full');
    return { Messages: isFull ? messages(10, 10 * number) : [] };
  });
  const { isComplete } = await readDeadLetters(sqsClient({ endpoint: url }), {
    empty: { kind: 'nudge', dead, sources: null },
    full: { kind: 'nudge', dead: `${dead}-full`, sources: null },
  });
  expect(isComplete).toBe(false);
});

test.each([
  [1, false],
  [0, true],
])(
  'after %i dead letters of a FIFO queue, that these are all is %s: SQS hides others of a group',
  async (count, isAll) => {
    const { url } = await answeringAws((_, number) => ({
      Messages: number === 1 ? messages(count) : [],
    }));
    const { isComplete } = await readDeadLetters(sqsClient({ endpoint: url }), {
      some: { kind: 'notification', dead: `${dead}.fifo`, sources: null },
    });
    expect(isComplete).toBe(isAll);
  },
);

const kinds: [DeadLetterKind, fc.Arbitrary<{ body: string; subject: object; source: string }>][] = [
  [
    'nudge',
    nudge.map((message) => ({
      body: nudgeCodec.encode(message),
      subject: message,
      source: message.priority === 'high' ? high : normal,
    })),
  ],
  [
    'request',
    request.map((message) => ({
      body: requestCodec.encode(message),
      subject: message,
      source: message.priority === 'high' ? high : normal,
    })),
  ],
  // Replies have one queue for all classes.
  [
    'reply',
    reply.map((message) => ({
      body: replyCodec.encode(message),
      subject: message,
      source: normal,
    })),
  ],
  [
    'status',
    status.map((message) => ({
      body: statusCodec.encode(message),
      subject: message,
      source: message.priority === 'high' ? high : normal,
    })),
  ],
  [
    'notification',
    status.map((change) => ({
      body: notificationCodec.encode({ audience: 'operator', change }),
      subject: change,
      source: change.priority === 'high' ? high : normal,
    })),
  ],
];

test.each(kinds)('a %s has its subject and its source queue', async (kind, arbitrary) => {
  await fc.assert(
    fc.asyncProperty(arbitrary, async ({ body, subject, source }) => {
      expect(await letter(kind, sqsMessage('m', body))).toEqual({
        queue: 'Some',
        kind,
        body,
        dead,
        source,
        subject: expect.objectContaining(subject),
        reason: 'received too often without success',
        wasParked: false,
        receipt: 'receipt of m',
        fifo: null,
      });
    }),
    { numRuns: 5 },
  );
});

test.each<DeadLetterKind>([
  'nudge',
  'request',
  'reply',
  'status',
  'notification',
  'change',
  'submission',
])('an unreadable %s is listed, with the queue of normal as its source', async (kind) => {
  const MessageAttributes = { Reason: { DataType: 'String', StringValue: 'is not JSON' } };
  const found = await letter(kind, sqsMessage('m', 'rubbish', { MessageAttributes }));
  expect(found).toMatchObject({ subject: null, source: normal, reason: 'is not JSON' });
  expect(found.wasParked).toBe(true);
});

test('a change has its subject', async () => {
  const { record, change } = changeToError();
  const { eventName, dynamodb } = record;
  const OldImage = { ProcessState: dynamodb.OldImage.ProcessState };
  const body = JSON.stringify({ kind: 'change', eventName, dynamodb: { ...dynamodb, OldImage } });
  expect((await letter('change', sqsMessage('m', body))).subject).toEqual(change);
});

test('an attribute other than the reason is ignored', async () => {
  const MessageAttributes = { Other: { DataType: 'String', StringValue: 'x' } };
  expect(await letter('nudge', sqsMessage('m', 'x', { MessageAttributes }))).toMatchObject({
    reason: 'received too often without success',
    wasParked: false,
  });
});

test('a submission has no order as its subject, regardless of its content', async () => {
  const body = nudgeCodec.encode({ orderId: orderId('one'), priority: 'high' });
  expect(await letter('submission', sqsMessage('m', body))).toMatchObject({ subject: null });
});

test.each<[object, DeadLetter['fifo']]>([
  [
    { MessageGroupId: 'one', MessageDeduplicationId: 'one-1' },
    { group: 'one', id: 'one-1' },
  ],
  [{ MessageGroupId: 'one' }, null],
  [{ MessageDeduplicationId: 'one-1' }, null],
])(
  'a dead letter with the attributes %j has the place %j in a FIFO queue',
  async (Attributes, fifo) => {
    expect((await letter('nudge', sqsMessage('m', 'x', { Attributes }))).fifo).toEqual(fifo);
  },
);

test('dead letters without a source queue have none', async () => {
  const { deadLetters } = await look('change', [messages(1)], null);
  expect(deadLetters).toMatchObject([{ source: null }]);
});
