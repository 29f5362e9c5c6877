/** Findings of cdk-nag that Reeve knows of and answers, each where it arises and with the reason. */
import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

const reasons = {
  'Serverless::Serverless-LambdaTracing':
    'Traces cost $5 a million and up to half an order’s whole bill. Each log line has the order id as its correlation id, and each order its own history.',
  'Serverless::Serverless-LambdaDLQ':
    'It would catch asynchronous invocations alone. This function is invoked by queues, the stream or API Gateway, which have their own dead-letter queues or a caller; the Supervisor’s ticks are worthless when late.',
  'Serverless::Serverless-LambdaEventSourceMappingDestination':
    'A destination is for streams. The queue’s own redrive policy takes what keeps failing, and the handler parks what cannot be read, with the reason.',
  'Serverless::Serverless-LambdaAsyncFailureDestination':
    'A tick or a handed-over shard that is lost is made up by the next tick, a minute later; the alarm on completed sweeps sees more than one missing.',
  'Serverless::Serverless-EventBusDLQ':
    'A tick that comes late is worth nothing: the next one does its work, and the alarm on completed sweeps sees more than one missing.',
  'AwsSolutions::AwsSolutions-APIG4':
    'The console’s own files and where to sign in, before anybody can have a token. They hold nothing of any order; whatever does needs the token.',
  'Serverless::Serverless-SQSRedrivePolicy': 'This queue is where dead letters go.',
  'AwsSolutions::AwsSolutions-SQS3': 'This queue is where dead letters go.',
} as const;

export function acknowledge(scope: Construct, ...ids: readonly (keyof typeof reasons)[]): void {
  for (const id of ids) Validations.of(scope).acknowledge({ id, reason: reasons[id] });
}
