/** Reports the agents of workflows, in the program that is run at synthesis (deployed-workflows.ts). */
import { limitsOf } from '#core/definition/registry.ts';
import { agentsOf, type WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { report } from './report.ts';

/** The steps that each agent performs, and the agents whose calls are limited, each with the names of its rates. */
export function reportWorkflows(workflows: readonly WorkflowDefinition[]): void {
  const calls = workflows.flatMap(({ name, version, steps }) =>
    steps.flatMap((step) =>
      agentsOf(step).map((agent) => ({ agent, step: step.name, workflow: `${name} ${version}` })),
    ),
  );
  const rates = [...limitsOf(workflows)].map(([agent, { own, shared }]) => [
    agent,
    [...shared, ...own].flatMap(({ name, rate }) => (rate === null ? [] : [name])),
  ]);
  report({ calls, limits: Object.fromEntries(rates) });
}
