/** A function that exists apart from Reeve, as an agent. */
import { Annotations, type Duration, Stack } from 'aws-cdk-lib';
import {
  Alias,
  CfnFunction,
  type IFunction,
  Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ReeveError } from '#core/model/errors.ts';

/** The agent that each function is. */
const known = new WeakMap<IFunction, string>();

/** The function that runs: an alias is a name of a version of it. */
const baseOf = (existing: IFunction) => (existing instanceof Alias ? existing.lambda : existing);

/** Whether this app makes it. */
const isMade = (existing: IFunction) =>
  existing instanceof Alias || existing instanceof LambdaFunction;

/** Whether another app makes the function that runs, and this one only names it. */
export const isImported = (existing: IFunction) => !isMade(baseOf(existing));

/** The timeout of a function that is made in this app; undefined: another app makes it. */
export function timeoutOfExisting(existing: IFunction): Duration | undefined {
  const base = baseOf(existing);
  return base instanceof LambdaFunction ? base.timeout : undefined;
}

/**
 * The variables of a function that this app makes name the queues of Reeve, and alarms of Reeve name the function: of two stacks, each would need
 * the other one first. One that is imported gets no variables.
 *
 * @param agent its name and deployment
 * @throws {ReeveError} `settings-invalid` for a function, or an alias, of another stack than the scope, and for a role of another one
 */
export function refuseOtherStack(scope: Construct, existing: IFunction, agent: string): void {
  const own = Stack.of(scope);
  const here = own.node.path;
  const made = [existing, baseOf(existing)].filter(isMade);
  const other = made.map((one) => Stack.of(one)).find((one) => one !== own);
  if (other === undefined) {
    refuseOtherRole(own, baseOf(existing), agent);
    return;
  }
  throw new ReeveError(
    'settings-invalid',
    `The function of the agent ${agent} is made in the stack ${other.node.path}, and Reeve in ${here}: each of the two would need the other one to be deployed first. Make the function in ${here}, or import it there with its role, \`Function.fromFunctionAttributes(…)\`.`,
  );
}

/**
 * The rights of a role are a policy in the stack of the role, which names the queues of Reeve. So it would be deployed after them, and after the
 * event source mapping, which Lambda refuses without these rights.
 */
function refuseOtherRole(own: Stack, { role }: IFunction, agent: string): void {
  if (role === undefined || Stack.of(role) === own) return;
  const here = own.node.path;
  throw new ReeveError(
    'settings-invalid',
    `The role of the function of the agent ${agent} is in the stack ${Stack.of(role).node.path}, and Reeve in ${here}, which needs the rights of the role first. Make or import both, the function and its role, in ${here}: \`Function.fromFunctionAttributes(…)\`, \`Role.fromRoleArn(…)\`.`,
  );
}

/** Its variables name the queues of one agent. @throws {ReeveError} `settings-invalid` for the function of another agent */
function refuseSecond(existing: IFunction, agent: string): void {
  const other = known.get(existing);
  if (other !== undefined) {
    throw new ReeveError(
      'settings-invalid',
      `The function ${existing.node.path} is the agent ${other} already. Give the agent ${agent} a function of its own.`,
    );
  }
  known.set(existing, agent);
}

/**
 * Gives the function the variables of an agent, and lets it be a part of the loop Scheduler – agent – Scheduler, which Lambda
 * stops after some 16 steps by default. A function of another app cannot be changed: a warning says what it needs.
 *
 * @param agent its name and deployment, for errors
 * @throws {ReeveError} `settings-invalid` when the function is another agent already
 */
export function configureExisting(
  agent: string,
  existing: IFunction,
  environment: Readonly<Record<string, string>>,
): IFunction {
  const base = baseOf(existing);
  refuseSecond(base, agent);
  const resource = base.node.defaultChild;
  if (base instanceof LambdaFunction && resource instanceof CfnFunction) {
    for (const [name, value] of Object.entries(environment)) base.addEnvironment(name, value);
    resource.recursiveLoop = 'Allow';
    return existing;
  }
  Annotations.of(existing).addWarningV2(
    'reeve:existing-agent',
    `This function is not made in this app. Where it is made, it needs RecursiveLoop: Allow, and, if it uses agentHandler, the variables ${Object.keys(environment).join(', ')}.`,
  );
  return existing;
}
