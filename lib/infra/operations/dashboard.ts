/** The dashboard, from top to bottom: throughput, failures, backlog and cost. */
import { Duration, Lazy, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  CfnDashboard,
  Column,
  GraphWidget,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  Row,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FrontDoor } from '#infra/access/front-door.ts';
import { type AgentChannel, agentFunctions } from '#infra/agents/agent-channel.ts';
import { deploymentOf } from '#infra/deployment/deployment.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import type { StateStore } from '#infra/order-tables.ts';
import type { WebhookChannel } from '#infra/queues/webhook-channel.ts';
import type { WorkQueue } from '#infra/queues/work-queue.ts';
import { ownMetric, undelivered } from './metrics.ts';

/** The parts that the dashboard shows: those that are there when the template is written. */
export interface DashboardProps {
  readonly alarms: readonly Alarm[];
  readonly store: StateStore;
  readonly frontDoor: FrontDoor;
  readonly supervisor: IFunction;
  readonly agents: readonly AgentChannel[];
  readonly webhooks: readonly WebhookChannel[];
  readonly queues: ReadonlyMap<string, WorkQueue>;
  readonly functions: () => ReadonlyMap<string, IFunction>;
}

/** Maximum number of alarms in one status widget (CloudWatch, Dashboard Body Structure). */
const alarmsPerWidget = 100;
const period = Duration.minutes(5);
const third = 8;
const half = 12;
const whole = 24;

/**
 * Makes the dashboard DEPLOYMENT-orders-REGION. The name of a dashboard is unique in an account, over all regions: without its region, a
 * deployment of the same name in a second region would be refused and rolled back. Its body is made with the template, because agents
 * may be added until then; the CDK's own construct takes its widgets at once.
 */
export function dashboard(scope: Construct, id: string, props: DashboardProps): void {
  const body = () => {
    const column = new Column(...rows(scope, props));
    column.position(0, 0);
    return Stack.of(scope).toJsonString({
      start: `-${Duration.hours(3).toIsoString()}`,
      widgets: column.toJson(),
    });
  };
  new CfnDashboard(new Construct(scope, id), 'Resource', {
    dashboardName: `${deploymentOf(scope).name}-orders-${Stack.of(scope).region}`,
    dashboardBody: Lazy.string({ produce: body }),
  });
}

const rows = (scope: Construct, props: DashboardProps): IWidget[] => [
  ...inGroups(props.alarms, alarmsPerWidget).map(
    (alarms) => new AlarmStatusWidget({ title: 'What needs an operator', alarms, width: whole }),
  ),
  new Row(flow(scope, props), latency(props), refusals(props)),
  new Row(...failures(props), backlog(scope, props)),
  new Row(sweeps(scope, props), cost(props)),
];

function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

function flow(scope: Construct, { frontDoor }: DashboardProps): IWidget {
  return new GraphWidget({
    title: 'Orders: how they ended',
    width: third,
    left: [
      ownMetric(scope, 'OrdersProcessed'),
      ownMetric(scope, 'OrdersUndone'),
      ownMetric(scope, 'OrdersInError'),
    ],
    right: [frontDoor.api.metricCount({ label: 'API requests', period })],
  });
}

function latency({ agents }: DashboardProps): IWidget {
  return new GraphWidget({
    title: 'Steps: how long a batch takes an agent (p99)',
    width: third,
    left: agentFunctions(agents).map(([agent, worker]) =>
      worker.metricDuration({ label: agent, statistic: Stats.percentile(99), period }),
    ),
  });
}

/** 503: too many orders wait. 429: those of one tenant do, or API Gateway limits the rate. */
function refusals({ frontDoor: { accessLog } }: DashboardProps): IWidget {
  return new LogQueryWidget({
    title: 'Refused requests by status',
    width: third,
    view: LogQueryVisualizationType.TABLE,
    logGroupNames: [accessLog.logGroupName],
    queryLines: [
      'filter status in ["429", "503"]',
      'stats count(*) as requests by status, method, path',
      'sort requests desc',
    ],
  });
}

/** From the log, which has more detail than a metric and costs nothing until a query runs. */
function failures({ agents }: DashboardProps): IWidget[] {
  // An existing function has a log of its own, in a form of its own.
  const logGroupNames = agentFunctions(agents).flatMap(([, worker]) =>
    worker instanceof ReeveFunction ? [worker.logGroup.logGroupName] : [],
  );
  if (logGroupNames.length === 0) return [];
  const widget = new LogQueryWidget({
    title: 'Failed calls by agent and error',
    width: half,
    view: LogQueryVisualizationType.TABLE,
    logGroupNames,
    queryLines: [
      'filter message = "call-failed"',
      'stats count(*) as calls by agent, error, code',
      'sort calls desc',
    ],
  });
  return [widget];
}

/** The age of the oldest message leaves out those that keep failing. */
function backlog(scope: Construct, { queues, webhooks }: DashboardProps): IWidget {
  return new GraphWidget({
    title: 'Backlog: the oldest message (s), and messages that keep failing',
    width: half,
    left: [
      ...[...queues].map(([label, { queue }]) =>
        queue.metricApproximateAgeOfOldestMessage({ label, period }),
      ),
      undelivered(scope),
      ...webhooks.map(({ channel }) =>
        undelivered(scope, channel).with({ label: `UndeliveredAge ${channel}` }),
      ),
    ],
    right: [ownMetric(scope, 'MessageReceives', Stats.MAXIMUM)],
  });
}

function sweeps(scope: Construct, { supervisor }: DashboardProps): IWidget {
  return new GraphWidget({
    title: 'Sweeps, and how long orders wait for an agent (s)',
    width: half,
    left: [
      supervisor.metricInvocations({ label: 'sweeps', period }),
      supervisor.metricErrors({ label: 'failed', period }),
    ],
    right: [
      ownMetric(scope, 'OrdersPastDue'),
      ownMetric(scope, 'OrdersInterrupted'),
      ownMetric(scope, 'SweepLag', Stats.MAXIMUM),
      ownMetric(scope, 'HeldAge', Stats.MAXIMUM),
      ownMetric(scope, 'AgentsUnavailable'),
    ],
  });
}

function cost({ store, functions }: DashboardProps): IWidget {
  return new GraphWidget({
    title: 'What costs: table units and invocations',
    width: half,
    left: [
      store.processes.metricConsumedWriteCapacityUnits({ label: 'write units', period }),
      store.processes.metricConsumedReadCapacityUnits({ label: 'read units', period }),
    ],
    right: [...functions()].map(([label, worker]) => worker.metricInvocations({ label, period })),
  });
}
