/**
 * A deployment of Reeve, in any stack:
 *
 *     submitter → front door → orders, processes → ready → Scheduler ⇄ agents
 *                                  ↑     ↓ stream             ↑
 *                       schedule → Supervisor ───────────────────┘
 *                                  notifier → response channels, operators
 */
import type { RemovalPolicy } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { MetricName } from '#aws/metric-names.ts';
import { ReeveError } from '#core/model/errors.ts';
import { grantCaller } from '#infra/access/caller-grant.ts';
import { type Agent, agentOf, type FunctionAgent, type QueueAgent } from '#infra/agents/agent.ts';
import { AgentChannel, agentFunctions } from '#infra/agents/agent-channel.ts';
import { checkAgent } from '#infra/agents/agent-form.ts';
import {
  type AgentProps,
  type FunctionAgentProps,
  isBundled,
  type QueueAgentProps,
} from '#infra/agents/agent-props.ts';
import { warnOfTimeouts } from '#infra/checks/agent-timeouts.ts';
import { agentFaults } from '#infra/checks/agents-of-workflows.ts';
import { excesses } from '#infra/checks/aws-limits.ts';
import { deploy, deploymentName, deploymentReference } from '#infra/deployment/deployment.ts';
import { DeploymentCode } from '#infra/functions/deployment-code.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import { type Release, releasesOf } from '#infra/functions/release.ts';
import { ownMetric } from '#infra/operations/metrics.ts';
import { functionsOf } from '#infra/operations/observability.ts';
import { agentOutput } from '#infra/operations/outputs.ts';
import { windowFaults } from '#infra/queues/batch-window.ts';
import { agentDeadLetters, deadLetters } from '#infra/queues/deployed-queues.ts';
import { allowExisting, allowServices, allowTopic } from '#infra/settings/own-key.ts';
import { refuseElsewhere } from '#infra/settings/own-place.ts';
import { type DeploymentSettings, readProperties } from '#infra/settings/properties.ts';
import { applyToResources } from '#infra/settings/resource-wide.ts';
import { removalOf } from '#infra/settings/stage.ts';
import type { ReeveTables } from './order-tables.ts';
import { makeParts, type Parts, rolesOf } from './parts.ts';
import type { ReeveProps } from './reeve-props.ts';
import { schedulerTimeout } from './scheduler-function.ts';

/**
 * A deployment of Reeve: tables, queues, functions, the API, alarms and a dashboard.
 *
 * @throws {ReeveError} `settings-invalid` naming every property that is not valid; `esbuild-missing`
 */
export class Reeve extends Construct {
  /** The name of the deployment: the property `deployment`, or what it is without one. */
  readonly deployment: string;
  /** The HTTP API. */
  readonly api: HttpApi;
  /** The address of the API. */
  readonly apiUrl: string;
  /** The topic for alarms and alerts. */
  readonly operatorTopic: ITopic;
  readonly tables: ReeveTables;
  private readonly key: IKey | undefined;
  private readonly settings: DeploymentSettings;
  private readonly code: DeploymentCode;
  private readonly parts: Parts;
  private readonly channels: AgentChannel[] = [];

  constructor(scope: Construct, id: string, props: ReeveProps) {
    super(scope, id);
    this.settings = readProperties(this.node.path, props);
    const { vpc, vpcSubnets, securityGroups, tracing = false, release } = props;
    refuseElsewhere(this, props);
    this.deployment = deploymentName(this, props.deployment);
    deploy(this, {
      name: this.deployment,
      reference: deploymentReference(this),
      standby: this.settings.standby,
      tracing,
      ...(release !== undefined && { releases: releasesOf(this, release) }),
      ...(vpc !== undefined && { network: { vpc, vpcSubnets, securityGroups } }),
    });
    this.code = new DeploymentCode(this, {
      workflows: props.workflows,
      roles: rolesOf(this.settings),
      bundle: props.bundle,
    });
    this.parts = makeParts(this, {
      settings: this.settings,
      objects: props,
      code: this.code,
      removal: this.removal,
      channels: this.channels,
    });
    this.api = this.parts.frontDoor.api;
    this.apiUrl = this.parts.apiUrl;
    this.operatorTopic = this.parts.notifications.operators;
    this.tables = this.parts.store;
    this.key = props.encryptionKey;
    applyToResources(this, { logDays: this.settings.logDays, encryptionKey: this.key });
    if (this.key !== undefined) allowServices(this, this.key);
    const topicKey = props.alarmTopic?.masterKey;
    if (topicKey !== undefined && topicKey !== this.key) allowTopic(this, topicKey);
    this.node.addValidation({
      validate: () => [
        ...excesses(this),
        ...this.withoutFunction(release),
        ...this.workflowFaults(),
      ],
    });
  }

