/** Reeve as a stack of its own, with its settings as texts: parameters of the context. */
import { Annotations, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { queueUrlOf } from '#aws/queues/queue-url.ts';
import {
  configuredAgents,
  missingServices,
  type StackAgentProps,
} from '#infra/agents/configured-agents.ts';
import type { Bundle } from '#infra/functions/bundles.ts';
import { checkedStack } from '#infra/settings/properties.ts';
import type { Settings } from '#infra/settings/settings.ts';
import { Reeve } from './reeve.ts';
import type { ReeveProps } from './reeve-props.ts';

/** Properties of {@link ReeveStack}. */
export interface ReeveStackProps extends StackProps {
  /** From {@link readSettings}. */
  readonly settings: Settings;
  /** The module that exports `workflows`: every version that still has live orders. */
  readonly workflows: string;
  /** The agents of the steps of all workflows. */
  readonly agents: readonly StackAgentProps[];
  /** Creates the functions' code. @default esbuild, into the folder of the cloud assembly */
  readonly bundle?: Bundle;
}

/**
 * A deployment of Reeve.
 *
 * @throws {ReeveError} `settings-invalid` when a property is missing, or a setting names an agent that the stack does not have
 */
export class ReeveStack extends Stack {
  constructor(scope: Construct, id: string, props: ReeveStackProps) {
    const { settings, workflows, agents: named, bundle, ...others } = checkedStack(id, props);
    super(scope, id, { description: 'Reeve: runs multi-step orders', ...others });
    // The CDK makes a function depend on its role's policies too, which cfn-lint reports as redundant.
    this.templateOptions.metadata = { 'cfn-lint': { config: { ignore_checks: ['W3005'] } } };
    const agents = configuredAgents(named, settings);
    const missing = missingServices(named, settings);
    // Not thrown: `cdk bootstrap` and `cdk destroy` also create the app, and need no service.
    if (missing !== null) Annotations.of(this).addError(missing);
    // The CDK leaves `Default` out of logical ids: another id would replace the tables of every deployment.
    const reeve = new Reeve(this, 'Default', {
      ...propertiesOf(this, settings),
      workflows,
      ...(bundle !== undefined && { bundle }),
    });
    for (const agent of agents) reeve.addAgent(agent);
    const { permissionsBoundary, tags } = settings;
    if (permissionsBoundary !== undefined) {
      const boundary = ManagedPolicy.fromManagedPolicyArn(this, 'Boundary', permissionsBoundary);
      PermissionsBoundary.of(this).apply(boundary);
    }
    for (const [key, value] of Object.entries(tags)) Tags.of(this).add(key, value);
  }
}

/** The properties of the construct: what is a text in the settings becomes an object. */
function propertiesOf(stack: Stack, settings: Settings): Omit<ReeveProps, 'workflows'> {
  const { responseQueues, webhooks, eventBus, kmsKey, tenantWeights, ...others } = settings;
  // Of the agents and of the stack.
  const { concurrency, services, permissionsBoundary, tags, ...common } = others;
  const existing = new Construct(stack, 'Existing');
  return {
    ...common,
    tenantWeights: Object.fromEntries(tenantWeights),
    responseQueues: mapped(responseQueues, (arn, name) =>
      // The URL as a text, where the CDK would write a function of CloudFormation for its domain.
      Queue.fromQueueAttributes(existing, `Queue-${name}`, {
        queueArn: arn,
        queueUrl: queueUrlOf(arn),
      }),
    ),
    webhooks: mapped(webhooks, ({ url, secretArn }, name) => ({
      url,
      secret: Secret.fromSecretCompleteArn(existing, `Secret-${name}`, secretArn),
    })),
    ...(eventBus !== 'default' && {
      eventBus: EventBus.fromEventBusName(existing, 'Bus', eventBus),
    }),
    ...(kmsKey !== undefined && { encryptionKey: Key.fromKeyArn(existing, 'Key', kmsKey) }),
  };
}

const mapped = <From, To>(
  from: Readonly<Record<string, From>>,
  make: (value: From, name: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, make(value, name)]));
