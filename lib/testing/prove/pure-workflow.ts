/** Workflows whose functions are called twice each time, to find those that depend on more than their argument. */
import type {
  StepContext,
  StepDefinition,
  WorkflowDefinition,
} from '#core/definition/workflow-definition.ts';
import { readableError } from '#core/model/errors.ts';
import { placeOf, thrownText } from './agents/failed-calls.ts';
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
  const thrown = (what: 'input' | 'when', error: unknown) =>
    find(
      'code-throws',
      `The \`${what}\` of the step ${step.name} of ${name} throws ${thrownText(error)}.${placeOf(error)}`,
    );
  function called<Value>(
    what: 'input' | 'when',
    { outputs }: StepContext,
    code: () => Value,
  ): Value {
    try {
      return calledTwice(code, differs(what));
    } catch (error) {
      // Views of an order ask for inputs before the steps that they depend on are done.
      if (step.after.every((name) => outputs[name] !== undefined))
        thrown(what, readableError(error));
      throw error;
    }
  }
  const { input, when } = step;
  return {
    ...step,
    input: (context) => called('input', context, () => input(context)),
    when: when && ((context) => called('when', context, () => when(context))),
  };
}