  /**
   * Adds an agent that Lambda invokes: `module` and `export` of its implementation, a module with a `handler` of its own, or an
   * existing `function`.
   *
   * @throws {ReeveError} `settings-invalid` naming every property that is not valid, and for an agent that was added before
   */
  addAgent(props: FunctionAgentProps): FunctionAgent;
  /** Adds the queues of an agent that runs elsewhere, in any language. */
  addAgent(props: QueueAgentProps): QueueAgent;
  addAgent(props: AgentProps): Agent;
  addAgent(props: AgentProps): Agent {
    checkAgent(this.node.path, props);
    const { name } = props;
    if (this.channels.some(({ agent }) => agent === name)) {
      throw new ReeveError(
        'settings-invalid',
        `${this.node.path} has an agent \`${name}\` already. Add each agent once.`,
      );
    }
    if (functionsOf(this.parts).some(([own]) => own === name)) {
      throw new ReeveError(
        'settings-invalid',
        `\`${name}\` is the name of a function of ${this.node.path}, by which alarms and \`functions\` call it. Give the agent another name.`,
      );
    }
    const { store, scheduler, observability } = this.parts;
    const channel = new AgentChannel(this, `Agent-${name}`, {
      agent: props,
      code: (agent) => this.code.agent(name, agent),
      rates: this.code.deployed?.limits.get(name) ?? [],
      store,
      priorities: this.settings.priorities,
      schedulerTimeout,
      batchWindowSeconds: this.settings.batchWindowSeconds,
      removal: this.removal,
    });
    const { consumer } = channel;
    if (this.key !== undefined && consumer.kind === 'function' && !isBundled(props)) {
      allowExisting(consumer.worker, this.key);
    }
    agentOutput(this, channel, this.channels);
    this.channels.push(channel);
    scheduler.addAgent(channel);
    observability.addAgent(channel);
    return agentOf(channel);
  }

  /** Allows a principal of the account to submit orders, and to see them. Only where callers sign for IAM. */
  grantSubmit(grantee: IGrantable): Grant {
    return grantCaller(this.parts.frontDoor, grantee, 'submitter');
  }

  /** Allows a principal of the account to see orders. Only where callers sign for IAM. */
  grantRead(grantee: IGrantable): Grant {
    return grantCaller(this.parts.frontDoor, grantee, 'viewer');
  }

  /** Allows a principal of the account all that operators may do. Only where callers sign for IAM. */
  grantOperate(grantee: IGrantable): Grant {
    return grantCaller(this.parts.frontDoor, grantee, 'operator');
  }

  /** The queue beside the API; undefined without `submissionQueue`. */
  get submissionQueue(): IQueue | undefined {
    return this.parts.submission?.submissions.queue;
  }

  /** The functions by the names that alarms use, such as `scheduler`; those of agents by the name of the agent. */
  get functions(): Readonly<Record<string, IFunction>> {
    return Object.fromEntries([...functionsOf(this.parts), ...agentFunctions(this.channels)]);
  }

  /** The dead-letter queues by the names that `reeve dlq` uses, such as `Agent-payment-Requests`. */
  get deadLetters(): Readonly<Record<string, IQueue>> {
    const ofAgents = this.channels.flatMap((channel) => [...agentDeadLetters(channel)]);
    return Object.fromEntries([...deadLetters(this.parts), ...ofAgents]);
  }

  /** A metric that Reeve publishes; docs/reference.md has their meanings. @default the sum over five minutes */
  metric(name: MetricName, options: MetricOptions = {}): Metric {
    return ownMetric(this, name).with(options);
  }

  /** Orders that became Processed. */
  metricOrdersProcessed(options?: MetricOptions): Metric {
    return this.metric('OrdersProcessed', options);
  }

  /** Orders that became Undone. */
  metricOrdersUndone(options?: MetricOptions): Metric {
    return this.metric('OrdersUndone', options);
  }

  /** Orders that went to Error. */
  metricOrdersInError(options?: MetricOptions): Metric {
    return this.metric('OrdersInError', options);
  }

  /**
   * Provisioned concurrency for a function that the deployment does not have would have no effect; nor for an existing one, which
   * has no alias of this deployment.
   */
  private withoutFunction({ provisionedConcurrency = {} }: Release = {}): string[] {
    const known = Object.entries(this.functions).flatMap(([name, one]) =>
      one instanceof ReeveFunction ? [name] : [],
    );
    return Object.keys(provisionedConcurrency)
      .filter((name) => !known.includes(name))
      .map(
        (name) =>
          `${this.node.path} has no function \`${name}\` for \`release.provisionedConcurrency\`. It has ${known.join(', ')}.`,
      );
  }

  /** Compares agents, their timeouts and the batch window with workflows, where their code is needed. */
  private workflowFaults(): string[] {
    const { deployed, workflows } = this.code;
    if (deployed === undefined) return [];
    warnOfTimeouts(this, this.channels, deployed);
    const added = this.channels.map(({ agent, code }) => ({ name: agent, code }));
    return [
      ...agentFaults(this, { module: workflows, workflows: deployed, added }),
      ...windowFaults(this.node.path, this.settings.batchWindowSeconds, deployed),
    ];
  }

  private get removal(): RemovalPolicy {
    return removalOf(this.settings.stage);
  }
}
