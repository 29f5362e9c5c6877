/** The Supervisor: invoked by the schedule for all shards, by itself for a busy shard, and by the queue of deadline checks. */
import * as z from 'zod';
import { checkRecords } from '#aws/event-records.ts';
import { inTurn } from '#aws/in-turn.ts';
import type { BatchResponse, Invocation, LambdaHandler, QueueEvent } from '#aws/lambda-events.ts';
import { hideMessages } from '#aws/queues/hide-messages.ts';
import { parking } from '#aws/queues/parking.ts';
import { deliverBatch } from '#aws/queues/queue-batch.ts';
import { deadLettersOf } from '#aws/queues/queue-names.ts';
import { dynamoAgentSettings } from '#aws/store/dynamo-agent-settings.ts';
import { dynamoBacklogReport } from '#aws/store/dynamo-backlog-report.ts';
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { dynamoHeldSteps } from '#aws/store/dynamo-held-steps.ts';
import { dynamoCircuits } from '#aws/store/health/dynamo-circuits.ts';
import { dynamoReplyDelays } from '#aws/store/health/dynamo-reply-delays.ts';
import { heldWeights } from '#aws/store/held-key.ts';
import { deadlineCheckCodec } from '#core/codec/messages/deadline-check-codec.ts';
import { poolsOf, workflowRegistry } from '#core/definition/registry.ts';
import { assertThat, describeError } from '#core/model/errors.ts';
import type { Nudge } from '#core/model/message.ts';
import { heldSweep } from '#distributed/held-sweep.ts';
import { reportBacklog } from '#distributed/report-backlog.ts';
import type { Channel } from '#ports/channels.ts';
import { assembleDeadlineChecks, assembleSweeps } from '#roles/assemble.ts';
import type { TickReport } from '#roles/sweep-tick.ts';
import { copyingWorkflows } from '#runtime/copies/workflow-copies.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { instanceName, systemRandom } from '#runtime/node/system-ids.ts';
import { nudgeChannel } from './channels.ts';
import { deadlineCheckChannel } from './check-channel.ts';
import {
  agentsVariables,
  coordinationVariables,
  lambdaVariables,
  queueVariables,
  readConfig,
  recoveryVariables,
  storeVariables,
  sweepVariables,
  tenantVariables,
} from './config.ts';
import { metered, publishedOnDemand } from './metered.ts';
import { type FunctionStore, functionStore } from './store.ts';
import { log, logged } from './telemetry.ts';
import type { WorkflowsOption } from './workflows-option.ts';

const variables = {
  ...agentsVariables,
  ...coordinationVariables,
  ...lambdaVariables,
  ...queueVariables,
  ...recoveryVariables,
  ...storeVariables,
  ...sweepVariables,
  ...tenantVariables,
};
type Config = ReturnType<typeof readConfig<typeof variables>>;

/** Time reserved for the last writes when a sweep stops early, ms: a page of recoveries and the lease. */
const spareMs = 10_000;
/** Another holder takes over after this, ms: longer than the function's timeout. */
const leaseMs = 90_000;
const oneShard = z.object({ shard: z.int().nonnegative() });

