/** What the names of a stack's queues begin with. */
import { createHash } from 'node:crypto';
import { Fn, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { nameLengthMax } from '#aws/queues/queue-names.ts';

/** Characters of a queue's name (SQS, message queue quotas). */
const queueNameMax = 80;
const prefixMax = queueNameMax - nameLengthMax;
const digestLength = 8;

/** The stack's name; of a long one its beginning, and a digest so that two long names stay apart. */
export function queuePrefix(scope: Construct): string {
  const { stackName } = Stack.of(scope);
  if (stackName.length <= prefixMax) return stackName;
  const digest = createHash('sha256').update(stackName).digest('hex').slice(0, digestLength);
  return `${stackName.slice(0, prefixMax - digestLength - 1)}-${digest}`;
}

/** The address that all queues of the stack begin with, of the address of one of them. */
export const queuesAt = (url: string) => Fn.select(0, Fn.split('_', url));
