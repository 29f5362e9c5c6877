/**
 * Makes Lambda poll a queue for a function. The CDK's own event source also grants `sqs:GetQueueUrl`, which
 * neither Lambda nor Reeve calls (Lambda developer guide, "Using Lambda with Amazon SQS").
 */
import { Duration, Names } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { isImported } from '#infra/agents/existing-function.ts';
import { acknowledge } from '#infra/checks/acknowledge.ts';
import { deploymentOf } from '#infra/deployment/deployment.ts';
import { allowed } from '#infra/functions/grantee.ts';

/** Messages per invocation; SQS returns up to ten per request. */
const batchSize = 10;

/** How Lambda polls a queue. */
export interface Polling {
  /** Concurrent invocations, 2 to 1,000. @default as Lambda scales */
  readonly maxConcurrency?: number | undefined;
  /** How long messages of a batch are gathered, seconds; a FIFO queue has no window. @default 0 */
  readonly batchWindowSeconds?: number;
}

/** Makes Lambda invoke the function with the messages of the queue, and allows what that takes. */
export function pollQueue(
  worker: IFunction,
  queue: Queue,
  { maxConcurrency, batchWindowSeconds = 0 }: Polling = {},
): void {
  // The id that the CDK's event source uses: another id would create a second mapping on update.
  const mapping = worker.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(queue.node)}`, {
    eventSourceArn: queue.queueArn,
    batchSize,
    reportBatchItemFailures: true,
    // Also where it is the default: a template that says nothing may leave the mapping as it was in a standby.
    enabled: !deploymentOf(queue).standby,
    ...(maxConcurrency !== undefined && { maxConcurrency }),
    ...(batchWindowSeconds > 0 && { maxBatchingWindow: Duration.seconds(batchWindowSeconds) }),
  });
  const policy = allowed(
    worker,
    [
      'sqs:ReceiveMessage',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      // The function hides messages that it could not handle.
      'sqs:ChangeMessageVisibility',
    ],
    queue.queueArn,
  );
  // Lambda refuses a mapping while the role may not receive from the queue. A function of this app waits for its policy, an imported one exists.
  if (isImported(worker) && policy !== undefined) mapping.node.addDependency(policy);
  acknowledge(worker, 'Serverless::Serverless-LambdaEventSourceMappingDestination');
}
