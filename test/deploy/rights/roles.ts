/** The grants of deployed functions' roles, and the calls that Lambda makes with these roles. */
import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  type LambdaClient,
  paginateListEventSourceMappings,
  paginateListFunctions,
} from '@aws-sdk/client-lambda';
import * as z from 'zod';
import type { Call } from './calls.ts';
import { type Grant, grantsIn } from './evaluation.ts';
import { account, region, resolver, resourcesOf } from './template.ts';

/** The prefix of Reeve's functions in their descriptions. */
const prefix = 'Reeve: ';
const nameOf = (description: string) => description.replace(prefix, '');

export interface DeployedFunction {
  /** As the template describes it, for example `Scheduler`. */
  readonly name: string;
  readonly functionName: string;
  readonly logGroup: string;
}

export async function deployedFunctions(lambda: LambdaClient): Promise<DeployedFunction[]> {
  const found: FunctionConfiguration[] = [];
  for await (const page of paginateListFunctions({ client: lambda }, {})) {
    found.push(...(page.Functions ?? []));
  }
  return found
    .filter(({ Description }) => Description?.startsWith(prefix))
    .map(({ Description = '', FunctionName = '', LoggingConfig }) => ({
      name: nameOf(Description),
      functionName: FunctionName,
      logGroup: LoggingConfig?.LogGroup ?? '',
    }));
}

/** Every grant of each function's role, as the deployed template attaches policies to roles. */
export async function grantsOf(stackName: string): Promise<readonly Grant[]> {
  const resources = await resourcesOf(stackName);
  const resolved = await resolver(stackName);
  const ofType = (type: string) => Object.values(resources).filter(({ Type }) => Type === type);
  // When a role has more grants than one document holds, the CDK moves the rest to a managed policy.
  const policies = [...ofType('AWS::IAM::Policy'), ...ofType('AWS::IAM::ManagedPolicy')].map(
    ({ Properties }) => rolePolicy.parse(Properties),
  );
  return ofType('AWS::Lambda::Function').flatMap(({ Properties }) => {
    const { Description, Role } = lambdaFunction.parse(Properties);
    const [role] = Role['Fn::GetAtt'];
    bareRole.parse(resources[role]?.Properties);
    return policies
      .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role))
      .flatMap(({ PolicyDocument }) => grantsIn(nameOf(Description), resolved(PolicyDocument)));
  });
}

const lambdaFunction = z.object({
  Description: z.string(),
  Role: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
});
const rolePolicy = z.object({
  PolicyDocument: z.unknown(),
  Roles: z.array(z.object({ Ref: z.string() })).default([]),
});
/** Its grants are only in separate policies. */
const bareRole = z.strictObject({ AssumeRolePolicyDocument: z.unknown() });

/**
 * Calls that Lambda makes with the role of a function: it writes the log, polls queues (developer guide, "Using
 * Lambda with Amazon SQS") and streams ("Process DynamoDB records with Lambda"), and stores failed records.
 */
export async function callsOfLambda(
  lambda: LambdaClient,
  functions: readonly DeployedFunction[],
): Promise<readonly Call[]> {
  const mappings: EventSourceMappingConfiguration[] = [];
  for await (const page of paginateListEventSourceMappings({ client: lambda }, {})) {
    mappings.push(...(page.EventSourceMappings ?? []));
  }
  return functions.flatMap(({ name: caller, functionName, logGroup }) => {
    const own = mappings.filter(({ FunctionArn }) => FunctionArn?.split(':')[6] === functionName);
    const log = `arn:aws:logs:${region}:${account}:log-group:${logGroup}:`;
    return [
      { caller, action: 'logs:CreateLogStream', resource: log },
      { caller, action: 'logs:PutLogEvents', resource: log },
      ...own.flatMap((mapping) => callsOfMapping(caller, mapping)),
    ];
  });
}

function callsOfMapping(
  caller: string,
  { EventSourceArn: source = '', DestinationConfig }: EventSourceMappingConfiguration,
): readonly Call[] {
  const actions = source.startsWith('arn:aws:sqs:')
    ? ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']
    : [
        'dynamodb:DescribeStream',
        'dynamodb:GetRecords',
        'dynamodb:GetShardIterator',
        'dynamodb:ListStreams',
      ];
  const failed = DestinationConfig?.OnFailure?.Destination;
  return [
    ...actions.map((action) => ({ caller, action, resource: source })),
    ...(failed === undefined ? [] : [{ caller, action: 'sqs:SendMessage', resource: failed }]),
  ];
}
