/** The deployed notifier: to which address each notification goes, and where those go that cannot be delivered or read. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { notificationCodec } from '#core/codec/messages/change-codec.ts';
import { accepted, answeringAws } from '../support/answering-aws.ts';
import { changeToError } from '../support/changes.ts';
import { functionEnvironment } from '../support/function-environment.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { sqsRecord } from '../support/sqs-record.ts';

const event = z.object({
  Entries: z.array(
    z.object({ EventBusName: z.string(), DetailType: z.string(), Detail: z.string() }),
  ),
});
const toQueue = z.object({ QueueUrl: z.string() });
const { change, record } = changeToError();
const unreadable = { ...record, dynamodb: { ...record.dynamodb, NewImage: {} } };

/** A notifier whose bus takes events, or not, and what it sent, by address. */
async function notifier(channel: string, takesEvents: boolean) {
  const aws = await answeringAws((call) => {
    if (call.operation !== 'PutEvents') return accepted(call);
    return takesEvents
      ? { Entries: [{ EventId: '1' }], FailedEntryCount: 0 }
      : { __type: 'AccessDeniedException', message: 'No.' };
  });
  Object.assign(process.env, functionEnvironment(aws.url), {
    REEVE_RESPONSE_CHANNELS: JSON.stringify({ shop: channel }),
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { notifierHandler } = await import('../../lambdas/notifier.ts');
  const events = () =>
    aws.calls
      .filter(({ operation }) => operation === 'PutEvents')
      .flatMap(({ input }) => event.parse(input).Entries);
  const queues = () =>
    aws.calls.flatMap(({ input }) => {
      const { data } = toQueue.safeParse(input);
      return data === undefined ? [] : [data.QueueUrl.replace(`${aws.url}/000000000000/`, '')];
    });
  const handler = notifierHandler();
  return {
    handle: (given: Parameters<typeof handler>[0]) => handler(given, lambdaContext()),
    events,
    queues,
  };
}
const acknowledged = { batchItemFailures: [] };

test('an alert goes to the bus of the deployment, with its name and its command line', async () => {
  const { handle, events } = await notifier('webhook', true);
  expect(await handle({ Records: [record] })).toEqual(acknowledged);
  const [
    { EventBusName, DetailType, Detail } = { EventBusName: '', DetailType: '', Detail: '{}' },
  ] = events();
  expect([EventBusName, DetailType]).toEqual(['orders', 'Order in Error']);
  expect(JSON.parse(Detail)).toMatchObject({
    ...{ deployment: 'shop-orders', orderId: 'one' },
    remedy: expect.stringMatching(/^npx reeve --stack shop /),
  });
});

test.each([
  ['webhook', ['test_webhook_shop.fifo'], ['Order in Error']],
  ['events', [], ['Order in Error', 'Order status']],
  [
    'https://sqs.us-east-1.amazonaws.com/1/till',
    ['https://sqs.us-east-1.amazonaws.com/1/till'],
    ['Order in Error'],
  ],
])('a status of the channel %s goes where that is registered', async (channel, to, types) => {
  const { handle, events, queues } = await notifier(channel, true);
  expect(await handle({ Records: [record] })).toEqual(acknowledged);
  expect(queues()).toEqual(to);
  expect(
    events()
      .map(({ DetailType }) => DetailType)
      .toSorted(),
  ).toEqual(types);
});

test('what cannot be delivered waits in the retry queue, and what cannot be read is a dead letter of changes', async () => {
  const { handle, queues } = await notifier('webhook', false);
  expect(await handle({ Records: [record] })).toEqual(acknowledged);
  expect(queues()).toEqual(['test_webhook_shop.fifo', 'test_retry.fifo']);
  expect(await handle({ Records: [unreadable] })).toEqual(acknowledged);
  expect(queues().at(-1)).toBe('test_dead_change');
});

test('a message of the retry queue is delivered, not read as a change of the stream', async () => {
  const { handle, events } = await notifier('webhook', true);
  const body = notificationCodec.encode({ audience: 'operator', change });
  const message = sqsRecord('1', body, 'arn:aws:sqs:us-east-1:000000000000:test_retry.fifo');
  const attributes = { ...message.attributes, MessageGroupId: 'one/operator' };
  expect(await handle({ Records: [{ ...message, attributes }] })).toEqual(acknowledged);
  expect(events()).toHaveLength(1);
});
