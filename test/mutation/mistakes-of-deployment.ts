/** Mistakes in the functions on AWS, and in the stack that has them. */
import { type Mistake, mistake } from './mistake.ts';

const alarmTest = 'test/infra/alarm-metrics.test.ts';
const windowTest = 'test/lambdas/scheduler-window.test.ts';
const otherStacksTest = 'test/infra/other-stacks.test.ts';

export const mistakesOfDeployment: readonly Mistake[] = [
  mistake(
    'lambdas/scheduler.ts',
    windowTest,
    'a message that was gathered in a batch window says what time it is',
    'if (!isGathered) timeOfQueues',
    'timeOfQueues',
  ),
  mistake(
    'lib/infra/scheduler-function.ts',
    'test/infra/batch-window.test.ts',
    'the Scheduler does not know its batch window',
    '...windowVariable(ready),',
    '',
  ),
  mistake(
    'lib/infra/deployment/deployment.ts',
    otherStacksTest,
    'the policy of a topic or key names a nested stack',
    'outermost(Stack.of(scope)).stackName}-`',
    'Stack.of(scope).stackName}-`',
  ),
  mistake(
    'lib/infra/deployment/deployment.ts',
    otherStacksTest,
    'the policy of a topic or key has names that CloudFormation shortens',
    '.slice(0, keptMin)',
    '',
  ),
  mistake(
    'lib/infra/agents/existing-function.ts',
    otherStacksTest,
    'a function of another stack is accepted',
    '[existing, baseOf(existing)].filter(isMade)',
    '[existing].slice(1)',
  ),
  mistake(
    'lib/infra/settings/own-place.ts',
    otherStacksTest,
    'a part of another region is accepted',
    'given !== own',
    'given === own',
  ),
  mistake(
    'lambdas/webhook.ts',
    alarmTest,
    'the metric of a webhook has not its name',
    'publish(values, dimensions)',
    'publish(values)',
  ),
  mistake(
    'lambdas/metered.ts',
    alarmTest,
    'a message that cannot be delivered raises no alarm',
    "if (event === 'notification-failed') publish",
    "if (event === 'order-refused') publish",
  ),
  mistake(
    'lib/aws/queues/queue-batch.ts',
    alarmTest,
    'messages that keep failing raise no alarm',
    'reportOften(again, consumer.log);',
    '',
  ),
  mistake(
    'lib/aws/queues/fifo-batch.ts',
    'test/aws/fifo-batch.test.ts',
    'how long a message has waited is counted from the start of the clock',
    'nowMs - sentAt',
    'nowMs',
  ),
];
