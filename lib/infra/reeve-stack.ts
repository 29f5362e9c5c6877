/**
 * Reeve in one stack:
 *
 *     submitter → front door → orders, processes → ready → Scheduler ⇄ agents
 *                                  ↑     ↓ stream             ↑
 *                       schedule → Supervisor ───────────────────┘
 *                                  notifier → response channels, operators
 */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  Annotations,
  Duration,
  type RemovalPolicy,
  Stack,
  type StackProps,
  Stage,
} from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import { ReeveError } from '#core/model/errors.ts';
import { FrontDoor } from '#infra/access/front-door.ts';
import { AgentChannel, type AgentProps, agentSources } from '#infra/agents/agent-channel.ts';
import { configuredAgents, missingServices } from '#infra/agents/configured-agents.ts';
import { excesses } from '#infra/checks/aws-limits.ts';
import { type Bundle, bundle as esbuild } from '#infra/functions/bundles.ts';
import { deployedLimits } from '#infra/functions/deployed-limits.ts';
import { roleSource } from '#infra/functions/function-code.ts';
import { Notifications } from '#infra/operations/notifications.ts';
import { Observability } from '#infra/operations/observability.ts';
import { outputs } from '#infra/operations/outputs.ts';
import { deadlineCheckQueue } from '#infra/queues/deadline-check-queue.ts';
import { deadLetters, workQueues } from '#infra/queues/deployed-queues.ts';
import { PriorityQueues } from '#infra/queues/priority-queues.ts';
import { queuePrefix } from '#infra/queues/queue-prefix.ts';
import { responseQueues, responseVariable } from '#infra/queues/response-channels.ts';
import { SubmissionQueue } from '#infra/queues/submission-queue.ts';
import { WebhookChannel } from '#infra/queues/webhook-channel.ts';
import type { Settings } from '#infra/settings/settings.ts';
import { applyStackWide } from '#infra/settings/stack-wide.ts';
import { removalOf } from '#infra/settings/stage.ts';
import { StateStore } from './order-tables.ts';
import { Scheduler, schedulerTimeout } from './scheduler-function.ts';
import { SweepSchedule, supervisorTimeout } from './sweep-schedule.ts';

/** Properties of {@link ReeveStack}. */
export interface ReeveStackProps extends StackProps {
  /** From {@link readSettings}. */
  readonly settings: Settings;
  /** The module that exports `workflows`: every version that still has live orders. */
  readonly workflows: string;
  /** The agents of the steps of all workflows. */
  readonly agents: readonly AgentProps[];
  /** Creates the functions' code. @default esbuild, into the folder of the cloud assembly */
  readonly bundle?: Bundle;
}

const consoleBuilt = join(import.meta.dirname, '..', 'console', 'dist');

/**
 * A deployment of Reeve.
 *
 * @throws {ReeveError} `settings-invalid` when a setting names an agent that the stack does not have
 */
export class ReeveStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { settings, workflows, agents: named, bundle = esbuild, ...props }: ReeveStackProps,
  ) {
    super(scope, id, { description: 'Reeve: runs multi-step orders', ...props });
    // The CDK makes a function depend on its role's policies too, which cfn-lint reports as redundant.
    this.templateOptions.metadata = { 'cfn-lint': { config: { ignore_checks: ['W3005'] } } };
    const agents = configuredAgents(named, settings);
    const missing = missingServices(agents, settings);
    // Not thrown: `cdk bootstrap` and `cdk destroy` also create the app, and need no service.
    if (missing !== null) Annotations.of(this).addError(missing);
    const removal = removalOf(settings.stage);
    const every = Duration.minutes(settings.sweepMinutes);
    const code = codeOf(settings, agents, workflows, (sources) => bundle(sources, bundlesOf(this)));
    const webhooks = webhookChannels(this, settings, code, removal);
    const responses = responseVariable(this, settings);
    const shares = tenantVariable(settings);

    const store = stateStore(this, settings, every, removal);
    const ready = readyQueues(this, settings);
    const limits = deployedLimits(workflows);
    const channels = agents.map((agent) => {
      const common = { store, priorities: settings.priorities, schedulerTimeout, removal };
      const own = { agent, rates: limits.get(agent.name) ?? [], codeOf: code };
      return new AgentChannel(this, `Agent-${agent.name}`, { ...own, ...common });
    });
    const checks =
      settings.recovery === 'prompt' ? deadlineCheckQueue(this, supervisorTimeout) : undefined;
    const common = { store, ready, removal };
    const frontDoor = new FrontDoor(this, 'FrontDoor', {
      ...common,
      code: code('front-door'),
      environment: { ...responses, ...shares },
      ...accessOf(settings),
    });
    const withAgents = { ...common, agents: channels, checks, environment: shares };
    const schedules = { ...withAgents, hasLimits: limits.size > 0, code: code('scheduler') };
    const scheduler = new Scheduler(this, 'Scheduler', schedules);
    const sweeps = new SweepSchedule(this, 'Supervisor', {
      ...withAgents,
      code: code('supervisor'),
      every,
      reservedConcurrency: settings.reservedConcurrency.supervisor,
    });
    const submission = settings.submissionQueue
      ? new SubmissionQueue(this, 'Submission', {
          ...common,
          code: code('submission'),
          environment: responses,
        })
      : undefined;
    const notifications = new Notifications(this, 'Notifications', {
      code: code('notifier'),
      store,
      ready,
      responseQueues: responseQueues(settings, webhooks),
      environment: responses,
      eventBus: settings.eventBus,
      reservedConcurrency: settings.reservedConcurrency.notifier,
      removal,
      ...(settings.alarmEmail !== undefined && { alarmEmail: settings.alarmEmail }),
    });
    const parts = { settings, ready, channels, checks, webhooks, submission, notifications };
    new Observability(this, 'Observability', {
      store,
      frontDoor,
      scheduler,
      sweeps,
      sweepsEvery: every,
      notifications,
      agents: channels,
      webhooks,
      queues: workQueues(parts),
      deadLetters: deadLetters(parts),
      ...(submission !== undefined && { submission }),
    });
    outputs(this, { ...parts, frontDoor });
    applyStackWide(this, settings);
    this.node.addValidation({ validate: () => excesses(this) });
  }
}

