/** Alarms on every part that can stop, and the dashboard. */
import type { Duration } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FrontDoor } from '#infra/access/front-door.ts';
import { type AgentChannel, agentFunctions } from '#infra/agents/agent-channel.ts';
import type { ReeveFunction } from '#infra/functions/reeve-function.ts';
import type { StateStore } from '#infra/order-tables.ts';
import type { SubmissionQueue } from '#infra/queues/submission-queue.ts';
import type { WebhookChannel } from '#infra/queues/webhook-channel.ts';
import type { WorkQueue } from '#infra/queues/work-queue.ts';
import type { Scheduler } from '#infra/scheduler-function.ts';
import type { SweepSchedule } from '#infra/sweep-schedule.ts';
import { Alarms } from './alarms.ts';
import { dashboard } from './dashboard.ts';
import type { Notifications } from './notifications.ts';

/** The parts that have alarms, or that the dashboard shows. */
export interface ObservabilityProps {
  readonly store: StateStore;
  readonly frontDoor: FrontDoor;
  readonly scheduler: Scheduler;
  readonly sweeps: SweepSchedule;
  readonly sweepsEvery: Duration;
  readonly notifications: Notifications;
  readonly agents: readonly AgentChannel[];
  readonly webhooks: readonly WebhookChannel[];
  readonly queues: ReadonlyMap<string, WorkQueue>;
  /** By the names that alarms and `reeve dlq` use. */
  readonly deadLetters: ReadonlyMap<string, Queue>;
  readonly submission?: SubmissionQueue;
}

/** The alarms and the dashboard of a stack. */
export class Observability extends Construct {
  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    const { store, notifications, queues, deadLetters, sweeps, webhooks } = props;
    const functions = functionsOf(props);
    const alarms = new Alarms(this, 'Alarms', notifications.operators);
    alarms.onOrders();
    alarms.onCircuits();
    for (const [name, queue] of queues) alarms.onQueue(name, queue);
    for (const [name, queue] of deadLetters) alarms.onDeadLetters(name, queue);
    for (const webhook of webhooks) alarms.onWebhook(webhook);
    alarms.onRetries(notifications);
    for (const [name, worker] of functions) alarms.onFunction(name, worker);
    alarms.onSweeps(store, props.sweepsEvery);
    alarms.onLag(props.sweepsEvery);
    alarms.onHolds();
    alarms.onStream(notifications.worker);
    alarms.onTables(store);
    dashboard(this, 'Dashboard', {
      ...props,
      alarms: alarms.all,
      supervisor: sweeps.worker,
      functions,
    });
  }
}

function functionsOf(props: ObservabilityProps): ReadonlyMap<string, ReeveFunction> {
  const { frontDoor, scheduler, sweeps, notifications, agents, webhooks, submission } = props;
  return new Map([
    ['front-door', frontDoor.worker],
    ['scheduler', scheduler.worker],
    ['supervisor', sweeps.worker],
    ['notifier', notifications.worker],
    ...agentFunctions(agents),
    ...webhooks.map(({ channel, worker }) => [`webhook-${channel}`, worker] as const),
    ...(submission === undefined ? [] : [['submission', submission.worker] as const]),
  ]);
}
