/**
 * Has Lambda poll a queue for a function. The CDK's own event source grants `sqs:GetQueueUrl` as well, which neither
 * Lambda nor Reeve calls (Lambda developer guide, "Using Lambda with Amazon SQS").
 */
import { Names } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { acknowledge } from '#infra/checks/acknowledge.ts';
import type { ReeveFunction } from '#infra/functions/reeve-function.ts';

/** Messages of one invocation; ten is one request of SQS. */
const batchSize = 10;

/** `maxConcurrency`: invocations at once, 2 to 1,000; left out, what Lambda makes of it. */
export function pollQueue(worker: ReeveFunction, queue: Queue, maxConcurrency?: number): void {
  // The id that the CDK's event source gives it: a mapping under another id would be made beside the old one.
  worker.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(queue.node)}`, {
    eventSourceArn: queue.queueArn,
    batchSize,
    reportBatchItemFailures: true,
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  });
  worker.allow(
    [
      'sqs:ReceiveMessage',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      // Of the function itself: it hides for a while what it could not do.
      'sqs:ChangeMessageVisibility',
    ],
    queue.queueArn,
  );
  acknowledge(worker, 'Serverless::Serverless-LambdaEventSourceMappingDestination');
}
