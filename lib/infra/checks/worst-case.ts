/**
 * The longest value of template texts after deployment, because AWS measures environments, policies and
 * outputs only then. Assumes the longest region, and names of full length for resources that CloudFormation
 * names.
 */
import { CfnResource, Stack } from 'aws-cdk-lib';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import * as z from 'zod';

const region = 'ap-southeast-2';
const account = '123456789012';
const pseudo: Readonly<Record<string, string>> = {
  'AWS::Region': region,
  'AWS::AccountId': account,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};
/** The suffix that CloudFormation adds to generated names. */
const randomEnding = `-${'X'.repeat(13)}`;
/** Maximum name length in characters, for services that allow less than CloudFormation generates. */
const nameMax: Readonly<Record<string, number>> = {
  'AWS::Lambda::Function': 64,
  'AWS::IAM::Role': 64,
  'AWS::SQS::Queue': 80,
};
/** At least as long as other attributes: an API's address, the time in a stream's ARN. */
const otherAttribute = 'x'.repeat(64);
/** As long as most ARNs: for what only the application around Reeve uses, such as an export of another stack. */
const otherValue = 'x'.repeat(200);

const intrinsic = z.union([
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  z.strictObject({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
  z.strictObject({ 'Fn::Select': z.tuple([z.coerce.number(), z.unknown()]) }),
  z.strictObject({ 'Fn::Split': z.tuple([z.string(), z.unknown()]) }),
]);
type Intrinsic = z.infer<typeof intrinsic>;

/** Resolves tokens to their longest text and keeps other values. */
export function worstCase(stack: Stack): (value: unknown) => unknown {
  const resources = new Map(
    stack.node.findAll().flatMap((construct): [string, CfnResource][] => {
      if (!CfnResource.isCfnResource(construct) || Stack.of(construct) !== stack) return [];
      return [[String(stack.resolve(construct.logicalId)), construct]];
    }),
  );

  function nameOf(logicalId: string): string {
    const resource = resources.get(logicalId);
    if (resource instanceof CfnQueue && resource.queueName !== undefined) return resource.queueName;
    const made = `${stack.stackName}-${logicalId}${randomEnding}`;
    return made.slice(0, nameMax[resource?.cfnResourceType ?? '']);
  }

  function arnOf(logicalId: string): string {
    const [, service = '', type = ''] = resources.get(logicalId)?.cfnResourceType.split('::') ?? [];
    const kind = service === 'SQS' || service === 'SNS' ? '' : `${type.toLowerCase()}/`;
    return `arn:aws:${service.toLowerCase()}:${region}:${account}:${kind}${nameOf(logicalId)}`;
  }

  function refOf(name: string): string {
    const known = pseudo[name];
    if (known !== undefined) return known;
    switch (resources.get(name)?.cfnResourceType) {
      case 'AWS::SQS::Queue':
        return `https://sqs.${region}.amazonaws.com/${account}/${nameOf(name)}`;
      case 'AWS::SNS::Topic':
      case 'AWS::IAM::ManagedPolicy':
        return arnOf(name);
      default:
        return nameOf(name);
    }
  }

  function evaluate(found: Intrinsic): unknown {
    if ('Ref' in found) return refOf(found.Ref);
    if ('Fn::GetAtt' in found) {
      const [name, attribute] = found['Fn::GetAtt'];
      return attribute === 'Arn' ? arnOf(name) : `${arnOf(name)}/${otherAttribute}`;
    }
    if ('Fn::Join' in found) {
      const [between, parts] = found['Fn::Join'];
      return parts.map((part) => String(longest(part))).join(between);
    }
    if ('Fn::Split' in found) {
      const [at, text] = found['Fn::Split'];
      return String(longest(text)).split(at);
    }
    const [at, list] = found['Fn::Select'];
    const all = longest(list);
    return Array.isArray(all) ? all[at] : all;
  }

  function longest(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(longest);
    if (typeof value !== 'object' || value === null) return value;
    const found = intrinsic.safeParse(value);
    if (found.success) return evaluate(found.data);
    const entries = Object.entries(value);
    if (entries.some(([key]) => key.startsWith('Fn::'))) return otherValue;
    return Object.fromEntries(entries.map(([key, inner]) => [key, longest(inner)]));
  }

  return (value) => longest(stack.resolve(value));
}
