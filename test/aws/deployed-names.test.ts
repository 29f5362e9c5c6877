/** Names in deployed stacks: another name would be another resource, and would leave the old one behind. */
import { expect, test } from 'vitest';
import { metricNamespace } from '#aws/metric-names.ts';
import { alertDetailType, eventSource, statusDetailType } from '#aws/notifications/event-names.ts';
import {
  eventsChannel,
  responseChannels,
  webhookChannel,
} from '#aws/notifications/response-channel.ts';
import { deadLetterNames, nameLengthMax, queueNames } from '#aws/queues/queue-names.ts';
import {
  attention,
  coordinationKey,
  expiryAttribute,
  orderKey,
  processIndexes,
  shardsMax,
} from '#aws/store/tables.ts';
import { priorities } from '#core/model/record.ts';

test('the tables have these keys, and the Processes table these indexes', () => {
  expect(orderKey).toEqual({ name: 'OrderID', type: 'S' });
  expect(coordinationKey).toEqual({ name: 'Name', type: 'S' });
  const keys = processIndexes.map(({ name, partition, sort }) => [
    name,
    `${partition.name} ${partition.type}`,
    `${sort.name} ${sort.type}`,
  ]);
  expect(keys).toEqual([
    ['Due', 'DueShard N', 'DueAt N'],
    ['Recent', 'DueShard N', 'SubmittedAt N'],
    ['Attention', 'Attention S', 'SubmittedAt N'],
    ['Correlation', 'DueShard N', 'CorrelationID S'],
    ['Held', 'HeldFor S', 'HeldTurn S'],
  ]);
  expect([expiryAttribute, attention]).toEqual(['ExpiresAt', 'Error']);
});

test('the memory of the largest number of shards is one read of DynamoDB', () => {
  // The read includes the sweep's own item.
  expect(shardsMax + 1).toBeLessThanOrEqual(100);
});

test('the queues have these names', () => {
  const at = 'shop';
  expect({
    ready: queueNames.ready(at, 'high'),
    request: queueNames.request(at, 'payment', 'low'),
    reply: queueNames.reply(at, 'payment'),
    submission: queueNames.submission(at),
    webhook: queueNames.webhook(at, 'till'),
    retry: queueNames.retry(at),
  }).toEqual({
    ready: 'shop_ready_high',
    request: 'shop_request_low_payment',
    reply: 'shop_reply_payment',
    submission: 'shop_submission',
    webhook: 'shop_webhook_till.fifo',
    retry: 'shop_retry.fifo',
  });
  expect({
    ready: deadLetterNames.ready(at),
    request: deadLetterNames.request(at, 'payment'),
    reply: deadLetterNames.reply(at, 'payment'),
    submission: deadLetterNames.submission(at),
    webhook: deadLetterNames.webhook(at, 'till'),
    retry: deadLetterNames.retry(at),
    change: deadLetterNames.change(at),
    alert: deadLetterNames.alert(at),
    mail: deadLetterNames.mail(at),
  }).toEqual({
    ready: 'shop_dead_ready',
    request: 'shop_dead_request_payment',
    reply: 'shop_dead_reply_payment',
    submission: 'shop_dead_submission',
    webhook: 'shop_dead_webhook_till.fifo',
    retry: 'shop_dead_retry.fifo',
    change: 'shop_dead_change',
    alert: 'shop_dead_alert',
    mail: 'shop_dead_mail',
  });
});

test('no name exceeds the calculated maximum', () => {
  const owner = 'x'.repeat(40);
  const names = [
    ...priorities.flatMap((priority) => [
      queueNames.ready('', priority),
      queueNames.request('', owner, priority),
    ]),
    queueNames.reply('', owner),
    queueNames.submission(''),
    queueNames.webhook('', owner),
    queueNames.retry(''),
    ...Object.values(deadLetterNames).map((name) => name('', owner)),
  ];
  expect(nameLengthMax).toBe(Math.max(...names.map(({ length }) => length)));
});

test('rules, alarms and functions use these names of events, metrics and channels', () => {
  expect({ eventSource, alertDetailType, statusDetailType }).toEqual({
    eventSource: 'reeve',
    alertDetailType: 'Order in Error',
    statusDetailType: 'Order status',
  });
  expect({ metricNamespace, eventsChannel, webhookChannel }).toEqual({
    metricNamespace: 'Reeve',
    eventsChannel: 'events',
    webhookChannel: 'webhook',
  });
});

test('each response channel is where its variable says: a queue by its address, a webhook by the name of its own queue', () => {
  const at = 'https://sqs.eu-west-1.amazonaws.com/123456789012/shop';
  const written = { till: `${at}-till`, feed: eventsChannel, crm: webhookChannel };
  expect(responseChannels(at, written)).toEqual({
    till: { kind: 'queue', url: `${at}-till` },
    feed: { kind: 'events' },
    crm: { kind: 'webhook', url: `${at}_webhook_crm.fifo` },
  });
});
