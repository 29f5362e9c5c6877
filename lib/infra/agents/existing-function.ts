/** A function that exists apart from Reeve, as an agent. */
import { Annotations } from 'aws-cdk-lib';
import { CfnFunction, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';

/**
 * Gives the function the variables of an agent, and lets it be a part of the loop Scheduler – agent – Scheduler, which Lambda
 * stops after some 16 steps by default. A function of another app cannot be changed: a warning says what it needs.
 */
export function configureExisting(
  existing: IFunction,
  environment: Readonly<Record<string, string>>,
): IFunction {
  const resource = existing.node.defaultChild;
  if (existing instanceof LambdaFunction && resource instanceof CfnFunction) {
    for (const [name, value] of Object.entries(environment)) existing.addEnvironment(name, value);
    resource.recursiveLoop = 'Allow';
    return existing;
  }
  Annotations.of(existing).addWarningV2(
    'reeve:existing-agent',
    `This function is not made in this app. Where it is made, it needs RecursiveLoop: Allow, and, if it uses agentHandler, the variables ${Object.keys(environment).join(', ')}.`,
  );
  return existing;
}
