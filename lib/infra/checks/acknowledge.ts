/** Acknowledged findings of cdk-nag, each where it arises and with the reason. */
import { Stack, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import * as z from 'zod';

const reasons = {
  'Serverless::Serverless-LambdaTracing':
    'Traces cost $5 a million and would add up to half of an order’s cost. Each log line has the order id as its correlation id, and each order its own history.',
  'Serverless::Serverless-LambdaDLQ':
    'It would catch asynchronous invocations only. This function is invoked by queues, the stream or API Gateway, which have their own dead-letter queues or a caller; the Supervisor’s ticks are useless when late.',
  'Serverless::Serverless-LambdaEventSourceMappingDestination':
    'A destination is for streams. The queue’s own redrive policy takes messages that keep failing, and the handler parks unreadable messages with the reason.',
  'Serverless::Serverless-LambdaAsyncFailureDestination':
    'The next tick, a minute later, makes up for a lost tick or shard; the alarm on completed sweeps notices when more are missing.',
  'Serverless::Serverless-EventBusDLQ':
    'A late tick is useless: the next one does its work, and the alarm on completed sweeps notices when more are missing.',
  'AwsSolutions::AwsSolutions-APIG4':
    'The console’s files and its sign-in settings, which a browser loads before it has a token. They contain no order data; routes that do require the token.',
  'AwsSolutions::AwsSolutions-IAM5':
    'The policy names each method and path of one API; the asterisk matches an order id.',
  'AwsSolutions::AwsSolutions-IAM4':
    'The policy that AWS keeps for CodeDeploy: it may update aliases and read alarms, and a copy of it would miss what AWS adds.',
  'Serverless::Serverless-SQSRedrivePolicy': 'This queue is a dead-letter queue.',
  'AwsSolutions::AwsSolutions-SQS3': 'This queue is a dead-letter queue.',
} as const;

type Finding = keyof typeof reasons;

/** Acknowledges findings of cdk-nag in this construct, with their reasons. */
export function acknowledge(scope: Construct, ...ids: readonly Finding[]): void {
  for (const id of ids) Validations.of(scope).acknowledge({ id, reason: reasons[id] });
}

/** A finding that cdk-nag reports per resource, named by its ARN. */
export function acknowledgeFor(
  scope: Construct,
  id: Finding,
  arns: readonly string[],
  reason: string = reasons[id],
): void {
  for (const arn of arns) {
    const name = `${id}[Resource::${nameOf(Stack.of(scope).resolve(arn))}]`;
    Validations.of(scope).acknowledge({ id: name, reason });
  }
}

/** The form in which cdk-nag writes unresolved values: the logical id in angle brackets. */
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