const stateStore = (
  stack: Stack,
  { stage, shards, keepDays }: Settings,
  every: Duration,
  removal: RemovalPolicy,
) =>
  new StateStore(stack, 'StateStore', {
    removal,
    protectedFromDeletion: stage === 'prod',
    shards,
    sweepSeconds: every.toSeconds(),
    keepDays,
  });

function webhookChannels(
  stack: Stack,
  { webhooks }: Settings,
  code: (name: string) => Code,
  removal: RemovalPolicy,
): readonly WebhookChannel[] {
  return Object.entries(webhooks).map(([name, webhook]) => {
    const own = { name, ...webhook, code: code('webhook'), removal };
    return new WebhookChannel(stack, `Webhook-${name}`, own);
  });
}

const tenantVariable = ({ tenantWeights }: Settings): Record<string, string> =>
  tenantWeights.size === 0
    ? {}
    : { REEVE_TENANT_WEIGHTS: JSON.stringify(Object.fromEntries(tenantWeights)) };

/** The front door's authorisation, allowed origins, throttling and admission. */
const accessOf = ({ throttle, backlogMaxSeconds, corsOrigins, jwt, console }: Settings) => ({
  throttle,
  backlogMaxSeconds,
  corsOrigins,
  ...(jwt !== undefined && { jwt }),
  ...(console !== undefined && { console }),
});

function readyQueues(stack: Stack, { priorities }: Settings): PriorityQueues {
  const prefix = queuePrefix(stack);
  return new PriorityQueues(stack, 'Ready', {
    priorities,
    nameOf: (priority) => queueNames.ready(prefix, priority),
    deadLetterName: deadLetterNames.ready(prefix),
    functionTimeout: schedulerTimeout,
  });
}

/** Beside the template, so that deleting the assembly deletes the bundles too. */
function bundlesOf(stack: Stack): string {
  return join(Stage.of(stack)?.outdir ?? 'cdk.out', `bundles-${stack.artifactId}`);
}

/** The code of each function, by name. */
function codeOf(
  { submissionQueue, webhooks, console }: Settings,
  agents: readonly AgentProps[],
  workflows: string,
  bundled: (sources: Readonly<Record<string, string>>) => (name: string) => string,
): (name: string) => Code {
  const roles = [
    ...(['front-door', 'scheduler', 'supervisor', 'notifier'] as const),
    ...(Object.keys(webhooks).length > 0 ? (['webhook'] as const) : []),
    ...(submissionQueue ? (['submission'] as const) : []),
  ];
  const folderOf = bundled({
    ...Object.fromEntries(roles.map((role) => [role, roleSource(role, workflows)])),
    ...agentSources(agents),
  });
  const withPages = console === undefined ? undefined : withConsole(folderOf('front-door'));
  return (name) =>
    Code.fromAsset(name === 'front-door' ? (withPages ?? folderOf(name)) : folderOf(name));
}

/** A copy of the front door's code, with the files of the console, as `npm ci` built them. */
function withConsole(folder: string): string {
  if (!existsSync(join(consoleBuilt, 'index.html'))) {
    throw new ReeveError(
      'console-unbuilt',
      'The console is not built. Run `npm run prepare` where Reeve is installed, then deploy again.',
    );
  }
  const copy = `${folder}-with-console`;
  cpSync(folder, copy, { recursive: true });
  cpSync(consoleBuilt, join(copy, 'console'), { recursive: true });
  return copy;
}
