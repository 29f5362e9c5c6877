/** What a function that a queue or a stream invokes answers to an operator who invokes it with something else. */
import { describe, expect, test } from 'vitest';
import type { LambdaHandler } from '#aws/lambda-events.ts';
import { payment } from '#workflows/order-contracts.ts';
import { serviceAgent } from '#workflows/service-agent.ts';
import { workflows } from '#workflows/shipped.ts';
import { type AnsweringAws, answeringAws } from '../support/answering-aws.ts';
import { functionEnvironment } from '../support/function-environment.ts';
import { lambdaContext } from '../support/lambda-poller.ts';

/** An event as it comes, which no type holds. */
const invoke = <Event, Result>(handler: LambdaHandler<Event, Result>, text: string) =>
  handler(JSON.parse(text), { ...lambdaContext(), functionName: 'shop-function' });

/** Makes every handler. They are imported here, because a function reads its environment when it is loaded. */
async function handlers(aws: AnsweringAws) {
  Object.assign(process.env, {
    ...functionEnvironment(aws.url),
    REEVE_WEBHOOK: 'shop',
    REEVE_WEBHOOK_URL: aws.url,
    REEVE_WEBHOOK_SECRET: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:shop-AbCdEf',
  });
  const { schedulerHandler } = await import('../../lambdas/scheduler.ts');
  const { submissionHandler } = await import('../../lambdas/submission.ts');
  const { webhookHandler } = await import('../../lambdas/webhook.ts');
  const { notifierHandler } = await import('../../lambdas/notifier.ts');
  const { agentHandler } = await import('../../lambdas/agent-handler.ts');
  const { supervisorHandler } = await import('../../lambdas/supervisor.ts');
  const agent = serviceAgent(payment, aws.url, fetch);
  return {
    scheduler: (text: string) => invoke(schedulerHandler({ workflows }), text),
    submission: (text: string) => invoke(submissionHandler({ workflows }), text),
    webhook: (text: string) => invoke(webhookHandler(), text),
    agent: (text: string) => invoke(agentHandler({ agent }), text),
    notifier: (text: string) => invoke(notifierHandler(), text),
    supervisor: (text: string) => invoke(supervisorHandler({ workflows }), text),
  };
}

/** The event that the console proposes; others that are close to a batch. */
const wrongOfAll = [
  '{"Records":null}',
  '{"Records":{}}',
  '{"Records":[null]}',
  '{"Records":[{}]}',
  '{"Records":[{"s3":{}}]}',
  '{"Records":[{"messageId":"m","body":"{}"}]}',
];
const wrong = ['{"key1":"value1"}', 'null', '"text"', '[]', ...wrongOfAll];

describe.each([
  ['scheduler', wrong, 'messages of an SQS queue'],
  ['submission', wrong, 'messages of an SQS queue'],
  ['webhook', wrong, 'messages of an SQS queue'],
  ['agent', wrong, 'messages of an SQS queue'],
  ['notifier', wrong, 'changes of the stream of a DynamoDB table, or messages of an SQS queue'],
  // Any event without Records is a sweep, which does no harm.
  ['supervisor', wrongOfAll, 'messages of an SQS queue'],
] as const)('the %s', (name, events, records) => {
  test.each(events)('refuses %s with what it expects, and calls nothing', async (text) => {
    const aws = await answeringAws(() => ({}));
    const handler = (await handlers(aws))[name];
    await expect(handler(text)).rejects.toMatchObject({
      code: 'event-unknown',
      message: expect.stringContaining(
        `The function shop-function was invoked with an event that has no list \`Records\` of ${records}, so nothing was done.`,
      ),
    });
    expect(aws.calls).toEqual([]);
  });
});
