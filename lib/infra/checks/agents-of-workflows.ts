/**
 * Compares the agents of a deployment with those that its workflows call. Orders would show a difference after the deployment
 * only: a step whose agent is missing never runs, and that of another agent's code fails.
 */
import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DeployedWorkflows } from '#infra/functions/deployed-workflows.ts';
import { type Export, implementationsOf } from '#infra/functions/implementations.ts';
import { nearestName } from '#text/nearest-name.ts';

/** An agent of a deployment. */
export interface AddedAgent {
  readonly name: string;
  /** The export that is its implementation. @default its code is not known here */
  readonly code?: Export | undefined;
}

/** What is compared. */
export interface Agents {
  /** The module that exports `workflows`. */
  readonly module: string;
  readonly workflows: DeployedWorkflows;
  readonly added: readonly AddedAgent[];
}

/** An error text for each agent that is missing, that no workflow calls, or that has the code of another one. */
export function agentFaults(scope: Construct, agents: Agents): string[] {
  const { path } = scope.node;
  return [...missing(path, agents), ...uncalled(path, agents), ...otherCode(scope, agents)];
}

function missing(path: string, { workflows: { calls }, added }: Agents): string[] {
  const names = new Set(added.map(({ name }) => name));
  const callers = Map.groupBy(calls, ({ agent }) => agent);
  return [...callers]
    .filter(([agent]) => !names.has(agent))
    .map(([agent, [call]]) => {
      const by = `\`${call?.step}\` of workflow ${call?.workflow}`;
      return `${path} has no agent \`${agent}\`, which ${by} calls. Add it by \`addAgent\`, or export the workflow no longer.`;
    });
}

function uncalled(path: string, { module, workflows: { calls }, added }: Agents): string[] {
  const called = new Set(calls.map(({ agent }) => agent));
  return added
    .filter(({ name }) => !called.has(name))
    .map(({ name }) => {
      const near = nearestName(name, [...called]);
      const advice = near === undefined ? 'Remove it.' : `Did you mean \`${near}\`?`;
      return `No step of the workflows in ${module} calls the agent \`${name}\` of ${path}. ${advice}`;
    });
}

function otherCode(scope: Construct, { added }: Agents): string[] {
  const bundled = added.flatMap(({ name, code }) => (code === undefined ? [] : [{ name, code }]));
  const found = implementationsOf(bundled.map(({ code }) => code));
  return bundled.flatMap(({ name, code }, at): string[] => {
    const one = found[at];
    if (one === undefined || ('agent' in one && one.agent === name)) return [];
    if ('failed' in one) {
      Annotations.of(scope).addInfo(
        `${code.module} cannot be loaded at synthesis (${one.failed}). So it was not checked whether \`${code.export}\` is the agent \`${name}\`.`,
      );
      return [];
    }
    const what =
      one.agent === null
        ? 'is not the implementation of an agent. Export what `implementAgent` returns.'
        : `is the implementation of the agent \`${one.agent}\`. Name the export, or the agent, that is meant.`;
    return [
      `The agent \`${name}\` of ${scope.node.path} has the export \`${code.export}\` of ${code.module}, which ${what}`,
    ];
  });
}
