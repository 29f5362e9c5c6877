/** Reports the agents of workflows, in the program that is run at synthesis (deployed-workflows.ts). */
import { checkMarks, limitsOf } from '#core/definition/registry.ts';
import {
  agentsOf,
  type StepDefinition,
  type WorkflowDefinition,
} from '#core/definition/workflow-definition.ts';
import { ReeveError } from '#core/model/errors.ts';
import { callPolicy } from '#core/model/policy.ts';
import { report } from './report.ts';

/**
 * The steps that each agent performs, and the agents whose calls are limited, each with the names of its rates.
 *
 * @param workflows what the module of the application exports under this name
 * @throws {ReeveError} `settings-invalid` when it is no list of workflows
 */
export function reportWorkflows(workflows: unknown): void {
  if (!isList(workflows)) {
    throw new ReeveError(
      'settings-invalid',
      'The export `workflows` must be an array of workflows, each of which ends with `.build()`.',
    );
  }
  checkMarks(workflows);
  const calls = workflows.flatMap(({ name, version, steps }) =>
    steps.flatMap((step) =>
      agentsOf(step).map((agent) => ({
        agent,
        step: step.name,
        workflow: `${name} ${version}`,
        completeWithinMs: shortestCallMs(step),
        longestMs: longestCallMs(step),
      })),
    ),
  );
  const rates = [...limitsOf(workflows)].map(([agent, { own, shared }]) => [
    agent,
    [...shared, ...own].flatMap(({ name, rate }) => (rate === null ? [] : [name])),
  ]);
  report({ calls, limits: Object.fromEntries(rates) });
}

const shortestCallMs = ({ policy }: StepDefinition) =>
  Math.min(
    callPolicy(policy, 'perform').completeWithinMs,
    callPolicy(policy, 'undo').completeWithinMs,
  );

/** With all heartbeats. */
const longestCallMs = ({ policy }: StepDefinition) =>
  Math.max(callPolicy(policy, 'perform').maxDurationMs, callPolicy(policy, 'undo').maxDurationMs);

const isList = (value: unknown): value is readonly WorkflowDefinition[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one === 'object' && one !== null && 'fingerprint' in one);
