import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeParking } from '#aws/notifications/change-dead-letter.ts';
import type { DeadLetterQueues } from '#aws/operator/dead-letter-queues.ts';
import { discard, readDeadLetters, release, sendBack } from '#aws/operator/dead-letters.ts';
import { parking } from '#aws/queues/parking.ts';
import { notificationCodec } from '#core/codec/messages/change-codec.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { orderId } from '#core/model/ids.ts';
import { deadLetterKinds } from '#core/view/dead-letter.ts';
import { changeToError } from '../support/changes.ts';
import { rubbish } from '../support/spoiled.ts';
import { sqsRecord } from '../support/sqs-record.ts';
import { type SqsServer, startSqs } from '../support/sqs-server.ts';

let server: SqsServer;
beforeAll(async () => {
  server = await startSqs();
});
afterAll(() => server.close());

const client = () => server.client();
const queue = () => server.queue();

const bodiesIn = async (url: string) => {
  const { Messages = [] } = await client().send(
    new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
  );
  return Messages.map(({ Body }) => Body);
};

/** Makes read dead letters visible, to see whether they exist: deleting a missing message is not an error. */
async function stillIn(dead: string, { receipt, body }: { receipt: string; body: string }) {
  await client().send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: dead,
      ReceiptHandle: receipt,
      VisibilityTimeout: 0,
    }),
  );
  return (await bodiesIn(dead)).includes(body);
}

async function twoDeadLetters() {
  const [dead, source] = [await queue(), await queue()];
  const nudge = nudgeCodec.encode({ orderId: orderId('one'), priority: 'normal' });
  await client().send(
    new SendMessageCommand({
      QueueUrl: dead,
      MessageBody: 'rubbish',
      MessageAttributes: { Reason: { DataType: 'String', StringValue: 'is not JSON' } },
    }),
  );
  await client().send(new SendMessageCommand({ QueueUrl: dead, MessageBody: nudge }));
  const queues: DeadLetterQueues = { ready: { kind: 'nudge', dead, sources: { normal: source } } };
  return { dead, source, nudge, queues };
}

test('every dead letter has its reason and its subject', async () => {
  const { queues } = await twoDeadLetters();
  const { deadLetters: found } = await readDeadLetters(client(), queues);
  expect(found.toSorted((a, b) => a.body.localeCompare(b.body))).toMatchObject([
    {
      queue: 'ready',
      subject: { orderId: 'one' },
      reason: 'received too often without success',
      wasParked: false,
    },
    { queue: 'ready', subject: null, reason: 'is not JSON', wasParked: true },
  ]);
});

test('a dead letter that is sent back is in its source queue, and no longer in the dead-letter queue', async () => {
  const { dead, source, nudge, queues } = await twoDeadLetters();
  for (const deadLetter of (await readDeadLetters(client(), queues)).deadLetters) {
    if (deadLetter.subject !== null) await sendBack(client(), deadLetter);
    else await discard(client(), deadLetter);
  }
  expect(await bodiesIn(source)).toEqual([nudge]);
  expect(await bodiesIn(dead)).toEqual([]);
});

test('a dead letter is sent back to the queue of its priority class, or to that of normal', async () => {
  const [dead, high, normal] = [await queue(), await queue(), await queue()];
  for (const priority of ['high', 'low'] as const) {
    const MessageBody = nudgeCodec.encode({ orderId: orderId(priority), priority });
    await client().send(new SendMessageCommand({ QueueUrl: dead, MessageBody }));
  }
  const queues: DeadLetterQueues = { Ready: { kind: 'nudge', dead, sources: { high, normal } } };
  for (const deadLetter of (await readDeadLetters(client(), queues)).deadLetters) {
    await sendBack(client(), deadLetter);
  }
  expect(await bodiesIn(high)).toEqual([expect.stringContaining('"high"')]);
  expect(await bodiesIn(normal)).toEqual([expect.stringContaining('"low"')]);
});

test('an unreadable change is sent back as a notification for each audience', async () => {
  const [dead, retry] = [await queue(), await server.queue({ FifoQueue: 'true' })];
  const { record } = changeToError();
  await changeParking(client(), dead)(record, 'record-corrupt');

  const queues: DeadLetterQueues = {
    Changes: { kind: 'change', dead, sources: { normal: retry } },
  };
  const { deadLetters: found } = await readDeadLetters(client(), queues);
  expect(found).toMatchObject([
    { subject: { orderId: 'one' }, reason: 'record-corrupt', wasParked: true },
  ]);
  for (const deadLetter of found) await sendBack(client(), deadLetter);

  const described = (await bodiesIn(retry)).map((body) => notificationCodec.decode(body ?? ''));
  const change = { orderId: 'one', previousState: 'Processing', processState: 'Error' };
  expect(described).toMatchObject([
    { kind: 'message', message: { audience: 'submitter', change } },
    { kind: 'message', message: { audience: 'operator', change } },
  ]);
  expect(await bodiesIn(dead)).toEqual([]);
});

