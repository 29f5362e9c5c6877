/**
 * Makes Lambda poll a queue for a function. The CDK's own event source also grants `sqs:GetQueueUrl`, which
 * neither Lambda nor Reeve calls (Lambda developer guide, "Using Lambda with Amazon SQS").
 */
import { Names } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { acknowledge } from '#infra/checks/acknowledge.ts';
import { granteeOf } from '#infra/functions/grantee.ts';

/** Messages per invocation; SQS returns up to ten per request. */
const batchSize = 10;

/** @param maxConcurrency concurrent invocations, 2 to 1,000; undefined: as Lambda scales */
export function pollQueue(worker: IFunction, queue: Queue, maxConcurrency?: number): void {
  // The id that the CDK's event source uses: another id would create a second mapping on update.
  worker.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(queue.node)}`, {
    eventSourceArn: queue.queueArn,
    batchSize,
    reportBatchItemFailures: true,
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  });
  granteeOf(worker).allow(
    [
      'sqs:ReceiveMessage',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      // The function hides messages that it could not handle.
      'sqs:ChangeMessageVisibility',
    ],
    queue.queueArn,
  );
  acknowledge(worker, 'Serverless::Serverless-LambdaEventSourceMappingDestination');
}
