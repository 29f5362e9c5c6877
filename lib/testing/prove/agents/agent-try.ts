/** One run of the code of an agent in a simulated world, as the simulated services that it calls know it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Action, AgentName, IdempotencyKey } from '#core/model/ids.ts';
import type { Call } from '#ports/agent-implementation.ts';
import type { Machine } from '#sim/world/machine.ts';
import type { ProofWorld } from '../proof-world.ts';

/** See above. */
export interface AgentTry {
  readonly world: ProofWorld;
  readonly agent: AgentName;
  readonly machine: Machine;
  readonly call: Call;
  readonly action: Action;
  /** Of the perform, also for an undo. */
  readonly performKey: IdempotencyKey;
  readonly startedAt: number;
  /** The effects that its calls made or found, by service and key. */
  readonly touched: Set<string>;
  /** How many requests it has sent, and how many its services have answered, with a refusal as well. */
  requests: number;
  answers: number;
  /** How many requests were not sent, because their signal had aborted before. */
  unsent: number;
  /** Whether a fault met one of its calls so far. */
  isFaulty: boolean;
  /** Whether it said that it is still at work. */
  hasBeaten: boolean;
  /** How long its services have worked for it, ms. */
  servedMs: number;
  /** Until when, ms since the epoch. */
  servedUntil: number;
  /** How many simulated things it waits for. */
  waitsFor: number;
  hasEnded: boolean;
}

const tries = new AsyncLocalStorage<AgentTry>();

/** The try whose code runs; undefined outside of simulated worlds. */
export const currentTry = (): AgentTry | undefined => tries.getStore();

/** Runs the code as that of the try, with all that it waits for. */
export const asTry = <Value>(own: AgentTry, code: () => Value): Value => tries.run(own, code);

/** The order and the step of a key, `order/step`, without the generation. */
export function orderAndStep(key: IdempotencyKey): { order: string; step: string } {
  const [order = '', step = ''] = key.split('/');
  return { order, step: step.split('#')[0] ?? step };
}
