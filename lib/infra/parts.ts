/** The parts of a deployment, without its agents, which may be added later. */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import { ReeveError } from '#core/model/errors.ts';
import { FrontDoor } from '#infra/access/front-door.ts';
import type { AgentChannel } from '#infra/agents/agent-channel.ts';
import type { DeploymentCode } from '#infra/functions/deployment-code.ts';
import type { RoleFunction } from '#infra/functions/function-code.ts';
import { Notifications } from '#infra/operations/notifications.ts';
import { Observability } from '#infra/operations/observability.ts';
import { outputs } from '#infra/operations/outputs.ts';
import { deadlineCheckQueue } from '#infra/queues/deadline-check-queue.ts';
import { type DeployedQueues, deadLetters, workQueues } from '#infra/queues/deployed-queues.ts';
import { PriorityQueues } from '#infra/queues/priority-queues.ts';
import { queuePrefix } from '#infra/queues/queue-prefix.ts';
import { responseVariable } from '#infra/queues/response-channels.ts';
import { SubmissionQueue } from '#infra/queues/submission-queue.ts';
import { WebhookChannel } from '#infra/queues/webhook-channel.ts';
import { delayMaxSeconds } from '#infra/queues/work-queue.ts';
import type { DeploymentSettings } from '#infra/settings/properties.ts';
import { StateStore } from './order-tables.ts';
import type { ReeveProps } from './reeve-props.ts';
import { Scheduler, schedulerTimeout } from './scheduler-function.ts';
import { SweepSchedule, supervisorTimeout } from './sweep-schedule.ts';

/** What the parts are made from. */
export interface PartsProps {
  readonly settings: DeploymentSettings;
  /** The properties that need no check. */
  readonly objects: Pick<
    ReeveProps,
    'tables' | 'domainName' | 'eventBus' | 'alarmTopic' | 'alarms'
  >;
  readonly code: DeploymentCode;
  readonly removal: RemovalPolicy;
  /** Filled when agents are added. */
  readonly channels: readonly AgentChannel[];
}

/** The parts of a deployment. */
export interface Parts extends DeployedQueues {
  readonly store: StateStore;
  readonly frontDoor: FrontDoor;
  readonly scheduler: Scheduler;
  readonly sweeps: SweepSchedule;
  readonly observability: Observability;
  readonly apiUrl: string;
}

/** The functions of a deployment beside those of agents. */
export const rolesOf = ({
  webhooks,
  submissionQueue,
}: DeploymentSettings): readonly RoleFunction[] => [
  ...(['front-door', 'scheduler', 'supervisor', 'notifier'] as const),
  ...(Object.keys(webhooks).length > 0 ? (['webhook'] as const) : []),
  ...(submissionQueue ? (['submission'] as const) : []),
];

