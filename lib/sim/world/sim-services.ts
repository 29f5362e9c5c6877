/**
 * The remote services that agents call, with their effect ledger. They honour idempotency keys, as the agents'
 * contract requires (docs/design.md, "Undo"), and fail in every other way that services do.
 */
import { type AgentName, type IdempotencyKey, type OrderId, orderId } from '#core/model/ids.ts';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import type { Machine } from './machine.ts';
import type { SimContext } from './sim-context.ts';

/** The state of one key; `tombstone`: undone before it was performed. */
export type Effect = 'none' | 'applied' | 'undone' | 'tombstone' | 'refused';

export interface ServiceOutput {
  /** The agent of the service: later steps check that they receive the right output. */
  readonly of: string;
  readonly units: number;
  readonly [name: string]: string | number;
}

export interface Service {
  perform(machine: Machine, key: IdempotencyKey): Promise<ServiceOutput>;
  undo(machine: Machine, performKey: IdempotencyKey): Promise<void>;
}

/** The effects at the services, by idempotency key. */
export type EffectLedger = ReadonlyMap<IdempotencyKey, Effect>;

export interface Services {
  readonly effects: EffectLedger;
  of(agent: AgentName): Service;
}

export type OnEffect = (key: IdempotencyKey, effect: Effect) => void;

/** The order that a key belongs to. */
export const orderIdOf = (key: IdempotencyKey): OrderId => orderId(key.split('/')[0] ?? '');

export function services(around: SimContext, onEffect: OnEffect): Services {
  const effects = new Map<IdempotencyKey, Effect>();
  const { faults, chance } = around;

  function enter(key: IdempotencyKey, effect: Effect): void {
    const before = effects.get(key) ?? 'none';
    if (before === effect) return;
    effects.set(key, effect);
    onEffect(key, effect);
  }

  function applied(agent: AgentName, key: IdempotencyKey): ServiceOutput {
    const found = effects.get(key) ?? 'none';
    if (found === 'none') {
      if (faults.strike('service-refuses')) enter(key, 'refused');
      else enter(key, 'applied');
    }
    const effect = effects.get(key);
    if (effect === 'applied') return { of: agent, units: 1 };
    // A refused key stays refused.
    throw new PermanentFault(effect === 'refused' ? 'declined' : 'taken-back', 'No.', 'none');
  }

  function undone(key: IdempotencyKey): void {
    const found = effects.get(key) ?? 'none';
    if (found === 'none') enter(key, 'tombstone');
    if (found === 'applied') enter(key, 'undone');
  }

  /** The timing of the call, drawn for each call. */
  function manner(): Pick<Parameters<Machine['call']>[0], 'latencyMs' | 'answerAfterMs'> {
    if (faults.strike('service-unanswering')) return { answerAfterMs: Number.POSITIVE_INFINITY };
    if (faults.strike('service-late')) return { latencyMs: chance.between(10_000, 240_000) };
    if (faults.strike('service-slow')) return { answerAfterMs: chance.between(1_000, 60_000) };
    return { latencyMs: chance.between(5, 300) };
  }

  function failing(): void {
    if (faults.strike('service-down')) throw new TransientFault('down', 'Not now.');
  }

  return {
    effects,
    of: (agent) => ({
      perform: (machine, key) =>
        machine.call({
          what: `perform ${key}`,
          ...manner(),
          act: () => {
            failing();
            const output = applied(agent, key);
            if (faults.strike('service-fails')) {
              throw new PermanentFault('broken', 'Something broke.', 'possible');
            }
            return output;
          },
        }),
      undo: (machine, key) =>
        machine.call({
          what: `undo ${key}`,
          ...manner(),
          act: () => {
            failing();
            if (faults.strike('undo-refused')) {
              throw new PermanentFault('not-taken-back', 'That cannot be undone now.', 'possible');
            }
            undone(key);
          },
        }),
    }),
  };
}
