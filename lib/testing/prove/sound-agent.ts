/** An agent with a service that keeps every promise: what `prove` runs where only the workflow is to be proven. */
import type { AgentContract } from '#core/definition/agent.ts';
import type { JsonValue } from '#core/model/json.ts';
import { type AgentImplementation, PermanentFault } from '#ports/agent-implementation.ts';
import { currentTry } from './agents/agent-try.ts';
import { calledTwice } from './process/virtual-sources.ts';
import { SimulatedServiceError } from './service-model.ts';
import { type SimulatedServiceOptions, simulatedService } from './simulated-service.ts';

/**
 * Implements a contract by a sound service: it deduplicates by key, answers a repeated request as the first one, refuses some
 * requests for good, and its undo leaves a tombstone.
 *
 * @param output what it answers to an input: a pure function
 * @throws {SimulatedServiceError} `simulated-service-invalid` when `output` is no function, or `takes` is out of its range
 */
export function soundAgent<Input extends JsonValue, Output extends JsonValue>(
  contract: AgentContract<Input, Output>,
  output: (input: Input) => NoInfer<Output>,
  options: SimulatedServiceOptions = {},
): AgentImplementation<Input, Output> {
  if (typeof output !== 'function') {
    throw new SimulatedServiceError(
      'simulated-service-invalid',
      `The output of the sound agent ${contract.name} is no function: give a function of the input, such as () => (${JSON.stringify(output)}).`,
    );
  }
  const answerTo = (input: Input) =>
    calledTwice(
      () => output(input),
      (one, other) =>
        currentTry()?.world.find(
          'output-changes',
          `The output of ${contract.name} for one input is ${one}, and at another time ${other}: it depends on the clock, on chance, or on something that it changes.`,
        ),
    );
  const service = simulatedService(
    contract.name,
    ({ effects, refuses }) => {
      const closed = new Map<string, 'declined' | 'taken-back'>();
      return {
        perform(key: string, input: Input): Output {
          if (!closed.has(key) && !effects.has(key) && refuses()) closed.set(key, 'declined');
          const code = closed.get(key);
          if (code !== undefined) throw new PermanentFault(code, 'The service refuses.', 'none');
          const hasEffect = contract.undo !== 'unneeded';
          if (hasEffect && !effects.has(key)) effects.add(key);
          return answerTo(input);
        },
        undo(key: string): void {
          if (refuses()) throw new PermanentFault('not-now', 'No undo now.', 'possible');
          if (!closed.has(key)) closed.set(key, 'taken-back');
          effects.remove(key);
        },
      };
    },
    options,
  );
  return {
    contract,
    perform: (input, { idempotencyKey, signal }) => service.perform(idempotencyKey, input, signal),
    ...(contract.undo === 'offered' && {
      undo: ({ performKey }, { signal }) => service.undo(performKey, signal),
    }),
  };
}
