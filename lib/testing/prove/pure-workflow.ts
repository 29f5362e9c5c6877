/** Workflows whose functions are called twice each time, to find those that depend on more than their argument. */
import type { StepDefinition, WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { Find } from './finding.ts';
import { calledTwice } from './virtual-sources.ts';

/** The same definition, of the same fingerprint. */
export function pureWorkflow(definition: WorkflowDefinition, find: Find): WorkflowDefinition {
  return { ...definition, steps: definition.steps.map((step) => pureStep(definition, step, find)) };
}

function pureStep({ name }: WorkflowDefinition, step: StepDefinition, find: Find): StepDefinition {
  const differs = (what: 'input' | 'when') => (one: string, other: string) =>
    find(
      'not-pure',
      `The \`${what}\` of the step ${step.name} of ${name} returned ${one}, and for the same order ${other} at another time: it depends on the clock, on chance, or on something that it changes. Take such a value from the details or from the output of a step.`,
    );
  const { input, when } = step;
  return {
    ...step,
    input: (context) => calledTwice(() => input(context), differs('input')),
    when: when && ((context) => calledTwice(() => when(context), differs('when'))),
  };
}
