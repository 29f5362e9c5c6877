/**
 * Limits of AWS that depend on the number of agents, priority classes and channels, and a stack's largest
 * values. No linter checks them; CloudFormation would fail in the middle of a deployment.
 */
import { CfnOutput, CfnResource, Stack } from 'aws-cdk-lib';
import { CfnDashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnManagedPolicy, CfnPolicy } from 'aws-cdk-lib/aws-iam';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct, IConstruct } from 'constructs';
import * as z from 'zod';
import { environmentAdvice } from './environment-advice.ts';
import { worstCase } from './worst-case.ts';

/** The limits, each with its unit and source. */
export const awsLimits = {
  /** Bytes of a function's environment as JSON, as Lambda's error shows it (Lambda quotas). */
  environment: 4_096,
  /** Resources of a stack (CloudFormation quotas). */
  resources: 500,
  /** Outputs of a stack (CloudFormation quotas). */
  outputs: 200,
  /** Bytes. CloudFormation documents no limit for outputs; this is its limit for parameter values. */
  output: 4_096,
  /** Characters of all inline policies of one role (IAM quotas). */
  inlinePolicies: 10_240,
  /** Characters of one managed policy (IAM quotas). */
  managedPolicy: 6_144,
  /** Alarms of one status widget (CloudWatch, Dashboard Body Structure). */
  widgetAlarms: 100,
  /** Metrics of one widget (CloudWatch quotas). */
  widgetMetrics: 500,
  /** Metrics of a whole dashboard (CloudWatch quotas). */
  dashboardMetrics: 2_500,
  /** Log groups of one query (CloudWatch Logs quotas). */
  queryLogGroups: 50,
} as const;

/** The name of a limit in {@link awsLimits}. */
export type AwsLimit = keyof typeof awsLimits;

/** An amount that AWS limits; `amount` has the unit of its limit. */
export interface Measure {
  readonly limit: AwsLimit;
  /** The construct path of the resource or stack. */
  readonly of: string;
  readonly amount: number;
  /** What to change where it is too large. @default what is said of all amounts of the limit */
  readonly remedy?: string;
}

/** Every amount that AWS limits, at its largest: of what is below the construct, and the numbers of its whole stack. */
export function measures(scope: Construct): readonly Measure[] {
  const stack = Stack.of(scope);
  const longest = worstCase(stack);
  const inStack = (construct: IConstruct) => Stack.of(construct) === stack;
  const every = stack.node.findAll().filter(inStack);
  const all = scope.node.findAll().filter(inStack);
  const outputs = all.filter((construct) => construct instanceof CfnOutput);
  const of = (construct: IConstruct) => construct.node.path;
  return [
    count('resources', stack, every.filter(CfnResource.isCfnResource).length),
    count('outputs', stack, every.filter((construct) => construct instanceof CfnOutput).length),
    ...outputs.map((output) => ({
      limit: 'output' as const,
      of: of(output),
      amount: Buffer.byteLength(String(longest(output.value))),
    })),
    ...every.flatMap((construct): Measure[] => {
      if (!(construct instanceof CfnFunction)) return [];
      const { variables } = environment.parse(longest(construct.environment));
      // An agent may be a function of the app beside the construct, to which Reeve adds its own variables.
      const isOfReeve = Object.keys(variables).some((name) => name.startsWith('REEVE_'));
      if (!all.includes(construct) && !isOfReeve) return [];
      const amount = jsonBytes(variables);
      const remedy = environmentAdvice(variables);
      return [{ limit: 'environment', of: of(construct), amount, remedy }];
    }),
    ...all.flatMap((construct): Measure[] => {
      if (construct instanceof CfnManagedPolicy) {
        const amount = jsonBytes(longest(construct.policyDocument));
        return [{ limit: 'managedPolicy', of: of(construct), amount }];
      }
      return construct instanceof CfnDashboard
        ? board(of(construct), longest(construct.dashboardBody))
        : [];
    }),
    ...inlinePolicies(all, longest),
  ];
}

/** An error text for each exceeded limit. */
export function excesses(scope: Construct): string[] {
  return measures(scope)
    .filter(({ limit, amount }) => amount > awsLimits[limit])
    .map(
      ({ limit, of, amount, remedy = smaller }) =>
        `${of}: ${amount} ${units[limit]}, but AWS allows ${awsLimits[limit]}. ${remedy}`,
    );
}

const smaller = 'Deploy fewer agents, priority classes or channels in one stack; see docs/aws.md.';
/** What the amount of each limit counts. */
const units: Readonly<Record<AwsLimit, string>> = {
  environment: 'bytes of environment variables',
  resources: 'resources',
  outputs: 'outputs',
  output: 'bytes in one output',
  inlinePolicies: 'characters of inline policies of one role',
  managedPolicy: 'characters in one managed policy',
  widgetAlarms: 'alarms in one widget',
  widgetMetrics: 'metrics in one widget',
  dashboardMetrics: 'metrics in one dashboard',
  queryLogGroups: 'log groups in one query',
};

const environment = z.object({ variables: z.record(z.string(), z.string()).default({}) }).default({
  variables: {},
});

const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

const count = (limit: AwsLimit, stack: Stack, amount: number): Measure => ({
  limit,
  of: stack.node.path,
  amount,
});

/** Measures per role, because its policies share one limit. */
function inlinePolicies(
  all: readonly IConstruct[],
  longest: (value: unknown) => unknown,
): Measure[] {
  const sizes = new Map<string, number>();
  for (const construct of all) {
    if (!(construct instanceof CfnPolicy)) continue;
    const size = jsonBytes(longest(construct.policyDocument));
    for (const { Ref: role } of roles.parse(Stack.of(construct).resolve(construct.roles))) {
      sizes.set(role, (sizes.get(role) ?? 0) + size);
    }
  }
  return [...sizes].map(([of, amount]) => ({ limit: 'inlinePolicies', of, amount }));
}

const roles = z.array(z.object({ Ref: z.string() })).default([]);

const body = z.object({
  widgets: z.array(
    z.object({
      properties: z.object({
        alarms: z.array(z.unknown()).default([]),
        metrics: z.array(z.unknown()).default([]),
        query: z.string().default(''),
      }),
    }),
  ),
});

function board(of: string, text: unknown): Measure[] {
  const { widgets } = body.parse(JSON.parse(String(text)));
  const metrics = widgets.map(({ properties }) => properties.metrics.length);
  const max = (amounts: readonly number[]) => Math.max(0, ...amounts);
  const groups = widgets.map(({ properties }) => properties.query.split('SOURCE ').length - 1);
  return [
    {
      limit: 'widgetAlarms',
      of,
      amount: max(widgets.map((widget) => widget.properties.alarms.length)),
    },
    { limit: 'widgetMetrics', of, amount: max(metrics) },
    { limit: 'dashboardMetrics', of, amount: metrics.reduce((sum, one) => sum + one, 0) },
    { limit: 'queryLogGroups', of, amount: max(groups) },
  ];
}
