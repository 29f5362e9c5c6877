/** Findings of cdk-nag that Reeve knows of and answers, each where it arises and with the reason. */
import { Stack, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import * as z from 'zod';

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
  'AwsSolutions::AwsSolutions-IAM5':
    'The policy names each method and path of one API; the asterisk stands for an order’s id.',
  'Serverless::Serverless-SQSRedrivePolicy': 'This queue is where dead letters go.',
  'AwsSolutions::AwsSolutions-SQS3': 'This queue is where dead letters go.',
} as const;

type Finding = keyof typeof reasons;

export function acknowledge(scope: Construct, ...ids: readonly Finding[]): void {
  for (const id of ids) Validations.of(scope).acknowledge({ id, reason: reasons[id] });
}

/** A finding that cdk-nag makes of each resource by itself, and names by its ARN. */
export function acknowledgeFor(scope: Construct, id: Finding, arns: readonly string[]): void {
  for (const arn of arns) {
    const name = `${id}[Resource::${nameOf(Stack.of(scope).resolve(arn))}]`;
    Validations.of(scope).acknowledge({ id: name, reason: reasons[id] });
  }
}

/** As cdk-nag writes what is known only when it is deployed: its logical id in angle brackets. */
function nameOf(resolved: unknown): string {
  const part = partSchema.parse(resolved);
  if (typeof part === 'string') return part;
  return 'Ref' in part ? `<${part.Ref}>` : part['Fn::Join'][1].map(nameOf).join('');
}

const partSchema = z.union([
  z.string(),
  z.object({ Ref: z.string() }),
  z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) }),
]);
