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
    'enabled: !deploymentOf(queue).standby,',
    'enabled: true,',
  ),
  mistake(
    'lib/infra/operations/notifications.ts',
    'test/infra/event-sources.test.ts',
    'a standby sends the status messages of the first region again',
    'enabled: !deployment.standby,',
    'enabled: true,',
  ),
  mistake(
    'lib/infra/sweep-schedule.ts',
    'test/infra/event-sources.test.ts',
    'a standby sweeps the orders of the first region',
    'enabled: !deployment.standby,',
    'enabled: true,',
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
    'metrics: [MetricType.EVENT_COUNT]',
    'metrics: []',
  ),
  mistake(
    'lib/infra/operations/metrics.ts',
    'test/infra/exact/alarms.test.ts',
    'a stream that is not read raises no alarm, because it has no value either',
    'FILL(read, 0) == 0',
    'read == 0',
  ),
  mistake(
    'lib/infra/queues/submission-queue.ts',
    'test/infra/exact/functions.test.ts',
    'a chain of orders that agents submit by the queue is stopped by Lambda, and an order is lost',
    'recursiveLoop: RecursiveLoop.ALLOW,',
    '',
  ),
  mistake(
    'lib/aws/store/dynamo-store.ts',
    'test/aws/dynamo-answers.test.ts',
    'a key whose order has expired counts as used for another submission',
    "throw reasons[1]?.Code === 'None' ? expiring(order) : error;",
    "return 'exists';",
  ),
  mistake(
    'lambdas/webhook.ts',
    'test/lambdas/webhook.test.ts',
    'a webhook uses a connection that was closed while its function was frozen',
    'keepsConnections: false,',
    'keepsConnections: true,',
  ),
  mistake(
    'lambdas/telemetry.ts',
    'test/lambdas/telemetry.test.ts',
    'the level of Lambda decides, and not the one of the function',
    'if (least <= LogLevelThreshold.INFO)',
    'if (least >= 0)',
  ),
];
