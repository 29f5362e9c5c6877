/** Dead letters: what SQS is asked by who looks at them, and what becomes of each kind. */
import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toItem } from '#aws/attributes.ts';
import { changeIn, changeParking } from '#aws/change-letter.ts';
import { sqsClient } from '#aws/clients.ts';
import { type DeadLetter, discard, readLetters, release, sendBack } from '#aws/dead-letters.ts';
import type { LetterQueues } from '#aws/letter-queues.ts';
import { changeOf, notificationsOf } from '#core/change.ts';
import type { LetterKind } from '#core/dead-letter.ts';
import { orderId } from '#core/ids.ts';
import {
  notificationCodec,
  nudgeCodec,
  replyCodec,
  requestCodec,
  statusCodec,
} from '#core/message-codec.ts';
import { encodeRecord } from '#core/record-codec.ts';
import { answeringAws, sqsMessage } from '../support/answering-aws.ts';
import { nudge, reply, request, status } from '../support/messages.ts';
import { claimed, newOrder, next } from '../support/orders.ts';

const dead = 'http://127.0.0.1/000000000000/dead';
const [high, normal] = [
  'http://127.0.0.1/000000000000/high',
  'http://127.0.0.1/000000000000/normal',
];
type Message = ReturnType<typeof sqsMessage>;