test('a dead letter with only a position in the stream has no subject', async () => {
  const dead = await queue();
  const MessageBody = JSON.stringify({ DDBStreamBatchInfo: { shardId: 's', batchSize: 1 } });
  await client().send(new SendMessageCommand({ QueueUrl: dead, MessageBody }));
  const queues: DeadLetterQueues = { Changes: { kind: 'change', dead, sources: { normal: dead } } };
  expect((await readDeadLetters(client(), queues)).deadLetters).toMatchObject([{ subject: null }]);
});

test('a dead letter that its source queue rejects stays', async () => {
  const { dead, queues } = await twoDeadLetters();
  const [deadLetter] = (await readDeadLetters(client(), queues)).deadLetters;
  if (deadLetter === undefined) throw new Error('there are two');
  const gone = { ...deadLetter, source: `${server.endpoint}/000000000000/gone` };
  await expect(sendBack(client(), gone)).rejects.toThrow();
  await expect(sendBack(client(), { ...deadLetter, source: null })).rejects.toMatchObject({
    code: 'no-source',
  });
  expect(await stillIn(dead, deadLetter)).toBe(true);
});

test('a released dead letter is available to the next read', async () => {
  const { source, nudge, queues } = await twoDeadLetters();
  const look = async () => (await readDeadLetters(client(), queues)).deadLetters;
  for (const deadLetter of await look()) await release(client(), deadLetter);
  const again = await look();
  expect(again).toHaveLength(2);
  for (const deadLetter of again)
    if (deadLetter.subject !== null) await sendBack(client(), deadLetter);
  expect(await bodiesIn(source)).toEqual([nudge]);
});

test('more dead letters than one request returns are all found', async () => {
  const dead = await queue();
  for (let at = 0; at < 23; at += 1) {
    await client().send(new SendMessageCommand({ QueueUrl: dead, MessageBody: `rubbish ${at}` }));
  }
  const queues: DeadLetterQueues = { Alerts: { kind: 'change', dead, sources: null } };
  const { deadLetters: found, isComplete } = await readDeadLetters(client(), queues);
  expect(found).toHaveLength(23);
  expect(isComplete).toBe(true);
});

test('a read waits for all servers of SQS: a dead letter that arrives meanwhile is found', async () => {
  const { dead, queues } = await twoDeadLetters();
  for (const deadLetter of (await readDeadLetters(client(), queues)).deadLetters) {
    await discard(client(), deadLetter);
  }
  const looking = readDeadLetters(client(), queues);
  await client().send(new SendMessageCommand({ QueueUrl: dead, MessageBody: 'late' }));
  expect((await looking).deadLetters).toMatchObject([{ body: 'late' }]);
});

test('a crash between sending back and deleting duplicates the dead letter, and never loses it', async () => {
  const { dead, source, nudge, queues } = await twoDeadLetters();
  const { deadLetters: found } = await readDeadLetters(client(), queues);
  const deadLetter = found.find(({ subject }) => subject !== null);
  if (deadLetter === undefined) throw new Error('there is one');
  const crashing = client();
  crashing.middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        commandName === DeleteMessageCommand.name
          ? Promise.reject(new Error('crashed'))
          : next(args),
    { step: 'initialize' },
  );
  await expect(sendBack(crashing, deadLetter)).rejects.toThrow('crashed');
  expect(await bodiesIn(source)).toEqual([nudge]);
  expect(await stillIn(dead, deadLetter)).toBe(true);
});

/** Characters that SQS allows in a body, without those that this server rejects: none beyond U+FFFF. */
const isBody = (text: string) => /^[\t\n\r -\uD7FF\uE000-\uFFFD]+$/.test(text);

test('every parked message is read with its original text and the beginning of its reason', async () => {
  const message = fc.record({
    body: rubbish.filter(isBody),
    reason: fc.string({ minLength: 1, maxLength: 400 }),
    kind: fc.constantFrom(...deadLetterKinds),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 20, maxLength: 30 }), async (parked) => {
      const queues = await Promise.all(
        deadLetterKinds.map(
          async (kind) => [kind, { kind, dead: await server.queue(), sources: null }] as const,
        ),
      );
      const dead = new Map<string, string>(queues.map(([kind, own]) => [kind, own.dead]));
      const park = parking(server.client(), (arn) => dead.get(arn));
      for (const { body, reason, kind } of parked) await park(sqsRecord('1', body, kind), reason);
      const { deadLetters } = await readDeadLetters(server.client(), Object.fromEntries(queues));
      const described = ({ kind, body, reason }: { kind: string; body: string; reason: string }) =>
        JSON.stringify([kind, body, reason.slice(0, 250)]);
      expect(deadLetters.map(described).toSorted()).toEqual(parked.map(described).toSorted());
      expect(deadLetters.every(({ wasParked }) => wasParked)).toBe(true);
    }),
    { numRuns: 2 },
  );
});
