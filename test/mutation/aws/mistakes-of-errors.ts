/** Mistakes in what errors and lines of the log say to those who deploy and operate on AWS. */
import { type Mistake, mistake } from '../mistake.ts';

const reported = 'test/aws/reported-error.test.ts';

export const mistakesOfErrors: readonly Mistake[] = [
  mistake(
    'lib/aws/reported-error.ts',
    reported,
    'a connection that was refused is reported as "Error"',
    "name === 'Error' ? details : [name, ...details]",
    '[name]',
  ),
  mistake(
    'lib/aws/reported-error.ts',
    reported,
    'a line of the log that leaves out messages does not say why a call failed',
    'Object.assign(error, { name:',
    'Object.assign(error, { detail:',
  ),
  mistake(
    'lib/aws/reported-error.ts',
    reported,
    'a connection that failed at several addresses is reported without a code',
    '[...new Set(cause.errors.map(reportedError))]',
    '[]',
  ),
  mistake(
    'lib/aws/secret-reader.ts',
    reported,
    'a secret that is refused is reported as an error of the library',
    'cause instanceof GetParameterError ? cause.cause : cause',
    'cause',
  ),
  mistake(
    'lib/aws/queues/parking.ts',
    reported,
    'a dead letter that SQS refused is reported by the error of its client',
    "throw unavailable('SQS', error);",
    'throw error;',
  ),
  mistake(
    'lib/infra/checks/environment-advice.ts',
    'test/infra/limits.test.ts',
    'of an environment that is too large, the smallest variables are named',
    'other.bytes - one.bytes',
    'one.bytes - other.bytes',
  ),
  mistake(
    'lib/infra/checks/aws-limits.ts',
    'test/infra/limits.test.ts',
    'an environment that is too large by its origins is said to have too many agents',
    'amount, remedy }];',
    'amount }];',
  ),
  mistake(
    'lambdas/telemetry.ts',
    'test/lambdas/wrong-event.test.ts',
    'a function that is invoked with another event than a batch fails somewhere in its work',
    'checkRecords(source, event, context.functionName);',
    '',
  ),
  mistake(
    'lambdas/supervisor.ts',
    'test/lambdas/wrong-event.test.ts',
    'the Supervisor takes any event with records for deadline checks',
    "checkRecords('queue', event, functionName);",
    '',
  ),
];
