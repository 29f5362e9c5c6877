/** Mistakes in the functions on AWS, and in the stack that has them. */
import { type Mistake, mistake } from './mistake.ts';

const windowTest = 'test/lambdas/scheduler-window.test.ts';

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
];
