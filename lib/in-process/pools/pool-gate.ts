/**
 * The steps that wait for any member of a pool. Each member takes the next one when it has a slot: so a step waits for none
 * that is slower than the others, or fails.
 */
import type { CircuitState } from '#core/flow/circuit.ts';
import type { AgentGate, AgentGateOptions } from '../agent-gate.ts';
import { type WaitingSteps, waitingSteps } from '../waiting-steps.ts';

/** Options of {@link poolGate}. */
export interface PoolGateOptions extends Pick<AgentGateOptions, 'nudge' | 'weights' | 'clock'> {
  /** The gates of the members that may get any call. */
  readonly members: () => readonly AgentGate[];
}

/** Makes the list of the steps that wait for one pool. */
export function poolGate({ members, ...options }: PoolGateOptions): WaitingSteps {
  /** The member whose slot a step has until its order is claimed. */
  const lenders = new Map<string, AgentGate>();
  let turn = 0;

  /** Each member is first in turn. */
  function inTurn(): readonly AgentGate[] {
    const all = members();
    turn = (turn + 1) % Math.max(1, all.length);
    return [...all.slice(turn), ...all.slice(0, turn)];
  }

  const earliest = () => {
    const instants = members().flatMap((member) => member.loans.lendsAt() ?? []);
    return instants.length === 0 ? null : Math.min(...instants);
  };

  const waiting = waitingSteps({
    ...options,
    // The circuits below say so: of a member without a slot, none is asked.
    hasSlot: () => true,
    circuit: {
      admitsAt: earliest,
      admits(step) {
        // Its order may not be claimed for all that: then the step waits again, and for a slot of any member.
        const onTake = () => {
          lenders.delete(step);
          waiting.take(step);
        };
        const lender = inTurn().find((member) => member.loans.lend(step, onTake));
        if (lender !== undefined) lenders.set(step, lender);
        return lender !== undefined;
      },
      unsent(step) {
        lenders.get(step)?.loans.takeBack(step);
        lenders.delete(step);
      },
      state: () => stateOf(members()),
      takeFailedProbe: (step) => members().some((member) => member.takeFailedProbe(step)),
    },
  });
  return waiting;
}

/** Whether any member may be well. While the probe of one is in flight, all of them fail as before. */
function stateOf(members: readonly AgentGate[]): CircuitState {
  const states = new Set(members.map((member) => member.state()));
  if (states.has('closed') || states.has('recovering')) return 'closed';
  return states.has('half-open') ? 'half-open' : 'open';
}
