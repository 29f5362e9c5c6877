/** The dead-letter queues derived from the output of a stack. */
import { expect, test } from 'vitest';
import { deadLetterQueues } from '#aws/operator/dead-letter-queues.ts';

const at = 'https://sqs.eu-west-1.amazonaws.com/123456789012/shop';
const output = {
  queues: at,
  priorities: ['high', 'normal'],
  agents: ['payment'],
  webhooks: ['till'],
  submission: true,
  mail: true,
};
const read = (more: object = {}) => deadLetterQueues(JSON.stringify({ ...output, ...more }));

test('each has its kind, its dead-letter queue and its source queues', () => {
  expect(read()).toEqual({
    Ready: {
      kind: 'nudge',
      dead: `${at}_dead_ready`,
      sources: { high: `${at}_ready_high`, normal: `${at}_ready_normal` },
    },
    'Agent-payment-Requests': {
      kind: 'request',
      dead: `${at}_dead_request_payment`,
      sources: { high: `${at}_request_high_payment`, normal: `${at}_request_normal_payment` },
    },
    'Agent-payment-Replies': {
      kind: 'reply',
      dead: `${at}_dead_reply_payment`,
      sources: { normal: `${at}_reply_payment` },
    },
    'Webhook-till': {
      kind: 'status',
      dead: `${at}_dead_webhook_till.fifo`,
      sources: { normal: `${at}_webhook_till.fifo` },
    },
    Submission: {
      kind: 'submission',
      dead: `${at}_dead_submission`,
      sources: { normal: `${at}_submission` },
    },
    Notifications: {
      kind: 'notification',
      dead: `${at}_dead_retry.fifo`,
      sources: { normal: `${at}_retry.fifo` },
    },
    // A readable change continues as notifications.
    Changes: {
      kind: 'change',
      dead: `${at}_dead_change`,
      sources: { normal: `${at}_retry.fifo` },
    },
    Alerts: { kind: 'change', dead: `${at}_dead_alert`, sources: null },
    Mail: { kind: 'change', dead: `${at}_dead_mail`, sources: null },
  });
});

const always = ['Ready', 'Notifications', 'Changes', 'Alerts'];

test.each<[object, readonly string[]]>([
  [{ agents: [], webhooks: [], submission: false, mail: false }, always],
  [{ agents: [], webhooks: [], submission: true, mail: false }, [...always, 'Submission']],
  [{ agents: [], webhooks: [], submission: false, mail: true }, [...always, 'Mail']],
  [
    { agents: [], webhooks: [], submission: false, mail: false, checks: true },
    [...always, 'Checks'],
  ],
])('a stack with %j has the queues %j', (more, names) => {
  expect(Object.keys(read(more)).toSorted()).toEqual(names.toSorted());
});

test.each([
  ['no text of JSON', 'no JSON'],
  ['another version', '{"ready":{"kind":"nudge"}}'],
  ['no address', JSON.stringify({ ...output, queues: 'shop' })],
  ['a class that is none', JSON.stringify({ ...output, priorities: ['urgent'] })],
])('an output with %s is rejected, and the error says what to check', (_, text) => {
  expect(() => deadLetterQueues(text)).toThrow(
    expect.objectContaining({
      code: 'outputs-unknown',
      message: expect.stringContaining('Check that this version of Reeve deployed the stack'),
      cause: expect.any(Error),
    }),
  );
});
