/** Handling of a dead letter: sent back, deleted, or left for the next read. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { type DeadLetter, discard, release, sendBack } from '#aws/operator/dead-letters.ts';
import { notificationCodec } from '#core/codec/messages/change-codec.ts';
import { notificationsOf } from '#core/model/change.ts';
import { answeringAws } from '../support/answering-aws.ts';
import { changeToError } from '../support/changes.ts';

const dead = 'http://127.0.0.1/000000000000/dead';
const normal = 'http://127.0.0.1/000000000000/normal';

/** An SQS that gives this answer. */
async function sqs(answer: object = {}) {
  const { calls, url } = await answeringAws(() => answer);
  return { calls, client: sqsClient({ endpoint: url }) };
}

const send = 'SendMessageBatch';
const sentSchema = z.object({
  Entries: z.array(z.object({ MessageDeduplicationId: z.string().max(128) })),
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
const hiding = {
  operation: 'ChangeMessageVisibility',
  input: { QueueUrl: dead, ReceiptHandle: 'receipt of m', VisibilityTimeout: 120 },
};
const deletion = {
  operation: 'DeleteMessage',
  input: { QueueUrl: dead, ReceiptHandle: 'receipt of m' },
};

test.each<[string, DeadLetter['fifo'], object]>([
  ['a standard queue', null, {}],
  [
    'a FIFO queue under another id, because SQS drops messages with a known id',
    { group: 'one', id: 'one-1' },
    { MessageGroupId: 'one', MessageDeduplicationId: 'one-1~2' },
  ],
])('a dead letter is sent back to %s, and is deleted after that', async (_, fifo, place) => {
  const { calls, client } = await sqs();
  await sendBack(client, open({ fifo }));
  expect(calls).toEqual([
    hiding,
    {
      operation: 'SendMessageBatch',
      input: { QueueUrl: normal, Entries: [{ Id: '0', MessageBody: 'rubbish', ...place }] },
    },
    deletion,
  ]);
});

test.each([
  ['one-again-1', 'one-again-1~2'],
  ['one-1~2', 'one-1~3'],
  ['one-1~9', 'one-1~10'],
  ['one-1-again-again', 'one-1~2'],
])('one with the id %s has the id %s when it is sent back', async (id, next) => {
  const { calls, client } = await sqs();
  await sendBack(client, open({ fifo: { group: 'one', id } }));
  expect(calls).toContainEqual(
    expect.objectContaining({
      input: expect.objectContaining({
        Entries: [expect.objectContaining({ MessageDeduplicationId: next })],
      }),
    }),
  );
});

test('a dead letter can be sent back again and again', async () => {
  const { calls, client } = await sqs();
  // As long as an id of Reeve can be.
  let id = `${'o'.repeat(64)}-9999999-submitter`;
  const ids = new Set([id]);
  for (let time = 0; time < 200; time += 1) {
    await sendBack(client, open({ fifo: { group: 'one', id } }));
    const sent = sentSchema.parse(calls.findLast(({ operation }) => operation === send)?.input);
    id = sent.Entries[0]?.MessageDeduplicationId ?? '';
    expect(id.length).toBeLessThanOrEqual(128);
    ids.add(id);
  }
  expect(ids.size).toBe(201);
});

test('a change is sent back as a notification for each audience, each in its group of the retry queue', async () => {
  const { record, change } = changeToError();
  const { calls, client } = await sqs();
  await sendBack(
    client,
    open({ kind: 'change', body: JSON.stringify({ kind: 'change', ...record }) }),
  );
  const [submitter, operator] = notificationsOf(change);
  if (submitter === undefined || operator === undefined)
    throw new Error('both audiences are notified');
  expect(calls).toEqual([
    hiding,
    {
      operation: 'SendMessageBatch',
      input: {
        QueueUrl: normal,
        Entries: [submitter, operator].map((notification, at) => ({
          Id: String(at),
          MessageBody: notificationCodec.encode(notification),
          MessageGroupId: `one/${notification.audience}`,
          MessageDeduplicationId: expect.stringMatching(/^one-\d+-\w+~2$/),
        })),
      },
    },
    deletion,
  ]);
});

test.each([true, false])(
  'a dead letter that its queue rejects (its fault: %s) is not deleted',
  async (ours) => {
    const Failed = [{ Id: '0', Code: 'Refused', SenderFault: ours }];
    const { calls, client } = await sqs({ Failed });
    await expect(sendBack(client, open({}))).rejects.toMatchObject({ code: 'messages-unsent' });
    expect(calls.map(({ operation }) => operation)).not.toContain('DeleteMessage');
  },
);

test.each(['MessageNotInflight', 'ReceiptHandleIsInvalid'])(
  'a dead letter that another run may read by now (%s) is not sent back: it would be doubled',
  async (__type) => {
    const { calls, client } = await sqs({ __type });
    await expect(sendBack(client, open({}))).rejects.toMatchObject({
      code: 'dead-letter-visible',
      cause: { name: __type },
    });
    expect(calls).toEqual([hiding]);
  },
);

test('a dead letter that cannot be hidden for another reason is not sent back', async () => {
  const { calls, client } = await sqs({ __type: 'AccessDenied' });
  await expect(sendBack(client, open({}))).rejects.toMatchObject({ name: 'AccessDenied' });
  expect(calls).toEqual([hiding]);
});

test('a dead letter without a source queue cannot be sent back, and stays', async () => {
  const { calls, client } = await sqs();
  await expect(sendBack(client, open({ source: null }))).rejects.toMatchObject({
    code: 'no-source',
    message: expect.stringContaining('Dead letters of Some'),
  });
  expect(calls).toEqual([]);
});

test('a dead letter is deleted or released by its receipt handle', async () => {
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