/** Makes the parts. The order of calls decides nothing: each part has an id of its own. */
export function makeParts(scope: Construct, props: PartsProps): Parts {
  const { settings, objects, code, removal, channels } = props;
  refuseTwoAudiences(scope.node.path, props);
  refuseWarmGiven(scope.node.path, props);
  const every = Duration.minutes(settings.sweepMinutes);
  const store = new StateStore(scope, 'StateStore', {
    removal,
    protectedFromDeletion: settings.stage === 'prod',
    shards: settings.shards,
    sweepSeconds: every.toSeconds(),
    keepDays: settings.keepDays,
    tables: objects.tables,
    warmOrdersPerSecond: settings.warmOrdersPerSecond,
  });
  const ready = readyQueues(scope, settings);
  const common = { store, ready, removal };
  const checks =
    settings.recovery === 'prompt' ? deadlineCheckQueue(scope, supervisorTimeout) : undefined;
  const responses = responseVariable(scope, settings);
  const shares = tenantVariable(settings);
  const frontDoor = new FrontDoor(scope, 'FrontDoor', {
    ...common,
    code: settings.console === undefined ? code.role('front-door') : code.frontDoorWithConsole(),
    environment: { ...responses, ...shares },
    throttle: settings.throttle,
    backlogMaxSeconds: settings.backlogMaxSeconds,
    corsOrigins: settings.corsOrigins,
    jwt: settings.jwt,
    console: settings.console,
    domainName: objects.domainName,
  });
  const withAgents = { ...common, agents: channels, checks, environment: shares };
  const scheduler = new Scheduler(scope, 'Scheduler', {
    ...withAgents,
    hasLimits: (code.deployed?.limits.size ?? 0) > 0,
    code: code.role('scheduler'),
  });
  const sweeps = new SweepSchedule(scope, 'Supervisor', {
    ...withAgents,
    code: code.role('supervisor'),
    every,
    recoveryPerSecond: settings.recoveryPerSecond,
    reservedConcurrency: settings.reservedConcurrency.supervisor,
  });
  const submission = settings.submissionQueue
    ? new SubmissionQueue(scope, 'Submission', {
        ...common,
        code: code.role('submission'),
        environment: responses,
      })
    : undefined;
  const webhooks = webhookChannels(scope, props);
  const notifications = new Notifications(scope, 'Notifications', {
    ...common,
    code: code.role('notifier'),
    responseQueues: [
      ...Object.values(settings.responseQueues),
      ...webhooks.map(({ queue }) => queue),
    ],
    environment: responses,
    eventBus: objects.eventBus,
    reservedConcurrency: settings.reservedConcurrency.notifier,
    alarmTopic: objects.alarmTopic,
    alarmEmail: settings.alarmEmail,
  });
  const queues = { ready, checks, webhooks, submission, notifications };
  const made = { ...queues, store, frontDoor, scheduler, sweeps };
  const observability = new Observability(scope, 'Observability', {
    ...made,
    sweepsEvery: every,
    agents: channels,
    queues: workQueues(queues),
    deadLetters: deadLetters(queues),
    thresholds: objects.alarms ?? {},
  });
  const apiUrl = urlOf(frontDoor, props);
  outputs(scope, { ...queues, frontDoor, channels, apiUrl });
  return { ...made, observability, apiUrl };
}

const urlOf = ({ api }: FrontDoor, { objects: { domainName } }: PartsProps) =>
  domainName === undefined ? api.apiEndpoint : `https://${domainName.name}`;

function refuseTwoAudiences(path: string, { settings, objects }: PartsProps): void {
  if (settings.alarmEmail === undefined || objects.alarmTopic === undefined) return;
  throw new ReeveError(
    'settings-invalid',
    `Invalid properties of ${path}: \`alarmEmail\` is for a topic that Reeve makes. Subscribe the address to \`alarmTopic\`.`,
  );
}

function refuseWarmGiven(path: string, { settings, objects }: PartsProps): void {
  if (settings.warmOrdersPerSecond === undefined || objects.tables === undefined) return;
  throw new ReeveError(
    'settings-invalid',
    `Invalid properties of ${path}: \`warmOrdersPerSecond\` is for tables that Reeve makes. Set the warm throughput of \`tables\` where they are made.`,
  );
}

function readyQueues(
  scope: Construct,
  { priorities, batchWindowSeconds }: DeploymentSettings,
): PriorityQueues {
  const prefix = queuePrefix(scope);
  return new PriorityQueues(scope, 'Ready', {
    priorities,
    nameOf: (priority) => queueNames.ready(prefix, priority),
    deadLetterName: deadLetterNames.ready(prefix),
    functionTimeout: schedulerTimeout,
    batchWindowSeconds,
    delayMaxSeconds,
  });
}

const webhookChannels = (scope: Construct, { settings, code, removal }: PartsProps) =>
  Object.entries(settings.webhooks).map(
    ([name, webhook]) =>
      new WebhookChannel(scope, `Webhook-${name}`, {
        name,
        ...webhook,
        code: code.role('webhook'),
        removal,
      }),
  );

const tenantVariable = ({ tenantWeights }: DeploymentSettings): Record<string, string> =>
  tenantWeights.size === 0
    ? {}
    : { REEVE_TENANT_WEIGHTS: JSON.stringify(Object.fromEntries(tenantWeights)) };
