/** A Lambda function with its own log group and its own role, which initially may only write to that log. */
import { Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  type RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledge } from '#infra/checks/acknowledge.ts';

/** Properties of {@link ReeveFunction}. */
export interface ReeveFunctionProps {
  readonly code: Code;
  /** Shown in the AWS console. */
  readonly description: string;
  /** Its variables, in addition to those of the logger. */
  readonly environment: Readonly<Record<string, string>>;
  /** MiB; 1,769 MiB give one core. @default 256 */
  readonly memorySize?: number;
  /** @default 30 seconds */
  readonly timeout?: Duration;
  /** Only for functions of the loop Scheduler – agent – Scheduler. @default Lambda stops recursive loops */
  readonly recursiveLoop?: RecursiveLoop;
  /** Concurrency reserved for the function, which also limits it. @default shared with the account */
  readonly reservedConcurrency?: number | undefined;
  /** What happens to its log group when the stack is deleted. */
  readonly removal: RemovalPolicy;
}

/** MiB: with a seventh of a core, a batch of ten takes little longer than the calls it waits for. */
const defaultMemorySize = 256;

/** A function of Reeve: Node 24 on ARM, with its own log group and role. */
export class ReeveFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: ReeveFunctionProps) {
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
        POWERTOOLS_SERVICE_NAME: Stack.of(scope).stackName,
        ...props.environment,
      },
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
      ...(props.recursiveLoop !== undefined && { recursiveLoop: props.recursiveLoop }),
    });
    acknowledge(this, 'Serverless::Serverless-LambdaTracing', 'Serverless::Serverless-LambdaDLQ');
  }

  /** Allows these actions on these resources, and nothing else. */
  allow(actions: readonly string[], ...resources: readonly string[]): void {
    this.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: [...actions],
        resources: [...resources],
      }),
    );
  }

  /** Allows these actions on the items of a table whose partition keys match `keys`, which may end in `*`. */
  allowItems(actions: readonly string[], table: string, ...keys: readonly string[]): void {
    this.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: [...actions],
        resources: [table],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys] } },
      }),
    );
  }
}
