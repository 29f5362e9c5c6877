/**
 * Which calls the grants of a role allow, and which grants no call used. It supports the part of IAM that Reeve's
 * roles use: allowing statements, literal actions, resources that may end with `*`, and a condition on the partition key
 * of an item. Everything else in a policy is an error, so that nothing counts as allowed by mistake.
 */
import * as z from 'zod';
import type { Call } from './calls.ts';

/** One action on one resource that a caller's role allows. */
export interface Grant {
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
  /** The partition key that it is limited to, which may end with `*`; absent: all. Each of several is a grant. */
  readonly key?: string;
}

export interface Evaluation {
  readonly refused: readonly Call[];
  readonly unused: readonly Grant[];
}

const oneOrMore = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const policySchema = z.object({
  Version: z.literal('2012-10-17'),
  Statement: z.array(
    z.strictObject({
      Sid: z.string().optional(),
      Effect: z.literal('Allow'),
      Action: oneOrMore,
      Resource: oneOrMore,
      Condition: z
        .strictObject({
          'ForAllValues:StringLike': z.strictObject({
            'dynamodb:LeadingKeys': oneOrMore,
          }),
        })
        .optional(),
    }),
  ),
});

/** @throws {Error} for a policy with other content */
export function grantsIn(caller: string, policy: unknown): readonly Grant[] {
  const found = policySchema.parse(policy).Statement.flatMap(({ Action, Resource, Condition }) => {
    const keys = Condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
    const bounds = keys === undefined ? [{}] : keys.map((key) => ({ key }));
    return Action.flatMap((action) =>
      Resource.flatMap((resource) =>
        bounds.map((bound) => ({ caller, action, resource, ...bound })),
      ),
    );
  });
  const wild = found.find(({ action }) => action.includes('*'));
  if (wild !== undefined) throw new Error(`${caller} is granted ${wild.action}: name the actions.`);
  return found;
}

export function evaluate(calls: readonly Call[], grants: readonly Grant[]): Evaluation {
  return {
    refused: calls.filter((call) => !grants.some((grant) => allows(grant, call))),
    unused: grants.filter((grant) => !calls.some((call) => allows(grant, call))),
  };
}

function allows(grant: Grant, call: Call): boolean {
  return (
    grant.caller === call.caller &&
    grant.action === call.action &&
    matches(grant.resource, call.resource) &&
    (grant.key === undefined || (call.key !== undefined && matches(grant.key, call.key)))
  );
}

function matches(pattern: string, resource: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[^\w]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(resource);
}
