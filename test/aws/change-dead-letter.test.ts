/** A change stream record as a dead letter: its message, and the change read from it. */
import type { DynamoDBRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { changeIn, changeParking } from '#aws/notifications/change-dead-letter.ts';
import { answeringAws, sqsMessage } from '../support/answering-aws.ts';
import { changeToError } from '../support/changes.ts';

const dead = 'http://127.0.0.1/000000000000/dead';

/** An SQS that gives this answer. */
async function sqs(answer: object = {}) {
  const { calls, url } = await answeringAws(() => answer);
  return { calls, client: sqsClient({ endpoint: url }) };
}

/** The body of the message sent to SQS, as JSON. */
const sentBody = (input: unknown): string =>
  typeof input === 'object' && input !== null && 'MessageBody' in input
    ? String(input.MessageBody)
    : '';

test('a change is parked with its content and, only the state of the old image', async () => {
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
  const { calls, client } = await sqs({ MessageId: 'm', MD5OfMessageBody: MD5OfBody });
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
])('a record with %s is parked with its content', async (_, record) => {
  const { eventName, dynamodb = {} } = record;
  const body = JSON.stringify({ kind: 'change', eventName, dynamodb });
  const answer = { MessageId: 'm', MD5OfMessageBody: sqsMessage('m', body).MD5OfBody };
  const { calls, client } = await sqs(answer);
  await changeParking(client, dead)(record, 'x');
  expect(calls.map(({ input }) => sentBody(input))).toEqual([body]);
});

test('a change is parked without the details of its order, and can be read as before', async () => {
  const { record, change } = changeToError();
  const { Keys, NewImage } = record.dynamodb;
  const document = { Details: { S: '{"name":"Ada Example"}' }, Digest: { S: 'd' } };
  const whole = { ...NewImage, ...document, Format: { N: '5' } };
  const { calls, client } = await sqs({ MessageId: 'm', MD5OfMessageBody: '' });
  const images = { Keys, OldImage: { ...record.dynamodb.OldImage, ...document }, NewImage: whole };
  await changeParking(client, dead)({ ...record, dynamodb: images }, 'x').catch(() => {});
  const body = sentBody(calls[0]?.input);
  expect(body).not.toMatch(/Ada|Details|Digest/);
  expect(changeIn(body)).toEqual(change);
});

test('a dead letter without a change returns null', () => {
  const { record, change } = changeToError();
  const { eventName, dynamodb } = record;
  const { Keys, NewImage } = dynamodb;
  const OldImage = { ProcessState: { S: 'Processing' } };
  const body = (more: object) =>
    JSON.stringify({ kind: 'change', eventName, dynamodb: { Keys, NewImage, OldImage }, ...more });
  expect(changeIn(body({}))).toEqual(change);
  expect(changeIn(body({ eventName: 'INSERT' }))).toEqual(change);
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
    // Without a change of the process state.
    { dynamodb: { Keys, NewImage, OldImage: { ProcessState: { S: 'Error' } } } },
    { dynamodb: undefined },
  ]) {
    expect(changeIn(body(more)), JSON.stringify(more)).toBeNull();
  }
});
