/** A stack with every part and with no value of a parameter that is the default, for tables of exactly what it has. */
import { Duration } from 'aws-cdk-lib';
import * as z from 'zod';
import { templateWith } from '../scenario.ts';

const arn = (service: string, name: string) => `arn:aws:${service}:eu-west-1:123456789012:${name}`;
const webhook = (name: string) => ({
  url: `https://${name}.example/hook`,
  secretArn: arn('secretsmanager', `secret:${name}-AbCdEf`),
});
const handler = 'lambdas/agents/payment.ts';

/** Agents of each form that a stack has: with limited calls, with a long timeout, with little, and one that runs elsewhere. */
const agents = [
  { name: 'payment', handler, maxConcurrency: 7, memorySize: 512, callsService: true },
  { name: 'shipping', handler, timeout: Duration.minutes(10), environment: { DEPOT: 'north' } },
  { name: 'bank-east', handler, environment: { POWERTOOLS_LOG_LEVEL: 'INFO' } },
  { name: 'bank-west', timeout: Duration.hours(3) },
  { name: 'fraud', timeout: Duration.seconds(45) },
] as const;

/** Without `jwt`, whose parts have a stack of their own, and `kmsKey`, which changes each resource. */
const parameters = {
  ...{ stage: 'dev', shards: 16, sweepMinutes: 5, keepDays: 7, logDays: 14, recovery: 'prompt' },
  ...{ recoveryPerSecond: 500, backlogMaxSeconds: 60, submissionQueue: true },
  ...{ priorities: ['low', 'normal', 'high'], tenantWeights: { inn: 4 } },
  responseQueues: { till: arn('sqs', 'till'), post: arn('sqs', 'post') },
  eventChannels: ['feed'],
  webhooks: { shop: webhook('shop'), crm: webhook('crm') },
  throttle: { rate: 50, burst: 80 },
  corsOrigins: ['https://shop.example.com'],
  eventBus: 'orders',
  reservedConcurrency: { supervisor: 30, notifier: 20 },
  alarmEmail: 'ops@example.com',
  services: { payment: 'https://payment.example.com' },
};

/** Its template, made once for all files of a worker. */
export const whole = templateWith(agents, parameters, {
  workflows: 'test/infra/limited-workflows.ts',
});

const intrinsic = {
  ref: z.strictObject({ Ref: z.string() }),
  attribute: z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  join: z.strictObject({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
  part: z.strictObject({ 'Fn::Select': z.tuple([z.unknown(), z.unknown()]) }),
  split: z.strictObject({ 'Fn::Split': z.tuple([z.string(), z.unknown()]) }),
};

/** A logical id without the hash that the CDK adds. */
export const nameOf = (id: string): string => id.replace(/[0-9A-F]{8}$/, '');

/** A value of a template as one readable text: of a resource its name, without account, region and partition. */
export function textOf(value: unknown): string {
  const ref = intrinsic.ref.safeParse(value);
  if (ref.success) return ref.data.Ref.startsWith('AWS::') ? '' : nameOf(ref.data.Ref);
  const attribute = intrinsic.attribute.safeParse(value);
  if (attribute.success) {
    const [id, name] = attribute.data['Fn::GetAtt'];
    return name === 'Arn' ? nameOf(id) : `${nameOf(id)}.${name}`;
  }
  const join = intrinsic.join.safeParse(value);
  if (join.success) return join.data['Fn::Join'][1].map(textOf).join(join.data['Fn::Join'][0]);
  const part = intrinsic.part.safeParse(value);
  if (part.success)
    return `part ${part.data['Fn::Select'][0]} of ${textOf(part.data['Fn::Select'][1])}`;
  const split = intrinsic.split.safeParse(value);
  if (split.success)
    return `${textOf(split.data['Fn::Split'][1])} by ${split.data['Fn::Split'][0]}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The resources of a type by their names. */
export const resources = (type: string, of = whole): ReadonlyMap<string, Record<string, unknown>> =>
  new Map(
    Object.entries(of.findResources(type)).map(([id, { Properties }]) => [
      nameOf(id),
      z.record(z.string(), z.unknown()).parse(Properties ?? {}),
    ]),
  );
