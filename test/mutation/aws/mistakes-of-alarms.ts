/** Mistakes in what raises alarms: an alarm that is never raised, or always. */
import { type Mistake, mistake } from '../mistake.ts';

export const mistakesOfAlarms: readonly Mistake[] = [
  mistake(
    'lib/infra/operations/alarms.ts',
    'test/infra/exact/alarms.test.ts',
    'the age of the stream is taken for seconds',
    'const threshold = fiveMinutes.toMilliseconds();',
    'const threshold = fiveMinutes.toSeconds();',
  ),
  mistake(
    'lib/infra/operations/alarms.ts',
    'test/infra/exact/alarms.test.ts',
    'dead letters count when they are sent, which those that SQS moves are not',
    'queue.metricApproximateNumberOfMessagesVisible({ period: fiveMinutes })',
    'queue.metricNumberOfMessagesSent({ period: fiveMinutes })',
  ),
  mistake(
    'lib/infra/operations/alarms.ts',
    'test/infra/exact/alarms.test.ts',
    'an alarm is raised above its threshold only, so that one order in Error raises none',
    'ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD',
    'ComparisonOperator.GREATER_THAN_THRESHOLD',
  ),
  mistake(
    'lib/infra/operations/alarms.ts',
    'test/infra/exact/alarms.test.ts',
    'any change of the Coordination table counts as a sweep',
    "dimensionsMap: { Operation: 'PutItem' }",
    "dimensionsMap: { Operation: 'UpdateItem' }",
  ),
  mistake(
    'lib/infra/operations/alarms.ts',
    'test/infra/exact/alarms.test.ts',
    'a function at its limit raises no alarm',
    'worker.metricThrottles({ period: fiveMinutes })',
    'worker.metricErrors({ period: fiveMinutes })',
  ),
  mistake(
    'lib/infra/operations/alarms.ts',
    'test/infra/exact/alarms.test.ts',
    'the alarm on a webhook ends before the next try',
    '{ webhook: 10, retries: 4 }',
    '{ webhook: 1, retries: 1 }',
  ),
  mistake(
    'lib/infra/operations/alarms.ts',
    'test/infra/exact/alarms.test.ts',
    'an order must wait in four periods, of which one says so',
    'periods: 4, datapoints: 1 });',
    'periods: 4 });',
  ),
  mistake(
    'lib/infra/operations/metrics.ts',
    'test/infra/exact/alarms.test.ts',
    'the ages of undelivered messages are added',
    "ownMetric(scope, 'UndeliveredAge', Stats.MAXIMUM",
    "ownMetric(scope, 'UndeliveredAge', Stats.SUM",
  ),
];
