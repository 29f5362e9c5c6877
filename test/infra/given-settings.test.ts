/** What is given reaches what reads it: settings in the environments of functions, and keys and secrets in the policies of their roles. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { expect, inject, test } from 'vitest';
import * as z from 'zod';
import { Reeve } from '#infra/reeve.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { templateWith } from './scenario.ts';
import { workflowsOf } from './workflows-of.ts';

const handler = 'lambdas/agents/payment.ts';
const jwt = { issuer: 'https://id.example.com', audience: ['reeve'], rolesClaim: 'scp' };
const functionSchema = z.object({
  Description: z.string(),
  Timeout: z.int(),
  LoggingConfig: z.object({
    LogFormat: z.string(),
    SystemLogLevel: z.string().optional(),
    LogGroup: z.unknown(),
  }),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});
const functionsIn = (template: Template) =>
  Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) =>
    functionSchema.parse(Properties),
  );

const template = templateWith([{ name: 'payment', handler }], {
  ...{ keepDays: 7, shards: 16, sweepMinutes: 2, recovery: 'prompt', submissionQueue: true, jwt },
  console: { clientId: 'c-1', scope: 'openid orders', tokenOrigin: 'https://sign-in.example.com' },
});
const functions = functionsIn(template);

test.each([
  ['REEVE_KEEP_DAYS', '7', ['front door', 'Scheduler', 'Supervisor', 'submission by queue']],
  ['REEVE_SHARDS', '16', ['front door', 'Scheduler', 'Supervisor', 'submission by queue']],
  ['REEVE_SWEEP_SECONDS', '120', ['front door', 'Scheduler', 'Supervisor', 'submission by queue']],
  ['REEVE_RECOVERY', 'prompt', ['Scheduler', 'Supervisor']],
])('%s is %s in each function that reads it', (name, value, readers) => {
  const found = functions.flatMap(({ Description, Environment }) =>
    name in Environment.Variables
      ? [[Description.replace('Reeve: ', ''), Environment.Variables[name]]]
      : [],
  );
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(readers.map((reader) => [reader, value])),
  );
});

test('the front door has the sign-in settings of the console, and ends before API Gateway stops waiting', () => {
  const door = functions.find(({ Description }) => Description === 'Reeve: front door');
  expect(JSON.parse(String(door?.Environment.Variables['REEVE_CONSOLE']))).toEqual({
    issuer: jwt.issuer,
    clientId: 'c-1',
    scope: 'openid orders',
    tokenOrigin: 'https://sign-in.example.com',
  });
  // API Gateway quotas for HTTP APIs: the integration timeout is 30 s, and cannot be raised.
  expect(door?.Timeout).toBeLessThan(30);
});

test('API Gateway checks the scopes of tokens also where their claim is `scp`', () => {
  const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(
    ({ Properties }) => Properties,
  );
  const guarded = routes.filter(({ AuthorizationType }) => AuthorizationType === 'JWT');
  expect(guarded.length).toBeGreaterThan(10);
  for (const { AuthorizationScopes } of guarded)
    expect(AuthorizationScopes).toContain('reeve/operate');
});

test('every function writes to its own log group, as JSON, and no line for an invocation that goes well', () => {
  const groups = functions.map(({ LoggingConfig }) => JSON.stringify(LoggingConfig.LogGroup));
  expect(new Set(groups).size).toBe(functions.length);
  for (const { LoggingConfig } of functions) {
    expect(LoggingConfig).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'WARN' });
  }
});

const statement = z.object({
  Action: z.union([z.string(), z.array(z.string())]),
  Resource: z.unknown(),
  Condition: z
    .object({ StringLike: z.object({ 'kms:ViaService': z.string() }) })
    .partial()
    .optional(),
});
const policy = z.object({
  PolicyDocument: z.object({ Statement: z.array(statement) }),
  Roles: z.array(z.object({ Ref: z.string() })),
});

/** What the role may do whose logical id begins so: `action on resource`, of a key with the service through which. */
function rightsOf(of: Template, role: string): readonly string[] {
  return Object.values(of.findResources('AWS::IAM::Policy'))
    .map(({ Properties }) => policy.parse(Properties))
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref.startsWith(role)))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .flatMap(({ Action, Resource, Condition }) => {
      const service = Condition?.StringLike?.['kms:ViaService'].split('.')[0];
      const through = service === undefined ? '' : ` through ${service}`;
      return [Action].flat().map((action) => `${action} ${JSON.stringify(Resource)}${through}`);
    });
}

test('what is given with a key of its own, or is known by its name alone, can be used', () => {
  const app = new App({
    outdir: mkdtempSync(join(inject('temporaryFolder'), 'given-')),
    context: { 'aws:cdk:disable-asset-staging': true },
  });
  const env = { region: 'eu-west-1', account: '123456789012' };
  const stack = new Stack(app, 'Shop', { env });
  const key = Key.fromKeyArn(
    stack,
    'Key',
    'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  );
  const named = Secret.fromSecretNameV2(stack, 'Named', 'psp');
  const encrypted = new Secret(stack, 'Encrypted', { encryptionKey: key });
  const answers = new Queue(stack, 'Answers', {
    encryption: QueueEncryption.KMS,
    encryptionMasterKey: key,
  });
  const mailing = new LambdaFunction(stack, 'Mailing', {
    ...{ runtime: Runtime.NODEJS_24_X, handler: 'index.handler', timeout: Duration.seconds(30) },
    code: Code.fromInline('mail'),
  });
  const common = { workflows: workflowsOf(['payment', 'mailing']), bundle: sharedBundle() };
  const reeve = new Reeve(stack, 'Orders', {
    ...{ ...common, responseQueues: { shop: answers } },
    webhooks: { crm: { url: 'https://crm.example/hook', secret: named } },
  });
  reeve.addAgent({ name: 'payment', handler, secrets: { PSP_KEY: named, BANK_KEY: encrypted } });
  reeve.addAgent({ name: 'mailing' });
  const other = new Reeve(stack, 'Returns', { ...common, encryptionKey: key });
  other.addAgent({ name: 'payment' });
  other.addAgent({ name: 'mailing', function: mailing });
  const made = Template.fromStack(stack);

  const of = (role: string, action: string) =>
    rightsOf(made, role).filter((right) => right.startsWith(action));
  const onKey = JSON.stringify(key.keyArn);
  // Secrets Manager adds six characters to the name of a secret, without which an ARN names no secret in a policy.
  const byName = ':secret:psp-??????';
  const secrets = of('OrdersAgentpaymentAgentRole', 'secretsmanager:');
  expect.soft(secrets).toHaveLength(2);
  expect.soft(secrets.filter((right) => right.includes(byName))).toHaveLength(1);
  expect.soft(of('OrdersWebhookcrm', 'secretsmanager:').join()).toContain(byName);
  expect
    .soft(of('OrdersAgentpaymentAgentRole', 'kms:'))
    .toEqual([`kms:Decrypt ${onKey} through secretsmanager`]);
  expect
    .soft(of('OrdersNotificationsFunctionRole', 'kms:'))
    .toEqual([`kms:Decrypt ${onKey} through sqs`, `kms:GenerateDataKey ${onKey} through sqs`]);
  // An existing function has a role of its own, of which the construct encrypts nothing.
  expect
    .soft(of('Mailing', 'kms:').toSorted())
    .toEqual([
      `kms:Decrypt ${onKey} through dynamodb`,
      `kms:Decrypt ${onKey} through sqs`,
      `kms:GenerateDataKey ${onKey} through sqs`,
    ]);
});
