/** A deployed template whose references are resolved to the names and ARNs of its resources. */
import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  GetTemplateCommand,
} from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { dynamoClient } from '#aws/clients/dynamo-client.ts';

/** The account and region of the emulator. */
export const account = '000000000000';
export const region = 'us-east-1';

const resourceSchema = z.object({ Type: z.string(), Properties: z.unknown() });
export type Resource = z.infer<typeof resourceSchema>;

/** The template's resources by logical id, unresolved. */
export async function resourcesOf(StackName: string): Promise<Readonly<Record<string, Resource>>> {
  const client = new CloudFormationClient({});
  const { TemplateBody = '' } = await client.send(new GetTemplateCommand({ StackName }));
  const template = z.object({ Resources: z.record(z.string(), resourceSchema) });
  return template.parse(JSON.parse(TemplateBody)).Resources;
}

/** Returns a function that replaces each `Ref`, `Fn::GetAtt` and `Fn::Join` in a value. */
export async function resolver(StackName: string): Promise<(value: unknown) => unknown> {
  const made = new Map<string, { readonly type: string; readonly id: string }>();
  const streams = new Map<string, string>();
  const client = new CloudFormationClient({});
  const { StackResources = [] } = await client.send(
    new DescribeStackResourcesCommand({ StackName }),
  );
  for (const {
    LogicalResourceId = '',
    PhysicalResourceId: id = '',
    ResourceType,
  } of StackResources) {
    const type = ResourceType ?? '';
    made.set(LogicalResourceId, { type, id });
    if (type !== 'AWS::DynamoDB::GlobalTable') continue;
    const { Table } = await dynamoClient().send(new DescribeTableCommand({ TableName: id }));
    streams.set(LogicalResourceId, Table?.LatestStreamArn ?? '');
  }
  const refer = (logicalId: string) => pseudo[logicalId] ?? made.get(logicalId)?.id;
  const attribute = (logicalId: string, name: string) => {
    const { type, id } = made.get(logicalId) ?? { type: '', id: '' };
    return name === 'StreamArn' ? streams.get(logicalId) : arnsOf[type]?.(id);
  };

  return function resolved(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolved);
    if (typeof value !== 'object' || value === null) return value;
    const reference = referenceSchema.safeParse(value);
    if (!reference.success) {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, resolved(inner)]),
      );
    }
    const found = reference.data;
    if ('Ref' in found) return known(refer(found.Ref), value);
    if ('Fn::GetAtt' in found) return known(attribute(...found['Fn::GetAtt']), value);
    const [separator, parts] = found['Fn::Join'];
    return parts.map(resolved).join(separator);
  };
}

const referenceSchema = z.union([
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  z.strictObject({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
]);

const pseudo: Readonly<Record<string, string>> = {
  'AWS::AccountId': account,
  'AWS::Region': region,
  'AWS::Partition': 'aws',
};

const arnsOf: Readonly<Record<string, (id: string) => string>> = {
  'AWS::SQS::Queue': (url) => `arn:aws:sqs:${region}:${account}:${url.split('/').at(-1)}`,
  'AWS::DynamoDB::GlobalTable': (name) => `arn:aws:dynamodb:${region}:${account}:table/${name}`,
  'AWS::Lambda::Function': (name) => `arn:aws:lambda:${region}:${account}:function:${name}`,
  'AWS::Logs::LogGroup': (name) => `arn:aws:logs:${region}:${account}:log-group:${name}:*`,
};

function known(value: string | undefined, reference: object): string {
  if (value !== undefined) return value;
  throw new Error(`${JSON.stringify(reference)} is not known here: add how it is resolved.`);
}
