/** The queue of deadline checks, from the Scheduler to the Supervisor: only where recovery is to be prompt. */
import type { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import { queuePrefix } from './queue-prefix.ts';
import { deadLetterQueue, delayMaxSeconds, WorkQueue } from './work-queue.ts';

/** Concurrent batches of checks, which must leave the Supervisor room for its sweeps: some 1,000 checks per second. */
export const checkConcurrency = 10;

/** Makes the queue and its dead-letter queue. */
export function deadlineCheckQueue(scope: Construct, functionTimeout: Duration): WorkQueue {
  const prefix = queuePrefix(scope);
  return new WorkQueue(scope, 'Checks', {
    queueName: queueNames.check(prefix),
    deadLetters: deadLetterQueue(scope, 'CheckDeadLetters', {
      queueName: deadLetterNames.check(prefix),
    }),
    functionTimeout,
    delayMaxSeconds,
  });
}

/** The variable of a function that sends or handles checks. */
export const recoveryVariable = (checks: WorkQueue | undefined): Record<string, string> => ({
  REEVE_RECOVERY: checks === undefined ? 'sweep' : 'prompt',
});
