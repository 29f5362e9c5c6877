/** The Supervisor: invoked by the schedule for all shards, and by itself for a busy shard. */
import { InvokeCommand } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { lambdaClient } from '#aws/clients.ts';
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { assertThat } from '#core/model/errors.ts';
import { assembleSweeps } from '#roles/assemble.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { instanceName, systemRandom } from '#runtime/node/system-ids.ts';
import { workflows } from '#workflows/shipped.ts';
import { nudges } from './channels.ts';
import { coordinationVariables, lambdaVariables, readConfig } from './config.ts';
import { publish } from './metrics.ts';
import { dynamo, ids, store, sweepPeriodMs } from './store.ts';
import { log, logged } from './telemetry.ts';

const config = readConfig({ ...coordinationVariables, ...lambdaVariables });
const lambda = lambdaClient();
const coordination = dynamoCoordination(dynamo, config.REEVE_COORDINATION_TABLE, {
  clock: systemClock,
  random: systemRandom,
});

/** A shard without a completed sweep for this long had an outage, ms (R20). */
const outageAfterMs = 3 * sweepPeriodMs;
/** Time reserved for the last writes when a sweep stops early, ms: a page of recoveries and the lease. */
const spareMs = 10_000;
/** Another holder takes over after this, ms: longer than the function's timeout. */
const leaseMs = 90_000;
assertThat(
  leaseMs + sweepPeriodMs < outageAfterMs,
  'the lease of a crashed sweep expires before its shard counts as interrupted',
);

const tickOfInvocation = assembleSweeps({
  store,
  nudges,
  clock: systemClock,
  ids,
  random: systemRandom,
  log,
  registry: workflowRegistry(workflows),
  outageAfterMs,
  sweepPeriodMs,
  coordination,
  leaseMs,
  holder: instanceName,
  async handOver(shard) {
    await lambda.send(
      new InvokeCommand({
        FunctionName: config.AWS_LAMBDA_FUNCTION_NAME,
        InvocationType: 'Event',
        Payload: JSON.stringify({ shard }),
      }),
    );
  },
});

const oneShard = z.object({ shard: z.int().nonnegative() });

export const handler = logged<unknown, void>(async (event, context) => {
  const sweep = tickOfInvocation();
  const mayContinue = () => context.getRemainingTimeInMillis() > spareMs;
  const request = oneShard.safeParse(event);
  const report = await (request.success
    ? sweep.shard(request.data.shard, mayContinue)
    : sweep.tick());
  publish({
    OrdersPastDue: report.found,
    ShardsHandedOver: report.handedOver,
    OrdersInterrupted: report.interrupted,
    // A smaller lag is within the precision of the schedule, and a metric without data costs nothing.
    SweepLag: report.lagMs > outageAfterMs ? report.lagMs / 1_000 : 0,
  });
});
