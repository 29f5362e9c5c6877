/** The function of an agent whose code is bundled. */
import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type Code, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { allowSecret } from '#infra/access/secret-right.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import type { BundledAgent } from './agent-props.ts';

interface AgentFunctionParts {
  readonly code: Code;
  /** The variables that Reeve gives it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  readonly removal: RemovalPolicy;
}

/** Makes the function, with the rights to read its secrets. */
export function agentFunction(
  scope: Construct,
  agent: BundledAgent,
  { code, environment, timeout, removal }: AgentFunctionParts,
): ReeveFunction {
  const { vpc, vpcSubnets, securityGroups, secrets = {} } = agent;
  const worker = new ReeveFunction(scope, 'Agent', {
    name: agent.name,
    code,
    description: `Reeve: agent ${agent.name}`,
    timeout,
    memorySize: agent.memorySize,
    removal,
    // Part of the loop Scheduler – agent – Scheduler, which Lambda stops after some 16 steps by default.
    recursiveLoop: RecursiveLoop.ALLOW,
    environment: {
      ...agent.environment,
      ...Object.fromEntries(
        Object.entries(secrets).map(([name, { secretArn }]) => [`${name}_ARN`, secretArn]),
      ),
      ...environment,
    },
    ...(vpc !== undefined && { network: { vpc, vpcSubnets, securityGroups } }),
  });
  for (const secret of Object.values(secrets)) allowSecret(worker, secret);
  return worker;
}
