/** The prefix of a stack's queue names. */
import { createHash } from 'node:crypto';
import { Fn, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { nameLengthMax } from '#aws/queues/queue-names.ts';

/** Characters of a queue name (SQS, message queue quotas). */
const queueNameMax = 80;
const prefixMax = queueNameMax - nameLengthMax;
const digestLength = 8;

/** The stack name, or the beginning of a long one with a digest that keeps prefixes distinct. */
export function queuePrefix(scope: Construct): string {
  const { stackName } = Stack.of(scope);
  if (stackName.length <= prefixMax) return stackName;
  const digest = createHash('sha256').update(stackName).digest('hex').slice(0, digestLength);
  return `${stackName.slice(0, prefixMax - digestLength - 1)}-${digest}`;
}

/** The common prefix of the stack's queue URLs, from the URL of any of its queues. */
export const queuesAt = (url: string) => Fn.select(0, Fn.split('_', url));
