/** Workflows whose functions are called twice each time, to find those that depend on more than their argument. */
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import type { Singleton } from '#core/definition/singleton.ts';
import type {
  StepContext,
  StepDefinition,
  WorkflowDefinition,
} from '#core/definition/workflow-definition.ts';
import { readableError } from '#core/model/errors.ts';
import { placeOf, thrownText } from './agents/failed-calls.ts';
import type { Find } from './finding.ts';
import { versionName } from './orders/release.ts';
import { keyOutcome } from './orders/workflow-key.ts';
import { calledTwice } from './process/virtual-sources.ts';

/** The same definitions, of the same fingerprints. */
export function pureWorkflows(
  definitions: readonly WorkflowDefinition[],
  find: Find,
): readonly WorkflowDefinition[] {
  const limitOf = pureLimits(find);
  return definitions.map((definition) => {
    const { singleton, steps } = definition;
    return {
      ...definition,
      ...(singleton !== undefined && {
        singleton: pureSingleton(versionName(definition), singleton, find),
      }),
      steps: steps.map((step) => {
        const { limits } = step;
        const pure = pureStep(versionName(definition), step, find);
        return limits === undefined ? pure : { ...pure, limits: limits.map(limitOf) };
      }),
    };
  });
}

const differsIn =
  (find: Find, what: string, advice: string) =>
  (one: string, other: string): void =>
    find(
      'not-pure',
      `${what} returned ${one}, and for the same order ${other} at another time: it depends on the clock, on chance, or on something that it changes. ${advice}`,
    );

const takeFromOrder = 'Take such a value from the details or from the output of a step.';

function pureStep(workflow: string, step: StepDefinition, find: Find): StepDefinition {
  function called<Value>(
    what: 'input' | 'when',
    { outputs }: StepContext,
    code: () => Value,
  ): Value {
    const about = `The \`${what}\` of the step ${step.name} of ${workflow}`;
    try {
      return calledTwice(code, differsIn(find, about, takeFromOrder));
    } catch (error) {
      // Views of an order ask for inputs before the steps that they depend on are done.
      if (step.after.every((name) => outputs[name] !== undefined))
        findThrown(find, about, readableError(error));
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

const takeFromSubmission = 'Take the key from what it is given.';

function pureSingleton(workflow: string, singleton: Singleton, find: Find): Singleton {
  const about = `The \`singleton.key\` of ${workflow}`;
  return {
    ...singleton,
    // One that throws is refused where the details are drawn.
    key: (order) =>
      calledTwice(() => singleton.key(order), differsIn(find, about, takeFromSubmission)),
  };
}

/** A limit that several steps share stays one limit. */
function pureLimits(find: Find): (limit: AgentLimit) => AgentLimit {
  const known = new Map<AgentLimit, AgentLimit>();
  return (limit) => {
    const own = known.get(limit) ?? pureLimit(limit, find);
    known.set(limit, own);
    return own;
  };
}

function pureLimit(limit: AgentLimit, find: Find): AgentLimit {
  const { key: keyOf } = limit;
  if (keyOf === null) return limit;
  const about = `The \`key\` of the limit ${limit.name}`;
  const differs = differsIn(find, about, takeFromSubmission);
  return {
    ...limit,
    key(call) {
      const asked = keyOutcome(() => calledTwice(() => keyOf(call), differs));
      if (asked.kind === 'key') return asked.key;
      find('code-throws', `${about} ${asked.does}. ${asked.remedy}`);
      throw asked.error;
    },
  };
}

function findThrown(find: Find, about: string, error: unknown): void {
  find('code-throws', `${about} throws ${thrownText(error)}.${placeOf(error)}`);
}
