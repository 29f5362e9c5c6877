/** The Supervisor: a function that a schedule invokes, and that may invoke itself for a busy shard. */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Effect, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Code, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type AgentChannel, namesOf } from '#infra/agents/agent-channel.ts';
import { acknowledge } from '#infra/checks/acknowledge.ts';
import { deploymentOf } from '#infra/deployment/deployment.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import { aliasName } from '#infra/functions/release.ts';
import { checkConcurrency, recoveryVariable } from '#infra/queues/deadline-check-queue.ts';
import { type PriorityQueues, readyVariables } from '#infra/queues/priority-queues.ts';
import type { WorkQueue } from '#infra/queues/work-queue.ts';
import type { StateStore } from './order-tables.ts';

/** Properties of {@link SweepSchedule}. */
export interface SweepScheduleProps {
  readonly code: Code;
  readonly store: StateStore;
  readonly ready: PriorityQueues;
  /** Also those that are added later. */
  readonly agents: readonly AgentChannel[];
  /** @default no deadline checks */
  readonly checks?: WorkQueue | undefined;
  /** The period of the sweeps. */
  readonly every: Duration;
  /** Overdue orders that all sweeps together recover per second. */
  readonly recoveryPerSecond: number;
  /** @default shared with the account */
  readonly reservedConcurrency?: number | undefined;
  /** Variables that depend on settings alone. */
  readonly environment: Readonly<Record<string, string>>;
  readonly removal: RemovalPolicy;
}

/**
 * MiB: more than half a core, at which the recovery of a shard keeps up with the throughput of a partition of
 * the due index (docs/aws.md, "Recovery throughput").
 */
const memorySize = 1_024;
/** A late tick is useless: the next one does its work. */
const eventAgeMax = Duration.seconds(60);

/** The timeout of the Supervisor, on which the visibility timeout of its queue depends. */
export const supervisorTimeout = Duration.seconds(60);

/** The function of the Supervisor and its schedule. */
export class SweepSchedule extends Construct {
  readonly worker: ReeveFunction;

  constructor(scope: Construct, id: string, props: SweepScheduleProps) {
    super(scope, id);
    const { store, ready, checks } = props;
    const deployment = deploymentOf(this);
    this.worker = new ReeveFunction(this, 'Function', {
      name: 'supervisor',
      code: props.code,
      description: 'Reeve: Supervisor',
      memorySize,
      timeout: supervisorTimeout,
      reservedConcurrency: props.reservedConcurrency,
      removal: props.removal,
      // A check that finds nothing late sends the next one, as long as its order lives.
      ...(checks !== undefined && { recursiveLoop: RecursiveLoop.ALLOW }),
      environment: {
        ...store.environment,
        ...props.environment,
        ...readyVariables(ready),
        ...recoveryVariable(checks),
        REEVE_COORDINATION_TABLE: store.coordination.tableName,
        REEVE_RECOVERY_PER_SECOND: String(props.recoveryPerSecond),
        REEVE_AGENTS: namesOf(props.agents),
        ...(deployment.releases !== undefined && { REEVE_ALIAS: aliasName }),
      },
    });
    store.allowSweep(this.worker);
    ready.allowSend(this.worker);
    if (checks !== undefined) {
      checks.consumedBy(this.worker.target, checkConcurrency);
      this.worker.allow(['sqs:SendMessage'], checks.queue.queueArn);
    }
    this.worker.target.configureAsyncInvoke({ maxEventAge: eventAgeMax, retryAttempts: 0 });
    // A separate policy: in the role's, function and role would depend on each other.
    const itself = new Policy(this, 'HandOver', {
      statements: [
        new PolicyStatement({
          effect: Effect.ALLOW,
          actions: ['lambda:InvokeFunction'],
          resources: [this.worker.target.functionArn],
        }),
      ],
    });
    if (this.worker.role !== undefined) itself.attachToRole(this.worker.role);

    acknowledge(this.worker, 'Serverless::Serverless-LambdaAsyncFailureDestination');
    const tick = new Rule(this, 'Tick', {
      description: 'Reeve: a sweep of the due index',
      schedule: Schedule.rate(props.every),
      enabled: !deployment.standby,
      targets: [
        new LambdaFunction(this.worker.target, {
          event: RuleTargetInput.fromObject({ sweep: 'all' }),
          maxEventAge: eventAgeMax,
          retryAttempts: 0,
        }),
      ],
    });
    acknowledge(tick, 'Serverless::Serverless-EventBusDLQ');
  }
}
