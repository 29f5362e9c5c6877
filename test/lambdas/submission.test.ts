/** The function of the submission queue. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import { workflows } from '#workflows/shipped.ts';
import { accepted, answeringAws } from '../support/answering-aws.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { sqsRecord } from '../support/sqs-record.ts';

test('each order of a batch has its own sender, as SQS says', async () => {
  const aws = await answeringAws(accepted);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.url,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    REEVE_ORDERS_TABLE: 'orders',
    REEVE_PROCESSES_TABLE: 'processes',
    REEVE_SHARDS: '1',
    REEVE_SWEEP_SECONDS: '60',
    REEVE_KEEP_DAYS: '30',
    REEVE_QUEUES: `${aws.url}/000000000000/test`,
    REEVE_PRIORITIES: 'normal',
    REEVE_RESPONSE_CHANNELS: '{}',
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { submissionHandler } = await import('../../lambdas/submission.ts');
  const { workflow, details } = z
    .object({ workflow: z.string(), details: z.looseObject({}) })
    .parse(JSON.parse(readFileSync('examples/order.json', 'utf8')));
  const Records = ['ada', 'ben'].map((sender) => {
    const body = submissionCodec.encode({
      ...{ workflow, details: z.json().parse(details), key: sender, priority: 'normal' },
      ...{ tenant: null, replyTo: null, correlationId: null },
    });
    const record = sqsRecord(sender, body);
    return { ...record, attributes: { ...record.attributes, SenderId: `AROA:${sender}` } };
  });
  const response = await submissionHandler({ workflows })({ Records }, lambdaContext());
  expect(response).toEqual({ batchItemFailures: [] });
  // Its details make the order two items.
  const created = aws.calls
    .filter(({ operation }) => operation === 'TransactWriteItems')
    .map(({ input }) => JSON.stringify(input));
  expect(created).toHaveLength(2);
  for (const sender of ['ada', 'ben']) {
    expect(created.filter((text) => text.includes(`AROA:${sender}`))).toHaveLength(1);
  }
});
