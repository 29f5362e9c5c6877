/** How many requests the queues of an agent have, as SQS says: approximate, and some seconds old. */
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { unavailable } from '#aws/failure.ts';
import type { RequestBacklog } from '#ports/request-backlog.ts';

/** @param queuesOf the URLs of the request queues of an agent */
export function sqsRequestBacklog(
  client: SQSClient,
  queuesOf: (agent: string) => readonly string[],
): RequestBacklog {
  return {
    async of(agent) {
      const backlogs = await Promise.all(queuesOf(agent).map((queue) => backlogOf(client, queue)));
      return {
        waiting: backlogs.reduce((sum, { waiting }) => sum + waiting, 0),
        inFlight: backlogs.reduce((sum, { inFlight }) => sum + inFlight, 0),
      };
    },
  };
}

async function backlogOf(client: SQSClient, queue: string) {
  const command = new GetQueueAttributesCommand({
    QueueUrl: queue,
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  });
  const { Attributes: attributes } = await client.send(command).catch((error: unknown) => {
    throw unavailable('SQS', error);
  });
  return {
    waiting: Number(attributes?.['ApproximateNumberOfMessages'] ?? 0),
    inFlight: Number(attributes?.['ApproximateNumberOfMessagesNotVisible'] ?? 0),
  };
}
