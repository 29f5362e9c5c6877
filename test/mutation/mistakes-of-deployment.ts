/** Mistakes in the functions on AWS, and in the stack that has them. */
import { type Mistake, mistake } from './mistake.ts';

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
    '[existing, baseOf(existing)].map',
    '[].map<Stack>',
  ),
  mistake(
    'lib/infra/settings/own-region.ts',
    otherStacksTest,
    'a part of another region is accepted',
    'other === region',
    'other !== region',
  ),
];
