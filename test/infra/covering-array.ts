/** Every setting of a deployment with values of each kind, in few stacks that cover each pair of values. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import * as z from 'zod';
import type { StackAgentProps } from '#infra/agents/configured-agents.ts';
import { shippedAgent } from '#infra/agents/shipped-agent.ts';
import type { Bundle } from '#infra/functions/bundles.ts';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings, type Settings } from '#infra/settings/settings.ts';
import { type Factors, pairwise, type Row } from '../support/pairwise.ts';

const queue = (name: string) => `arn:aws:sqs:eu-west-1:123456789012:${name}`;
const webhook = (name: string) => ({
  url: `https://${name}.example/hook`,
  secretArn: `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${name}-AbCdEf`,
});
const service = (name: string) => `https://${name}.example.com`;
const issuer = 'https://id.example.com';

/** Omitted, set, and set to another value. A missing setting does not compile. */
const settings: { readonly [Name in keyof Settings]-?: readonly unknown[] } = {
  stage: [undefined, 'prod', 'dev'],
  shards: [undefined, '1', 64],
  recoveryPerSecond: [undefined, '64', 6_000],
  warmOrdersPerSecond: [undefined, '10000'],
  sweepMinutes: [undefined, '15'],
  recovery: [undefined, 'prompt', 'sweep'],
  keepDays: [undefined, '3650'],
  priorities: [undefined, '["normal","high"]', ['high', 'normal', 'low']],
  concurrency: [undefined, '{"fraud":6}', { fraud: 1_000, inventory: 7 }],
  services: [
    undefined,
    JSON.stringify({
      fraud: service('fraud'),
      inventory: service('inventory'),
      shipping: service('shipping'),
    }),
  ],
  responseQueues: [
    undefined,
    { shop: queue('shop') },
    { shop: queue('shop'), till: queue('till') },
  ],
  eventChannels: [undefined, '["feed"]', ['feed', 'log']],
  webhooks: [
    undefined,
    JSON.stringify({ crm: webhook('crm') }),
    { crm: webhook('crm'), hook: webhook('hook') },
  ],
  submissionQueue: [undefined, 'true', false],
  standby: [undefined, 'true', false],
  throttle: [undefined, '{"rate":50,"burst":100}'],
  backlogMaxSeconds: [undefined, '60', 86_400],
  // The shipped workflow has calls too short for a window.
  batchWindowSeconds: [undefined, '0'],
  tenantWeights: [undefined, '{"inn":4}', { inn: 4, bar: 0.5 }],
  corsOrigins: [undefined, '["https://shop.example.com"]', ['http://localhost:5173']],
  logDays: [undefined, '365'],
  eventBus: [undefined, 'orders'],
  reservedConcurrency: [undefined, '{"supervisor":75}', { notifier: 20 }],
  kmsKey: [
    undefined,
    'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  ],
  permissionsBoundary: [undefined, 'arn:aws:iam::123456789012:policy/bound'],
  tags: [undefined, '{"team":"orders"}', { team: 'orders', 'cost-centre': '4711' }],
  alarmEmail: [undefined, 'ops@example.com'],
  console: [
    undefined,
    '{"clientId":"c-1"}',
    { clientId: 'c-1', tokenOrigin: 'https://t.example.com' },
  ],
  jwt: [
    undefined,
    JSON.stringify({ issuer, audience: ['reeve'] }),
    { issuer: `${issuer}/`, audience: ['a', 'b'] },
  ],
};

/** Payment has two forms: a function, or an agent that runs elsewhere. */
const paymentIs = 'paymentIs';
export const factors: Factors = { ...settings, [paymentIs]: ['a function', 'elsewhere'] };

/** The rules between settings. */
export function isAllowed(row: Row): boolean {
  const has = (name: string) => name in row;
  const isDev = row['stage'] === 'dev';
  const consoleNeedsJwt = row['console'] === undefined || !has('jwt') || row['jwt'] !== undefined;
  const productionNeedsServices =
    !has('services') || row['services'] !== undefined || !has('stage') || isDev;
  return consoleNeedsJwt && productionNeedsServices;
}

export const rows: readonly Row[] = pairwise(factors, isAllowed);

const inTests = {
  // Code is used in place, because copying it for each stack would take most of the time.
  'aws:cdk:disable-asset-staging': true,
  // Findings are read from the report; without this they set the exit code of the process.
  '@aws-cdk/core:failSynthOnValidationErrors': false,
};

const reportSchema = z.object({
  pluginReports: z.array(
    z.object({
      violations: z.array(
        z.object({
          ruleName: z.string(),
          severity: z.string().optional(),
          violatingConstructs: z.array(z.object({ constructPath: z.string().default('') })),
        }),
      ),
    }),
  ),
});

/** Synthesises the app with the rules of bin/app.ts; returns the broken ones, each with the constructs that break it. */
export function findingsAt(app: App): readonly { readonly rule: string; readonly at: string }[] {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const { directory } = app.synth();
  const report = reportSchema.parse(
    JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8')),
  );
  return report.pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, severity, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => ({
        rule: `${severity} ${ruleName}`,
        at: constructPath,
      })),
    ),
  );
}

/** The names of the broken rules. */
export const findingsOf = (app: App): readonly string[] => [
  ...new Set(findingsAt(app).map(({ rule }) => rule)),
];

/** The app of such a stack, in its own folder. */
export function appOf({ [paymentIs]: payment, ...row }: Row, outdir: string, bundle: Bundle): App {
  const { services, ...others } = row;
  const isElsewhere = payment === 'elsewhere';
  const given = typeof services === 'string' ? JSON.parse(services) : services;
  const all =
    given === undefined || isElsewhere ? given : { ...given, payment: service('payment') };
  const context = Object.fromEntries(
    Object.entries({ ...others, services: all }).filter(([, value]) => value !== undefined),
  );
  const app = new App({ outdir, context: { ...context, ...inTests } });
  const agents: StackAgentProps[] = [
    ...['fraud', 'inventory', 'shipping'].map((name) => shippedAgent(name)),
    isElsewhere ? { name: 'payment' } : shippedAgent('payment'),
  ];
  const own = { settings: readSettings(app.node), workflows: 'lib/workflows/shipped.ts' };
  new ReeveStack(app, 'Reeve', { ...own, agents, bundle });
  return app;
}