/** An SQS whose dead-letter queue gives these pages, and nothing after them. */
async function sqs(pages: readonly (readonly Message[])[] = [], answer: object = {}) {
  let page = 0;
  const { calls, url } = await answeringAws(({ operation }) => {
    if (operation !== 'ReceiveMessage') return answer;
    page += 1;
    return { Messages: pages[page - 1] ?? [] };
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

const queuesOf = (kind: LetterKind, sources: LetterQueues[string]['sources']): LetterQueues => ({
  Some: { kind, dead, sources },
});

async function look(
  kind: LetterKind,
  pages: readonly (readonly Message[])[],
  sources: LetterQueues[string]['sources'] = { high, normal },
) {
  const { calls, client } = await sqs(pages);
  return { calls, ...(await readLetters(client, queuesOf(kind, sources))) };
}

/** The only letter of a queue. */
async function letter(kind: LetterKind, message: Message): Promise<DeadLetter> {
  const { letters } = await look(kind, [[message]]);
  expect(letters).toHaveLength(1);
  const [only] = letters;
  if (only === undefined) throw new Error('there is one');
  return only;
}

test('a look asks for ten letters at a time, with their reasons, and holds them for two minutes', async () => {
  const { calls, letters } = await look('nudge', []);
  expect(letters).toEqual([]);
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

test('a look goes on until a page holds nothing new, and shows a letter that comes twice once', async () => {
  const { calls, letters } = await look('nudge', [messages(10), messages(3, 8), messages(4, 7)]);
  expect(calls).toHaveLength(3);
  expect(letters.map(({ body }) => body)).toEqual(messages(11).map(({ Body }) => Body));
});

test.each([
  [199, 199, true],
  [200, 200, false],
  [230, 200, false],
])(
  'of %i letters a look shows %i, and says whether these are all',
  async (count, shown, isComplete) => {
    const found = await look('nudge', pagesOf(count));
    expect(found.letters).toHaveLength(shown);
    expect(found.isComplete).toBe(isComplete);
  },
);

test('one queue that is not read to its end leaves the look incomplete', async () => {
  const { url } = await answeringAws(({ input }, number) => {
    const isFull = JSON.stringify(input).includes('full');
    return { Messages: isFull ? messages(10, 10 * number) : [] };
  });
  const { isComplete } = await readLetters(sqsClient({ endpoint: url }), {
    empty: { kind: 'nudge', dead, sources: null },
    full: { kind: 'nudge', dead: `${dead}-full`, sources: null },
  });
  expect(isComplete).toBe(false);
});

const kinds: [LetterKind, fc.Arbitrary<{ body: string; subject: object; source: string }>][] = [
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

test.each(kinds)(
  'a %s says what it is about, and which queue it came by',
  async (kind, arbitrary) => {
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ body, subject, source }) => {
        expect(await letter(kind, sqsMessage('m', body))).toEqual({
          queue: 'Some',
          kind,
          body,
          dead,
          source,
          subject: expect.objectContaining(subject),
          reason: 'given up by its queue',
          wasParked: false,
          receipt: 'receipt of m',
          fifo: null,
        });
      }),
      { numRuns: 5 },
    );
  },
);

test.each<LetterKind>([
  'nudge',
  'request',
  'reply',
  'status',
  'notification',
  'change',
  'submission',
])('a %s that cannot be read is shown, with the queue of normal as its own', async (kind) => {
  const MessageAttributes = { Reason: { DataType: 'String', StringValue: 'is not JSON' } };
  const found = await letter(kind, sqsMessage('m', 'rubbish', { MessageAttributes }));
  expect(found).toMatchObject({ subject: null, source: normal, reason: 'is not JSON' });
  expect(found.wasParked).toBe(true);
});

test('a submission is about no order yet, whatever it says', async () => {
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
])('a letter with the attributes %j has the place %j in a FIFO queue', async (Attributes, fifo) => {
  expect((await letter('nudge', sqsMessage('m', 'x', { Attributes }))).fifo).toEqual(fifo);
});

test('letters that came from no queue have none', async () => {
  const { letters } = await look('change', [messages(1)], null);
  expect(letters).toMatchObject([{ source: null }]);
});

/** An order comes to Error, as the stream tells it. */
function changeToError() {
  const now = Date.UTC(2026, 0, 1);
  const { record: pending } = newOrder('one', now, 'shop');
  const undoing = next(claimed(pending, now), { type: 'cancel', by: 'test' }, now + 1);
  const fault = { code: 'x', message: 'y', effect: 'none', step: null, action: null } as const;
  const stopped = { ...undoing, processState: 'Error', lockedBy: null, fault } as const;
  const change = changeOf('Processing', stopped);
  if (change === null) throw new Error('it is one');
  const NewImage: NonNullable<DynamoDBRecord['dynamodb']>['NewImage'] = JSON.parse(
    JSON.stringify(toItem({ ...encodeRecord(stopped) })),
  );
  const record = {
    eventName: 'MODIFY',
    dynamodb: {
      Keys: { OrderID: { S: 'one' } },
      NewImage: NewImage ?? {},
      OldImage: { ProcessState: { S: 'Processing' }, Steps: { S: 'large' } },
      SequenceNumber: '7',
    },
  } as const;
  return { change, record };
}

/** What SQS was asked to send; its body as JSON. */
const sentBody = (input: unknown): string =>
  typeof input === 'object' && input !== null && 'MessageBody' in input
    ? String(input.MessageBody)
    : '';

test('a change is parked with its content and, of the image before, the state alone', async () => {
  const { record, change } = changeToError();
  const body = JSON.stringify({
    kind: 'change',
    eventName: 'MODIFY',
    dynamodb: {
      Keys: record.dynamodb.Keys,
      NewImage: record.dynamodb.NewImage,
      OldImage: { ProcessState: { S: 'Processing' } },
    },
  });
  const { MD5OfBody } = sqsMessage('m', body);
  const { calls, client } = await sqs([], { MessageId: 'm', MD5OfMessageBody: MD5OfBody });
  await changeParking(client, dead)(record, 'record-corrupt');
  expect(calls).toEqual([
    {
      operation: 'SendMessage',
      input: {
        QueueUrl: dead,
        MessageBody: body,
        MessageAttributes: { Reason: { DataType: 'String', StringValue: 'record-corrupt' } },
      },
    },
  ]);
  expect(changeIn(body)).toEqual(change);
});

test.each<[string, DynamoDBRecord]>([
  ['a new record', { eventName: 'INSERT', dynamodb: { NewImage: { Revision: { N: '1' } } } }],
  ['nothing at all', { eventName: 'MODIFY' }],
])('of %s, what is there is parked', async (_, record) => {
  const { eventName, dynamodb = {} } = record;
  const body = JSON.stringify({ kind: 'change', eventName, dynamodb });
  const answer = { MessageId: 'm', MD5OfMessageBody: sqsMessage('m', body).MD5OfBody };
  const { calls, client } = await sqs([], answer);
  await changeParking(client, dead)(record, 'x');
  expect(calls.map(({ input }) => sentBody(input))).toEqual([body]);
});

test('a letter of a change that is none tells nothing', () => {
  const { record, change } = changeToError();
  const { eventName, dynamodb } = record;
  const { Keys, NewImage } = dynamodb;
  const OldImage = { ProcessState: { S: 'Processing' } };
  const body = (more: object) =>
    JSON.stringify({ kind: 'change', eventName, dynamodb: { Keys, NewImage, OldImage }, ...more });
  expect(changeIn(body({}))).toEqual(change);
  expect(changeIn(body({ dynamodb: { Keys, NewImage } }))).toEqual({
    ...change,
    previousState: null,
  });
  for (const more of [
    { kind: 'other' },
    { eventName: 'RENAME' },
    { eventName: 'REMOVE' },
    { dynamodb: { Keys, OldImage } },
    { dynamodb: { Keys, NewImage: { ...NewImage, Steps: { S: '?' } }, OldImage } },
    { dynamodb: { Keys, NewImage: { ...NewImage, Steps: { SS: [] } }, OldImage } },
    { dynamodb: { Keys, NewImage: { ...NewImage, Steps: { S: 'x', N: '1' } }, OldImage } },
    // Nothing has changed.
    { dynamodb: { Keys, NewImage, OldImage: { ProcessState: { S: 'Error' } } } },
    { dynamodb: undefined },
  ]) {
    expect(changeIn(body(more)), JSON.stringify(more)).toBeNull();
  }
});

const plain = {
  queue: 'Some',
  kind: 'nudge',
  reason: 'x',
  wasParked: false,
  subject: null,
} as const;
const open = (more: Partial<DeadLetter>): DeadLetter => ({
  ...plain,
  body: 'rubbish',
  dead,
  source: normal,
  receipt: 'receipt of m',
  fifo: null,
  ...more,
});
const deletion = {
  operation: 'DeleteMessage',
  input: { QueueUrl: dead, ReceiptHandle: 'receipt of m' },
};

test.each<[string, DeadLetter['fifo'], object]>([
  ['a standard queue', null, {}],
  [
    'a FIFO queue under another id, because SQS drops what it takes for a repetition',
    { group: 'one', id: 'one-1' },
    { MessageGroupId: 'one', MessageDeduplicationId: 'one-1-again' },
  ],
])('a letter goes back to %s, and is deleted after that', async (_, fifo, place) => {
  const { calls, client } = await sqs();
  await sendBack(client, open({ fifo }));
  expect(calls).toEqual([
    {
      operation: 'SendMessageBatch',
      input: { QueueUrl: normal, Entries: [{ Id: '0', MessageBody: 'rubbish', ...place }] },
    },
    deletion,
  ]);
});

test('a change goes back as what each audience is told, each in its place of the retry queue', async () => {
  const { record, change } = changeToError();
  const { calls, client } = await sqs();
  await sendBack(
    client,
    open({ kind: 'change', body: JSON.stringify({ kind: 'change', ...record }) }),
  );
  const [submitter, operator] = notificationsOf(change);
  if (submitter === undefined || operator === undefined) throw new Error('both are to be told');
  expect(calls).toEqual([
    {
      operation: 'SendMessageBatch',
      input: {
        QueueUrl: normal,
        Entries: [submitter, operator].map((notification, at) => ({
          Id: String(at),
          MessageBody: notificationCodec.encode(notification),
          MessageGroupId: `one/${notification.audience}`,
          MessageDeduplicationId: expect.stringMatching(/^one-\d+-\w+-again$/),
        })),
      },
    },
    deletion,
  ]);
});

test.each([true, false])(
  'a letter that its queue refuses (its fault: %s) is not deleted',
  async (ours) => {
    const Failed = [{ Id: '0', Code: 'Refused', SenderFault: ours }];
    const { calls, client } = await sqs([], { Failed });
    await expect(sendBack(client, open({}))).rejects.toMatchObject({ code: 'messages-unsent' });
    expect(calls.map(({ operation }) => operation)).not.toContain('DeleteMessage');
  },
);

test('a letter that came from no queue cannot go back, and stays', async () => {
  const { calls, client } = await sqs();
  await expect(sendBack(client, open({ source: null }))).rejects.toMatchObject({
    code: 'no-source',
    message: expect.stringContaining('Letters of Some'),
  });
  expect(calls).toEqual([]);
});

test('a letter is deleted, or shown to the next look, by its receipt', async () => {
  const { calls, client } = await sqs();
  await discard(client, open({}));
  await release(client, open({}));
  expect(calls).toEqual([
    deletion,
    {
      operation: 'ChangeMessageVisibility',
      input: { QueueUrl: dead, ReceiptHandle: 'receipt of m', VisibilityTimeout: 0 },
    },
  ]);
});
