import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { parking } from '#aws/queues/parking.ts';
import { answeringAws } from '../support/answering-aws.ts';
import { sqsRecord } from '../support/sqs-record.ts';

/** What SQS accepts in message bodies and attributes. */
const sendable = /^[\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]$/u;

const sentSchema = z.object({
  MessageAttributes: z.object({ Reason: z.object({ StringValue: z.string() }) }),
});

/** An SQS that returns what it received: the emulator does not validate attributes as AWS does. */
async function reasonsSent(reasons: readonly string[]): Promise<readonly string[]> {
  const sent: string[] = [];
  const { url: endpoint } = await answeringAws(({ input }) => {
    const { MessageAttributes } = sentSchema.parse(input);
    sent.push(MessageAttributes.Reason.StringValue);
    return { MD5OfMessageBody: hash('md5', '{}') };
  });
  const park = parking(sqsClient({ endpoint }), () => `${endpoint}/000000000000/dead`);
  for (const reason of reasons) await park(sqsRecord('1', '{}', 'q'), reason);
  return sent;
}

test('SQS accepts every reason, cut between characters, for any message', async () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom('\u0001', '\ud800', '\uffff', '\u{1f600}'),
  );
  const random = fc.array(unit, { minLength: 1, maxLength: 300 }).map((all) => all.join(''));
  const reasons = [`${'x'.repeat(249)}\u{1f600}x`, ...fc.sample(random, { numRuns: 40, seed: 1 })];
  const sent = await reasonsSent(reasons);
  expect(sent[0]).toBe(`${'x'.repeat(249)}\u{1f600}`);
  for (const [at, reason] of reasons.entries()) {
    const units = Array.from(reason).slice(0, 250);
    expect(Array.from(sent[at] ?? '')).toEqual(
      units.map((unit) => (sendable.test(unit) ? unit : '\ufffd')),
    );
  }
});

test('a queue without a dead-letter queue is an error with its ARN, and nothing is sent', async () => {
  const { calls, url: endpoint } = await answeringAws(() => ({}));
  const park = parking(sqsClient({ endpoint }), () => undefined);
  await expect(park(sqsRecord('1', '{}', 'arn:of:queue'), 'x')).rejects.toMatchObject({
    code: 'no-dead-letter-queue',
    message: expect.stringMatching(/^arn:of:queue has no dead-letter queue .* Deploy again\.$/),
  });
  expect(calls).toEqual([]);
});
