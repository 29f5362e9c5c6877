/** The stack as CloudFormation receives it. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, type StackProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { inject } from 'vitest';
import * as z from 'zod';
import type { StackAgentProps } from '#infra/agents/configured-agents.ts';
import { ReeveStack, type ReeveStackProps } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings/settings.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { workflowsOf } from './workflows-of.ts';

/** Code is used in place, because copying it for each stack would take most of the time. */
const unstaged = { 'aws:cdk:disable-asset-staging': true };
const bundle = sharedBundle();

const statement = z.object({
  Action: z.union([z.string(), z.array(z.string())]),
  Effect: z.literal('Allow'),
  Resource: z.unknown(),
  Condition: z
    .strictObject({
      'ForAllValues:StringLike': z.strictObject({ 'dynamodb:LeadingKeys': z.array(z.string()) }),
    })
    .optional(),
});
const policy = z.object({
  PolicyDocument: z.object({ Statement: z.array(statement) }),
  Roles: z.array(z.object({ Ref: z.string() })),
});
const lambdaFunction = z.object({
  Description: z.string(),
  RecursiveLoop: z.string().optional(),
  Timeout: z.int(),
  Role: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
});

export interface Grant {
  readonly actions: readonly string[];
  /** The logical ids of what the actions are allowed on, without their hashes. */
  readonly on: readonly string[];
  /** The partition keys of a table that they are limited to; absent: all. */
  readonly keys?: readonly string[];
}

const functions: readonly StackAgentProps[] = [
  { name: 'payment', handler: 'lambdas/agents/payment.ts' },
  { name: 'shipping', handler: 'lambdas/agents/shipping.ts', maxConcurrency: 7 },
];

/** @param elsewhere agents that run elsewhere */
export const templateOf = (
  context: Readonly<Record<string, unknown>> = {},
  elsewhere: readonly string[] = [],
): Template => templateWith([...functions, ...elsewhere.map((name) => ({ name }))], context);

export const templateWith = (...args: Parameters<typeof stackWith>): Template =>
  Template.fromStack(stackWith(...args));

/** Includes what the CDK adds last: a policy that is too long for its role is split. */
export function synthesised(...args: Parameters<typeof stackWith>): ReeveStack {
  const stack = stackWith(...args);
  Template.fromStack(stack);
  return stack;
}

/** A stack before its synthesis. @param props by default with workflows that call the agents */
export function stackWith(
  agents: readonly StackAgentProps[],
  context: Readonly<Record<string, unknown>> = {},
  props: StackProps & Partial<Pick<ReeveStackProps, 'workflows'>> = {},
): ReeveStack {
  const outdir = mkdtempSync(join(inject('temporaryFolder'), 'cdk-'));
  const app = new App({ context: { ...context, ...unstaged }, outdir });
  return new ReeveStack(app, 'Reeve', {
    workflows: workflowsOf(agents.map(({ name }) => name)),
    ...props,
    settings: readSettings(app.node),
    agents,
    bundle,
  });
}

export function functionsOf(template: Template) {
  const found = Object.values(template.findResources('AWS::Lambda::Function'));
  return found.map(({ Properties }) => lambdaFunction.parse(Properties));
}

/** The grants of the policies for agents that run elsewhere. */
export function agentPoliciesOf(template: Template): Grant[] {
  const policies = Object.values(template.findResources('AWS::IAM::ManagedPolicy'));
  const ofAgents = policies.filter(({ Properties }) =>
    String(Properties.Description).startsWith('For the role of agent'),
  );
  return ofAgents.flatMap(({ Properties }) => {
    const { PolicyDocument } = policy.omit({ Roles: true }).parse(Properties);
    return grantsIn(PolicyDocument.Statement);
  });
}

const grantsIn = (statements: readonly z.infer<typeof statement>[]): Grant[] =>
  statements.map(({ Action, Resource, Condition }) => ({
    actions: [Action].flat(),
    on: [Resource].flat().flatMap(namesIn),
    ...(Condition !== undefined && {
      keys: Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys'],
    }),
  }));

/** The grants of each function, by its description. */
export function grantsOf(template: Template): Record<string, Grant[]> {
  const policies = Object.values(template.findResources('AWS::IAM::Policy')).map(({ Properties }) =>
    policy.parse(Properties),
  );
  return Object.fromEntries(
    functionsOf(template).map(({ Description, Role }) => {
      const [role] = Role['Fn::GetAtt'];
      const own = policies.filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role));
      const statements = own.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      return [Description.replace('Reeve: ', ''), grantsIn(statements)];
    }),
  );
}

/** Logical ids and literal parts of a resource, so that a table's index is told from the table. */
function namesIn(resource: unknown): string[] {
  const text = JSON.stringify(resource);
  const [, id = text] = /"(?:Ref|Fn::GetAtt)":\[?"([A-Za-z0-9]+)"/.exec(text) ?? [];
  const [, index] = /\/index\/(\w+)/.exec(text) ?? [];
  const name = id.replace(/[0-9A-F]{8}$/, '');
  return [index === undefined ? name : `${name}/${index}`];
}
