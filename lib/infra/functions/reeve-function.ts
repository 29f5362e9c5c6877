/** A Lambda function with its own log group and its own role, which initially may only write to that log. */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type Code,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  type RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledge, acknowledgeFor } from '#infra/checks/acknowledge.ts';
import { deploymentOf, type Network } from '#infra/deployment/deployment.ts';
import { functionOf, vpcOf } from '#infra/deployment/given.ts';
import { type Grantee, granteeOf } from './grantee.ts';
import { liveAlias } from './release.ts';

/** Properties of {@link ReeveFunction}. */
export interface ReeveFunctionProps {
  /** Its name in `functions` of the deployment. */
  readonly name: string;
  readonly code: Code;
  /** Shown in the AWS console. */
  readonly description: string;
  /** Its variables, in addition to those of the logger. */
  readonly environment: Readonly<Record<string, string>>;
  /** MiB; 1,769 MiB give one core. @default 256 */
  readonly memorySize?: number | undefined;
  /** @default 30 seconds */
  readonly timeout?: Duration;
  /** Only for functions of the loop Scheduler – agent – Scheduler, and of a chain of orders that agents submit. @default Lambda stops recursive loops */
  readonly recursiveLoop?: RecursiveLoop;
  /** Concurrency reserved for the function, which also limits it. @default shared with the account */
  readonly reservedConcurrency?: number | undefined;
  /** @default that of the deployment */
  readonly network?: Network | undefined;
  /** What happens to its log group when the stack is deleted. */
  readonly removal: RemovalPolicy;
}

/** MiB: with a seventh of a core, a batch of ten takes little longer than the calls it waits for. */
const defaultMemorySize = 256;
/**
 * The actions by which Lambda attaches a function to a VPC, with the rights of its role. None of them can be limited to the
 * resources of one function (Lambda, Giving functions access to resources in a VPC).
 */
const networkActions = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/** The reason of the finding of cdk-nag. */
const anyResource =
  'Lambda attaches a function to a VPC, and a function sends traces, by actions that AWS cannot limit to a resource.';

/** A function of Reeve: Node 24 on ARM, with its own log group and role. */
export class ReeveFunction extends LambdaFunction implements Grantee {
  /** What is to be invoked: its alias, where the deployment has releases. */
  readonly target: IFunction;
  /** Moves the alias to a new version. */
  private readonly rollout: LambdaDeploymentGroup | undefined;

  constructor(scope: Construct, id: string, props: ReeveFunctionProps) {
    const deployment = deploymentOf(scope);
    const { network = deployment.network } = props;
    const logGroup = new LogGroup(scope, `${id}Log`, { removalPolicy: props.removal });
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    role.addToPolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    if (network !== undefined) granteeOf(role).allow(networkActions, '*');
    super(scope, id, {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: props.code,
      description: props.description,
      memorySize: props.memorySize ?? defaultMemorySize,
      timeout: props.timeout ?? Duration.seconds(30),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Start, end and report lines of each invocation would be most of the log's cost.
      systemLogLevelV2: SystemLogLevel.WARN,
      environment: {
        POWERTOOLS_LOG_LEVEL: 'WARN',
        POWERTOOLS_SERVICE_NAME: deployment.name,
        REEVE_DEPLOYMENT: deployment.name,
        ...props.environment,
      },
      ...inNetwork(network),
      ...(deployment.tracing && { tracing: Tracing.ACTIVE }),
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
      ...(props.recursiveLoop !== undefined && { recursiveLoop: props.recursiveLoop }),
    });
    acknowledge(this, 'Serverless::Serverless-LambdaTracing', 'Serverless::Serverless-LambdaDLQ');
    const { releases } = deployment;
    const live = releases === undefined ? undefined : liveAlias(this, props.name, releases);
    this.target = live === undefined ? this : functionOf(live.alias);
    this.rollout = live?.group;
    if (network !== undefined || deployment.tracing) {
      acknowledgeFor(role, 'AwsSolutions::AwsSolutions-IAM5', ['*'], anyResource);
    }
  }

  /** Moves a new version back when the alarm is raised while it takes over. */
  rollBackOn(alarm: Alarm): void {
    this.rollout?.addAlarm(alarm);
  }

  allow(actions: readonly string[], ...resources: readonly string[]): void {
    granteeOf(this).allow(actions, ...resources);
  }

  allowItems(actions: readonly string[], table: string, ...keys: readonly string[]): void {
    granteeOf(this).allowItems(actions, table, ...keys);
  }
}

function inNetwork(network: Network | undefined) {
  if (network === undefined) return {};
  const { vpc, vpcSubnets, securityGroups } = network;
  return {
    vpc: vpcOf(vpc),
    ...(vpcSubnets !== undefined && { vpcSubnets }),
    ...(securityGroups !== undefined && { securityGroups: [...securityGroups] }),
  };
}
