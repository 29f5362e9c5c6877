/** An implementation of a contract for tests: its service keeps its promises, and does otherwise what a script says. */
import type { AgentContract } from '#core/definition/agent.ts';
import type { Action } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import {
  type AgentImplementation,
  type Call,
  PermanentFault,
  type UndoTarget,
} from '#ports/agent-implementation.ts';
import { type CallScript, scriptedService } from './scripted-service.ts';
import { listenToHosts } from './test-host.ts';

/** A call that the agent got. */
export interface ScriptedCall<Input> {
  readonly action: Action;
  readonly orderId: string;
  readonly input: Input;
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** Ms since the epoch, by the virtual clock. */
  readonly at: number;
}

/** See {@link scriptedAgent}. */
export interface ScriptedAgent<Input extends JsonValue, Output extends JsonValue>
  extends AgentImplementation<Input, Output>,
    CallScript {
  /** The same for its undo. */
  readonly onUndo: CallScript;
  /**
   * From now on every call fails for so long, ms; before the start of Reeve: from the start on.
   *
   * @throws {KitError} `time-range` when it is not a whole number from 0 to ten years
   */
  unreachable(ms: number): void;
  /** All calls so far. */
  readonly calls: readonly ScriptedCall<Input>[];
  /** The idempotency keys of the performs whose effect is in force. */
  readonly effects: ReadonlySet<string>;
}

/**
 * Implements a contract for `testReeve`. Without a script its service works at once, deduplicates by idempotency key, and its undo
 * leaves a tombstone.
 *
 * @param output of each perform: a value, or a function of the input
 */
export function scriptedAgent<Input extends JsonValue, Output extends JsonValue>(
  contract: AgentContract<Input, Output>,
  output: Output | ((input: Input) => Output),
): ScriptedAgent<Input, Output> {
  const service = scriptedService(contract.name);
  const calls: ScriptedCall<Input>[] = [];
  const effects = new Set<string>();
  const closed = new Set<string>();

  function called(action: Action, input: Input, call: Call): void {
    const { orderId, attempt, idempotencyKey } = call;
    calls.push({ action, orderId, input, attempt, idempotencyKey, at: service.hostOf(call).now() });
  }

  const agent: ScriptedAgent<Input, Output> = {
    contract,
    ...service.script('perform'),
    onUndo: service.script('undo'),
    unreachable: service.unreachable,
    calls,
    effects,
    async perform(input, call) {
      called('perform', input, call);
      const { idempotencyKey: key } = call;
      return service.serve('perform', call, {
        effect() {
          if (closed.has(key))
            throw new PermanentFault('refused', 'The service has refused this key.', 'none');
          effects.add(key);
          return isFunction(output) ? output(input) : output;
        },
        refuse: () => void closed.add(key),
      });
    },
    ...(contract.undo === 'offered' && {
      async undo({ performKey, input }: UndoTarget<Input, Output>, call: Call) {
        called('undo', input, call);
        await service.serve('undo', call, {
          effect() {
            closed.add(performKey);
            effects.delete(performKey);
          },
          refuse() {},
        });
      },
    }),
  };
  listenToHosts(agent, service);
  return agent;
}

const isFunction = <Input, Output>(
  output: Output | ((input: Input) => Output),
): output is (input: Input) => Output => typeof output === 'function';
