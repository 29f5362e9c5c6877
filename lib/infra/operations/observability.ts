/** Alarms on every part that can stop, and the dashboard. */
import type { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FrontDoor } from '#infra/access/front-door.ts';
import { type AgentChannel, agentFunctions } from '#infra/agents/agent-channel.ts';
import type { StateStore } from '#infra/order-tables.ts';
import { agentDeadLetters, agentQueues } from '#infra/queues/deployed-queues.ts';
import type { SubmissionQueue } from '#infra/queues/submission-queue.ts';
import type { WebhookChannel } from '#infra/queues/webhook-channel.ts';
import type { WorkQueue } from '#infra/queues/work-queue.ts';
import type { Scheduler } from '#infra/scheduler-function.ts';
import type { SweepSchedule } from '#infra/sweep-schedule.ts';
import type { AlarmThresholds } from './alarm-thresholds.ts';
import { Alarms } from './alarms.ts';
import { dashboard } from './dashboard.ts';
import type { Notifications } from './notifications.ts';

/** The parts that have a function. */
export interface DeployedFunctions {
  readonly frontDoor: FrontDoor;
  readonly scheduler: Scheduler;
  readonly sweeps: SweepSchedule;
  readonly notifications: Notifications;
  readonly webhooks: readonly WebhookChannel[];
  readonly submission?: SubmissionQueue | undefined;
}

/** The parts that have alarms, or that the dashboard shows. */
export interface ObservabilityProps extends DeployedFunctions {
  readonly store: StateStore;
  readonly sweepsEvery: Duration;
  /** Also those that are added later, by {@link Observability.addAgent}. */
  readonly agents: readonly AgentChannel[];
  /** Without those of agents. */
  readonly queues: ReadonlyMap<string, WorkQueue>;
  /** By the names that alarms and `reeve dlq` use, without those of agents. */
  readonly deadLetters: ReadonlyMap<string, Queue>;
  readonly thresholds: AlarmThresholds;
}

/** The alarms and the dashboard of a deployment. */
export class Observability extends Construct {
  private readonly alarms: Alarms;
  private readonly queues: Map<string, WorkQueue>;

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    const { store, notifications, deadLetters, sweeps, webhooks } = props;
    const alarms = new Alarms(this, 'Alarms', notifications.operators, props.thresholds);
    this.alarms = alarms;
    this.queues = new Map(props.queues);
    alarms.onOrders(props.sweepsEvery);
    alarms.onCircuits();
    for (const [name, queue] of props.queues) alarms.onQueue(name, queue);
    for (const [name, queue] of deadLetters) alarms.onDeadLetters(name, queue);
    for (const webhook of webhooks) alarms.onWebhook(webhook);
    alarms.onRetries(notifications);
    alarms.onReturned();
    for (const [name, worker] of functionsOf(props)) alarms.onFunction(name, worker);
    alarms.onSweeps(store, props.sweepsEvery);
    alarms.onLag(props.sweepsEvery);
    alarms.onHolds();
    alarms.onStream(notifications, store);
    alarms.onTables(store);
    dashboard(this, 'Dashboard', {
      ...props,
      alarms: alarms.all,
      supervisor: sweeps.worker,
      queues: this.queues,
      functions: () => new Map([...functionsOf(props), ...agentFunctions(props.agents)]),
    });
  }

  /** Alarms on the queues and the function of an agent. */
  addAgent(agent: AgentChannel): void {
    for (const [name, queue] of agentQueues(agent)) {
      this.alarms.onQueue(name, queue);
      this.queues.set(name, queue);
    }
    for (const [name, queue] of agentDeadLetters(agent)) this.alarms.onDeadLetters(name, queue);
    for (const [name, worker] of agentFunctions([agent])) this.alarms.onFunction(name, worker);
  }
}

/** The functions by the names that alarms use, without those of agents. */
export function functionsOf(props: DeployedFunctions): [string, IFunction][] {
  const { frontDoor, scheduler, sweeps, notifications, webhooks, submission } = props;
  const named: [string, IFunction | undefined][] = [
    ['front-door', frontDoor.worker],
    ['scheduler', scheduler.worker],
    ['supervisor', sweeps.worker],
    ['notifier', notifications.worker],
    ...webhooks.map(({ channel, worker }): [string, IFunction] => [`webhook-${channel}`, worker]),
    ['submission', submission?.worker],
  ];
  return named.flatMap(([name, worker]): [string, IFunction][] =>
    worker === undefined ? [] : [[name, worker]],
  );
}
