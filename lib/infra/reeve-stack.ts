/**
 * Reeve in one stack, as the picture has it:
 *
 *     submitter → front door → orders, processes → ready → Scheduler ⇄ agents
 *                                  ↑     ↓ stream             ↑
 *                       clock → Supervisor ───────────────────┘
 *                                  notifier → response channels, operators
 */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ReeveError } from '#core/errors.ts';
import { AgentChannel, type AgentProps, agentEntries } from './agent-channel.ts';
import { bundle } from './bundles.ts';
import { FrontDoor } from './front-door.ts';
import { Notifications } from './notifications.ts';
import { Observability } from './observability.ts';
import { PriorityQueues } from './priority-queues.ts';
import { queuesToTell, responseVariable } from './response-channels.ts';
import { Scheduler, schedulerTimeout } from './scheduler.ts';
import type { Settings } from './settings.ts';
import { removalOf } from './stage.ts';
import { StateStore } from './state-store.ts';
import { SubmissionQueue } from './submission-queue.ts';
import { SweepSchedule } from './sweep-schedule.ts';
import { WebhookChannel } from './webhook-channel.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ReeveStackProps extends StackProps {
  readonly settings: Settings;
  /** The module that exports `workflows`: every version that still has orders on their way. */
  readonly workflows: string;
  readonly agents: readonly AgentProps[];
}

/** What the outputs name. */
interface Told {
  readonly queues: ReadonlyMap<string, WorkQueue>;
  readonly webhooks: readonly WebhookChannel[];
  readonly submission: SubmissionQueue | undefined;
}

/** Wherever the app runs: it may be another project's. */
const lambdas = join(import.meta.dirname, '..', '..', 'lambdas');
const consoleBuilt = join(import.meta.dirname, '..', 'console', 'dist');

export class ReeveStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { settings, workflows, agents, ...props }: ReeveStackProps,
  ) {
    super(scope, id, { description: 'Reeve: brings orders to their end', ...props });
    // The CDK has a function wait for its role's policies too, which cfn-lint takes for a repetition.
    this.templateOptions.metadata = { 'cfn-lint': { config: { ignore_checks: ['W3005'] } } };
    const removal = removalOf(settings.stage);
    const every = Duration.minutes(settings.sweepMinutes);
    const code = codeOf(settings, workflows, agents);
    const webhooks = Object.entries(settings.webhooks).map(([name, webhook]) => {
      const own = { name, ...webhook, code: code('webhook'), removal };
      return new WebhookChannel(this, `Webhook-${name}`, own);
    });
    const responses = responseVariable(this, settings, webhooks);

    const store = new StateStore(this, 'StateStore', {
      removal,
      protectedFromDeletion: settings.stage === 'prod',
      shards: settings.shards,
      sweepSeconds: every.toSeconds(),
      keepDays: settings.keepDays,
    });
    const ready = new PriorityQueues(this, 'Ready', {
      kind: 'nudge',
      priorities: settings.priorities,
      functionTimeout: schedulerTimeout,
    });
    const channels = agents.map((agent) => {
      const common = { priorities: settings.priorities, schedulerTimeout, removal };
      return new AgentChannel(this, `Agent-${agent.name}`, { agent, codeOf: code, ...common });
    });
    const common = { store, ready, removal };
    const frontDoor = new FrontDoor(this, 'FrontDoor', {
      ...common,
      code: code('front-door'),
      environment: responses,
      ...(settings.jwt !== undefined && { jwt: settings.jwt }),
      ...(settings.console !== undefined && { console: settings.console }),
    });
    const scheduler = new Scheduler(this, 'Scheduler', {
      ...common,
      code: code('scheduler'),
      agents: channels,
    });
    const sweeps = new SweepSchedule(this, 'Supervisor', {
      ...common,
      code: code('supervisor'),
      every,
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
      responseQueues: queuesToTell(settings, webhooks),
      environment: responses,
      removal,
      ...(settings.alarmEmail !== undefined && { alarmEmail: settings.alarmEmail }),
    });
    const queues = named([
      ...ready.all,
      ...channels.flatMap(({ requests, replies }) => [...requests.all, replies]),
      ...(submission === undefined ? [] : [submission.submissions]),
    ]);
    new Observability(this, 'Observability', {
      store,
      frontDoor,
      scheduler,
      sweeps,
      sweepsEvery: every,
      notifications,
      agents: channels,
      webhooks,
      queues,
      ...(submission !== undefined && { submission }),
    });
    this.tell(frontDoor, notifications, { queues, webhooks, submission });
    tellAgents(this, channels);
  }

  private tell(
    { api }: FrontDoor,
    { failures, undelivered, operators }: Notifications,
    { queues, webhooks, submission }: Told,
  ): void {
    const letters = [
      ...[...queues].map(([name, queue]) => [name, queue.kind, queue] as const),
      ...webhooks.map((webhook) => [`Webhook-${webhook.channel}`, 'status', webhook] as const),
    ].map(([name, kind, { deadLetters, queue }]) => [
      name,
      { kind, dead: deadLetters.queueUrl, source: queue.queueUrl },
    ]);
    const untold = (queue: Queue) => ({ kind: 'change', dead: queue.queueUrl, source: null });
    const out = (id: string, description: string, value: string) =>
      new CfnOutput(this, id, { description, value });
    out('ApiUrl', 'Where orders are submitted', api.apiEndpoint);
    out('OperatorTopic', 'Subscribe to hear of alarms and orders in Error', operators.topicArn);
    out(
      'DeadLetters',
      'What `reeve dlq` reads: dead-letter queues and where their letters came from',
      Stack.of(this).toJsonString({
        ...Object.fromEntries(letters),
        Notifications: untold(failures),
        Alerts: untold(undelivered),
      }),
    );
    if (submission !== undefined) {
      out(
        'SubmissionQueueUrl',
        'Where submissions can be sent',
        submission.submissions.queue.queueUrl,
      );
    }
  }
}

