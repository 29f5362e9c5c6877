/** The prefix of a deployment's queue names. */
import { createHash } from 'node:crypto';
import { Fn } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { nameLengthMax } from '#aws/queues/queue-names.ts';
import { deploymentOf } from '#infra/deployment/deployment.ts';

/** Characters of a queue name (SQS, message queue quotas). */
const queueNameMax = 80;
const prefixMax = queueNameMax - nameLengthMax;
const digestLength = 8;

/** The name of the deployment, or the beginning of a long one with a digest that keeps prefixes distinct. */
export function queuePrefix(scope: Construct): string {
  const { name } = deploymentOf(scope);
  if (name.length <= prefixMax) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, digestLength);
  return `${name.slice(0, prefixMax - digestLength - 1)}-${digest}`;
}

/** The common prefix of the deployment's queue URLs, from the URL of any of its queues. */
export const queuesAt = (url: string) => Fn.select(0, Fn.split('_', url));
