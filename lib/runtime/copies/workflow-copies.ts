/**
 * What passes between the functions of a workflow and the records of its orders, as copies. Its schemas may return what they were given, or an
 * object of their own for all orders; `input`, `when` and the functions of keys may change what they get, or keep what they return.
 */
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import type { Singleton } from '#core/definition/singleton.ts';
import type {
  StepContext,
  StepDefinition,
  WorkflowDefinition,
} from '#core/definition/workflow-definition.ts';
import { jsonCopy, plainCopy } from './json-copy.ts';
import { resultOrigin } from './result-origin.ts';

/** The same definitions, of the same fingerprints, whose code shares nothing with a record. */
export function copyingWorkflows(
  definitions: readonly WorkflowDefinition[],
): readonly WorkflowDefinition[] {
  const known = new Map<readonly AgentLimit[], readonly AgentLimit[]>();
  /** The list stays the same one for all steps and versions that have it: their calls count together. */
  const limitsOf = (limits: readonly AgentLimit[]) => {
    const copying = known.get(limits) ?? limits.map(copyingLimit);
    known.set(limits, copying);
    return copying;
  };
  const stepOf = (step: StepDefinition): StepDefinition => {
    const { input, when, output, limits } = step;
    return {
      ...step,
      // What it is given is the copy of a reply.
      output: resultOrigin(output) === 'any' ? output.transform(jsonCopy) : output,
      input: (context) => jsonCopy(input(contextCopy(context))),
      when: when && ((context) => when(contextCopy(context))),
      ...(limits !== undefined && { limits: limitsOf(limits) }),
    };
  };
  return definitions.map((definition) => ({
    ...definition,
    details: copyingDetails(definition),
    steps: definition.steps.map(stepOf),
    ...(definition.singleton !== undefined && {
      singleton: copyingSingleton(definition.singleton),
    }),
  }));
}

const copyingDetails = ({ details }: WorkflowDefinition) =>
  resultOrigin(details) === 'new' ? details : details.transform(jsonCopy);

const contextCopy = ({ orderId, details, outputs }: StepContext): StepContext => ({
  orderId,
  details: plainCopy(details),
  outputs: plainCopy(outputs),
});

function copyingLimit(limit: AgentLimit): AgentLimit {
  const { key } = limit;
  if (key === null) return limit;
  return { ...limit, key: (call) => key({ ...call, input: plainCopy(call.input) }) };
}

const copyingSingleton = (singleton: Singleton): Singleton => ({
  ...singleton,
  key: ({ details, tenant }) => singleton.key({ details: plainCopy(details), tenant }),
});