/** What an agent that runs elsewhere, and whoever gives it its role, must know. */
function tellAgents(stack: Stack, channels: readonly AgentChannel[]): void {
  const elsewhere = channels.flatMap(({ agent, requests, replies, workedOff }) =>
    workedOff.kind === 'function'
      ? []
      : [
          [
            agent,
            {
              requests: requests.urls,
              replies: replies.queue.queueUrl,
              policy: workedOff.policy.managedPolicyArn,
            },
          ],
        ],
  );
  if (elsewhere.length === 0) return;
  new CfnOutput(stack, 'Agents', {
    description: 'Agents that run elsewhere: their queues, and the policy for the role of each',
    value: stack.toJsonString(Object.fromEntries(elsewhere)),
  });
}

/** The code of each function, by name. */
function codeOf(
  { submissionQueue, webhooks, console }: Settings,
  workflows: string,
  agents: readonly AgentProps[],
): (name: string) => Code {
  const folderOf = bundle(
    {
      'front-door': `${lambdas}/front-door.ts`,
      scheduler: `${lambdas}/scheduler.ts`,
      supervisor: `${lambdas}/supervisor.ts`,
      notifier: `${lambdas}/notifier.ts`,
      ...(Object.keys(webhooks).length > 0 ? { webhook: `${lambdas}/webhook.ts` } : {}),
      ...(submissionQueue ? { submission: `${lambdas}/submission.ts` } : {}),
      ...agentEntries(agents),
    },
    workflows,
  );
  if (console !== undefined) addConsole(folderOf('front-door'));
  return (name) => Code.fromAsset(folderOf(name));
}

/** The console's files, as `npm ci` built them, beside the function that serves them. */
function addConsole(folder: string): void {
  if (!existsSync(join(consoleBuilt, 'index.html'))) {
    throw new ReeveError(
      'console-unbuilt',
      'The console is not built. Run `npm run prepare` where Reeve is installed, then deploy again.',
    );
  }
  cpSync(consoleBuilt, join(folder, 'console'), { recursive: true });
}

/** Queues by what they are called in alarms and by `reeve dlq`: their place in the stack. */
function named(queues: readonly WorkQueue[]): ReadonlyMap<string, WorkQueue> {
  return new Map(queues.map((queue) => [queue.node.path.split('/').slice(1).join('-'), queue]));
}
