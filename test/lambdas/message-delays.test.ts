/** Messages that are to come later are hidden by their queue, in seconds; the functions send both kinds by these channels. */
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { orderId } from '#core/model/ids.ts';
import { accepted, answeringAws } from '../support/answering-aws.ts';

const sentSchema = z.object({
  QueueUrl: z.string(),
  Entries: z.array(z.object({ Id: z.string(), DelaySeconds: z.int().optional() })),
});

/** What is sent, by queue: how long each message is hidden. */
async function channels() {
  const aws = await answeringAws(accepted);
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL_SQS: aws.url,
    REEVE_QUEUES: `${aws.url}/000000000000/test`,
    REEVE_PRIORITIES: 'high,normal',
  })) {
    vi.stubEnv(name, value);
  }
  // Imported here, because a function reads its environment when it is loaded.
  const { nudgeChannel } = await import('../../lambdas/channels.ts');
  const { deadlineCheckChannel } = await import('../../lambdas/check-channel.ts');
  const { sqs, nudges } = nudgeChannel();
  const delays = () =>
    aws.calls
      .map(({ input }) => sentSchema.parse(input))
      .map(({ QueueUrl, Entries }) => [
        QueueUrl.split('/test_')[1],
        Entries.map(({ DelaySeconds = 0 }) => DelaySeconds),
      ]);
  return { nudges, checks: deadlineCheckChannel(sqs), delays };
}

test('a nudge and a deadline check come at their instants, and at most 15 minutes later, which is the longest of SQS', async () => {
  const { nudges, checks, delays } = await channels();
  const now = Date.now();
  const at = (ms: number) => ({ orderId: orderId('one'), at: Date.now() + ms });
  const priority = 'high' as const;
  await nudges.send([
    { ...at(60_000), priority },
    { ...at(-1), priority },
    { orderId: orderId('one'), priority },
    { ...at(86_400_000), priority },
  ]);
  await checks.send([
    { ...at(90_000), claimedAt: now },
    { ...at(-1), claimedAt: now },
  ]);
  expect(delays()).toEqual([
    ['ready_high', [60, 0, 0, 900]],
    ['check', [90, 0]],
  ]);
});
