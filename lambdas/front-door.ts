/** The front door: the API behind API Gateway, which has authorised every request. */

import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { withAsciiKey } from '#aws/ascii-key.ts';
import { identityOf } from '#aws/caller.ts';
import type { Invocation, LambdaHandler } from '#aws/lambda-events.ts';
import { batchingChannel } from '#aws/queues/batching-channel.ts';
import { withReplacedBytes } from '#aws/replaced-bytes.ts';
import { withRequestAsSent } from '#aws/request-as-sent.ts';
import { dynamoAgentSettings } from '#aws/store/dynamo-agent-settings.ts';
import { dynamoBacklogReport } from '#aws/store/dynamo-backlog-report.ts';
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { dynamoHeldSteps } from '#aws/store/dynamo-held-steps.ts';
import { dynamoCircuits } from '#aws/store/health/dynamo-circuits.ts';
import { heldFlowOf, heldWeights } from '#aws/store/held-key.ts';
import { type WorkflowRegistry, workflowRegistry } from '#core/definition/registry.ts';
import type { Nudge } from '#core/model/message.ts';
import { sharedAgentReports } from '#distributed/agent-reports.ts';
import { nudgeWaiting } from '#distributed/nudge-waiting.ts';
import { sharedAdmission } from '#distributed/shared-admission.ts';
import { api } from '#http/api.ts';
import type { Channel } from '#ports/channels.ts';
import {
  assembleAgentControl,
  assembleLimitControl,
  assembleOperator,
  assembleSubmissionBatch,
} from '#roles/assemble.ts';
import { copyingWorkflows } from '#runtime/copies/workflow-copies.ts';
import { type ConsolePages, consolePages, servePages } from '#runtime/node/console-pages.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { nudgeChannel } from './channels.ts';
import {
  admissionVariables,
  consoleVariables,
  coordinationVariables,
  corsVariables,
  jwtVariables,
  readConfig,
  storeVariables,
  tenantVariables,
} from './config.ts';
import { type FunctionStore, functionStore } from './store.ts';
import { submissionRole } from './submission-role.ts';
import { log, logged } from './telemetry.ts';
import type { WorkflowsOption } from './workflows-option.ts';

const variables = {
  ...admissionVariables,
  ...tenantVariables,
  ...coordinationVariables,
  ...consoleVariables,
  ...jwtVariables,
  ...corsVariables,
  ...storeVariables,
};
type Config = ReturnType<typeof readConfig<typeof variables>>;

/** The answer to API Gateway, payload format 2.0. */
export type HttpAnswer = Awaited<ReturnType<ReturnType<typeof handle>>>;

/**
 * The handler of the function behind an HTTP API, payload format 2.0. API Gateway must authorise every request, and pass the
 * identity of the caller: by IAM, or by a JWT authorizer. The console's files are in the folder `console` beside the bundle.
 */
export function frontDoorHandler({
  workflows,
}: WorkflowsOption): LambdaHandler<LambdaEvent, HttpAnswer> {
  const config = readConfig(variables);
  const { nudges } = nudgeChannel();
  const parts = {
    ...functionStore(),
    registry: workflowRegistry(copyingWorkflows(workflows)),
    nudges,
  };
  const { store, ids, sweepPeriodMs, dynamo, registry } = parts;
  const coordination = dynamoCoordination(dynamo, config.REEVE_COORDINATION_TABLE, {
    clock: systemClock,
    random: systemRandom,
  });
  const signIn = config.REEVE_CONSOLE;
  const pages: ConsolePages =
    signIn === undefined ? new Map() : consolePages(`${import.meta.dirname}/console`, signIn);
  const common = { store, registry, clock: systemClock, log };
  const app = api({
    ...common,
    ...controls(config, parts),
    operator: assembleOperator({ ...common, nudges, ids, random: systemRandom }),
    // API Gateway serves only its own host names, and no cookie authorises a browser.
    guard: {
      hosts: null,
      origins: new Set(config.REEVE_CORS_ORIGINS),
      identify: ({ env }) => identityOf(env, config.REEVE_JWT ?? null),
      pages: new Set(pages.keys()),
    },
    // API Gateway writes it, including the requests that it rejects itself.
    accessLog: null,
    // A function has no orders of its own to recover at its start.
    isStarting: () => false,
    lastSweepAt: async () => (await coordination.recall(store.dueShards)).sweptAt,
    sweepLateMs: 3 * sweepPeriodMs,
  });
  servePages(app, pages);
  const serve = handle(app);
  return logged((event: LambdaEvent, context: Invocation) =>
    serve(withAsciiKey(withReplacedBytes(withRequestAsSent(event))), context),
  );
}

interface ControlParts extends FunctionStore {
  readonly registry: WorkflowRegistry;
  readonly nudges: Channel<Nudge>;
}

/** The orders of a bulk submission that are stored at the same time: half the connections of the client of DynamoDB. */
const batchAtOnce = 25;

const batching = (channel: Channel<Nudge>) =>
  batchingChannel({ channel, clock: systemClock, waitMs: 5, batchMax: 10 });

/** Submission with its admission, and what operators change while orders run. */
function controls(
  config: Config,
  { store, ids, dynamo, sweepPeriodMs, registry, nudges }: ControlParts,
) {
  const clock = systemClock;
  const report = dynamoBacklogReport(dynamo, config.REEVE_COORDINATION_TABLE);
  const settings = dynamoAgentSettings(dynamo, config.REEVE_COORDINATION_TABLE, log);
  const onMore = nudgeWaiting({
    heldSteps: dynamoHeldSteps(dynamo, config.REEVE_PROCESSES_TABLE, log),
    nudges,
    clock,
  });
  const admission = sharedAdmission({
    report,
    registry,
    flowOf: heldFlowOf,
    weightOf: heldWeights(config.REEVE_TENANT_WEIGHTS),
    backlogMaxMs: config.REEVE_BACKLOG_MAX * 1_000,
    sweepPeriodMs,
    clock,
    log,
  });
  const circuits = dynamoCircuits(dynamo, config.REEVE_COORDINATION_TABLE);
  const reports = sharedAgentReports({ circuits, report, clock });
  const common = { registry, settings, onMore, clock, log };
  return {
    submission: submissionRole({ store, ids, registry, nudges, admission }),
    batch: assembleSubmissionBatch({
      // Its orders are stored at about the same time, so ten nudges share a request.
      submission: submissionRole({ store, ids, registry, nudges: batching(nudges), admission }),
      registry,
      clock,
      atOnce: batchAtOnce,
    }),
    agents: assembleAgentControl({ ...common, reports }),
    limits: assembleLimitControl(common),
  };
}