/** The handler of the Supervisor's function: a batch of deadline checks, or any other event, which is a sweep. */
export function supervisorHandler({
  workflows,
}: WorkflowsOption): LambdaHandler<unknown, BatchResponse | null> {
  const config = readConfig(variables);
  const { sqs, nudges } = nudgeChannel();
  const deadlineChecks = deadlineCheckChannel(sqs);
  const { store, ids, dynamo, sweepPeriodMs } = functionStore();
  /** A shard without a completed sweep for this long had an outage, ms (R20). */
  const outageAfterMs = 3 * sweepPeriodMs;
  assertThat(
    leaseMs + sweepPeriodMs < outageAfterMs,
    'the lease of a crashed sweep expires before its shard counts as interrupted',
  );
  const common = {
    store,
    nudges,
    clock: systemClock,
    ids,
    random: systemRandom,
    log,
    registry: workflowRegistry(copyingWorkflows(workflows)),
    outageAfterMs,
    replyDelays: dynamoReplyDelays(dynamo, config.REEVE_COORDINATION_TABLE),
    coordination: dynamoCoordination(dynamo, config.REEVE_COORDINATION_TABLE, {
      clock: systemClock,
      random: systemRandom,
    }),
  };
  const tickOfInvocation = assembleSweeps({
    ...common,
    ...(config.REEVE_RECOVERY === 'prompt' && { checks: deadlineChecks }),
    sweepPeriodMs,
    recoveryPerSecond: config.REEVE_RECOVERY_PER_SECOND,
    leaseMs,
    holder: instanceName,
    // Few deployments have a busy shard, so the client is not loaded before.
    handOver: async (shard) =>
      (await import('./own-invocation.ts')).sweepInOwnInvocation(shard, {
        name: config.AWS_LAMBDA_FUNCTION_NAME,
        alias: config.REEVE_ALIAS,
      }),
  });
  // Also in a stack that no longer sends them: those that are on their way do no harm.
  const checks = assembleDeadlineChecks({
    ...common,
    checks: deadlineChecks,
    shards: store.dueShards,
  });
  const { publish, published } = publishedOnDemand();
  const handling = {
    park: parking(sqs, (arn) => deadLettersOf(config.REEVE_QUEUES, arn)),
    hide: hideMessages(sqs),
    random: systemRandom,
    log: metered(log, publish),
  };
  const afterTick = heldStepsAfterTick(config, workflows, { dynamo, sweepPeriodMs, nudges });

  const publishCounts = (swept: TickReport) => publish(metricsOf(swept, outageAfterMs));

  async function sweep(event: unknown, context: Invocation): Promise<null> {
    const ticks = tickOfInvocation();
    const mayContinue = () => context.getRemainingTimeInMillis() > spareMs;
    const request = oneShard.safeParse(event);
    const work = request.success
      ? [async () => publishCounts(await ticks.shard(request.data.shard, mayContinue)), published]
      : [() => ticks.tick(publishCounts), afterTick, published];
    await inTurn(work, (error) => log.error('sweep-failed', { error: describeError(error) }));
    return null;
  }

  async function onChecks(event: QueueEvent, { functionName }: Invocation): Promise<BatchResponse> {
    checkRecords('queue', event, functionName);
    const consumer = { codec: deadlineCheckCodec, receive: checks.onChecks, ...handling };
    const response = await deliverBatch(event, consumer);
    await published();
    return response;
  }

  return logged((event, context) =>
    isBatch(event) ? onChecks(event, context) : sweep(event, context),
  );
}

const metricsOf = (swept: TickReport, outageAfterMs: number) => ({
  OrdersPastDue: swept.found,
  ShardsHandedOver: swept.handedOver,
  OrdersInterrupted: swept.interrupted,
  // A smaller lag is within the precision of the schedule, and a metric without data costs nothing.
  SweepLag: swept.lagMs > outageAfterMs ? swept.lagMs / 1_000 : 0,
});

interface HeldParts extends Pick<FunctionStore, 'dynamo' | 'sweepPeriodMs'> {
  readonly nudges: Channel<Nudge>;
}

/** Nudges what waits for an agent that can take it again, and reports how much waits. */
function heldStepsAfterTick(
  config: Config,
  workflows: WorkflowsOption['workflows'],
  { dynamo, sweepPeriodMs, nudges }: HeldParts,
): () => Promise<void> {
  const heldSteps = dynamoHeldSteps(dynamo, config.REEVE_PROCESSES_TABLE, log);
  const pools = poolsOf(workflows);
  const nudgeHeld = heldSweep({
    agents: [...config.REEVE_AGENTS, ...pools.keys()],
    heldSteps,
    nudges,
    clock: systemClock,
    log,
    sweepPeriodMs,
  });
  const report = reportBacklog({
    report: dynamoBacklogReport(dynamo, config.REEVE_COORDINATION_TABLE),
    heldSteps,
    circuits: dynamoCircuits(dynamo, config.REEVE_COORDINATION_TABLE),
    settings: dynamoAgentSettings(dynamo, config.REEVE_COORDINATION_TABLE, log),
    pools,
    weightOf: heldWeights(config.REEVE_TENANT_WEIGHTS),
    clock: systemClock,
    log,
  });
  return async () => report(await nudgeHeld());
}

const isBatch = (event: unknown): event is QueueEvent =>
  typeof event === 'object' && event !== null && 'Records' in event;
