/** Mistakes in what a lost region, a lost table or a stopped part needs. */
import { type Mistake, mistake } from '../mistake.ts';

export const mistakesOfRegions: readonly Mistake[] = [
  mistake(
    'lib/infra/operations/dashboard.ts',
    'test/infra/construct.test.ts',
    'a deployment of the same name in a second region is refused because of its dashboard',
    'Stack.of(scope).region',
    "''",
  ),
  mistake(
    'lib/infra/queues/poll-queue.ts',
    'test/infra/event-sources.test.ts',
    'a standby takes the messages of its queues',
    '...(deploymentOf(queue).standby && { enabled: false }),',
    '',
  ),
  mistake(
    'lib/infra/operations/notifications.ts',
    'test/infra/event-sources.test.ts',
    'a standby sends the status messages of the first region again',
    '...(deployment.standby && { enabled: false }),',
    '',
  ),
  mistake(
    'lib/infra/sweep-schedule.ts',
    'test/infra/event-sources.test.ts',
    'a standby sweeps the orders of the first region',
    '...(deployment.standby && { enabled: false }),',
    '',
  ),
  mistake(
    'lib/infra/access/front-door.ts',
    'test/infra/event-sources.test.ts',
    'a standby takes orders',
    'deploymentOf(this).standby ? { rate: 0, burst: 0 } : throttle;',
    'throttle;',
  ),
  mistake(
    'lib/infra/operations/notifications.ts',
    'test/infra/event-sources.test.ts',
    'the alarm on a stream that is not read has no metric to read',
    'metricsConfig: { metrics: [MetricType.EVENT_COUNT] },',
    '',
  ),
  mistake(
    'lib/infra/operations/metrics.ts',
    'test/infra/exact/alarms.test.ts',
    'a stream that is not read raises no alarm, because it has no value either',
    'FILL(read, 0) == 0',
    'read == 0',
  ),
];
