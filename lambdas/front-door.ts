/** The front door: the API behind API Gateway, which has authorised every request. */

import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { identityOf } from '#aws/caller.ts';
import { withReplacedBytes } from '#aws/replaced-bytes.ts';
import { dynamoAgentSettings } from '#aws/store/dynamo-agent-settings.ts';
import { dynamoBacklogReport } from '#aws/store/dynamo-backlog-report.ts';
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { dynamoHeldSteps } from '#aws/store/dynamo-held-steps.ts';
import { dynamoCircuits } from '#aws/store/health/dynamo-circuits.ts';
import { heldFlowOf, heldWeights } from '#aws/store/held-key.ts';
import { sharedAgentReports } from '#distributed/agent-reports.ts';
import { nudgeWaiting } from '#distributed/nudge-waiting.ts';
import { sharedAdmission } from '#distributed/shared-admission.ts';
import { api } from '#http/api.ts';
import { assembleAgentControl, assembleLimitControl, assembleOperator } from '#roles/assemble.ts';
import { type ConsolePages, consolePages, servePages } from '#runtime/node/console-pages.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { nudges } from './channels.ts';
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
import { dynamo, ids, store, sweepPeriodMs } from './store.ts';
import { registry, submissionOver } from './submission-role.ts';
import { log, logged } from './telemetry.ts';

const config = readConfig({
  ...admissionVariables,
  ...tenantVariables,
  ...coordinationVariables,
  ...consoleVariables,
  ...jwtVariables,
  ...corsVariables,
  ...storeVariables,
});
const coordination = dynamoCoordination(dynamo, config.REEVE_COORDINATION_TABLE, {
  clock: systemClock,
  random: systemRandom,
});

const report = dynamoBacklogReport(dynamo, config.REEVE_COORDINATION_TABLE);
const admission = sharedAdmission({
  report,
  registry,
  flowOf: heldFlowOf,
  weightOf: heldWeights(config.REEVE_TENANT_WEIGHTS),
  backlogMaxMs: config.REEVE_BACKLOG_MAX * 1_000,
  sweepPeriodMs,
  clock: systemClock,
  log,
});

const signIn = config.REEVE_CONSOLE;
const pages: ConsolePages =
  signIn === undefined ? new Map() : consolePages(`${import.meta.dirname}/console`, signIn);

const settings = dynamoAgentSettings(dynamo, config.REEVE_COORDINATION_TABLE, log);
const onMore = nudgeWaiting({
  heldSteps: dynamoHeldSteps(dynamo, config.REEVE_PROCESSES_TABLE, log),
  nudges,
  clock: systemClock,
});
const app = api({
  submission: submissionOver(nudges, admission),
  operator: assembleOperator({
    store,
    nudges,
    clock: systemClock,
    ids,
    random: systemRandom,
    log,
    registry,
  }),
  agents: assembleAgentControl({
    registry,
    settings,
    reports: sharedAgentReports({
      circuits: dynamoCircuits(dynamo, config.REEVE_COORDINATION_TABLE),
      report,
      clock: systemClock,
    }),
    onMore,
    clock: systemClock,
    log,
  }),
  limits: assembleLimitControl({ registry, settings, onMore, clock: systemClock, log }),
  store,
  registry,
  clock: systemClock,
  log,
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

export const handler = logged<LambdaEvent, Awaited<ReturnType<typeof serve>>>(
  async (event, context) => serve(withReplacedBytes(event), context),
);
