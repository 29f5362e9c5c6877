/**
 * The remote services that agents call, with their effect ledger. They honour idempotency keys, as the agents'
 * contract requires (docs/design.md, "Undo"), and fail in every other way that services do.
 */
import { type AgentName, type IdempotencyKey, type OrderId, orderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import type { ServiceOutages } from '#sim/faults/service-outage.ts';
import type { Machine } from './machine.ts';
import { serviceCalls } from './service-calls.ts';
import type { SimContext } from './sim-context.ts';

/** The state of one key; `tombstone`: undone before it was performed. */
export type Effect = 'none' | 'applied' | 'undone' | 'tombstone' | 'refused';

export interface ServiceOutput {
  /** The ledger of the service. */
  readonly of: string;
  readonly units: number;
  /** The key of the perform: later steps are given it, and no other step has it. */
  readonly key: IdempotencyKey;
  readonly [name: string]: string | number;
}

/** `endpoint`: null where there is one. */
export interface Service {
  perform(machine: Machine, key: IdempotencyKey, endpoint: string | null): Promise<ServiceOutput>;
  undo(machine: Machine, keys: UndoKeys, endpoint: string | null): Promise<void>;
}

/** The key of an undo, and the key of what it undoes. */
export interface UndoKeys {
  readonly key: IdempotencyKey;
  readonly performKey: IdempotencyKey;
}

/** The effects at all services. Those that do not know each other's keys may have one for the same key. */
export type EffectLedger = Iterable<readonly [IdempotencyKey, Effect]>;

export interface Services {
  readonly effects: EffectLedger;
  of(agent: AgentName): Service;
}

export interface ServicesOptions {
  readonly around: SimContext;
  readonly outages: ServiceOutages;
  readonly recordOf: (orderId: OrderId) => ProcessRecord | undefined;
  readonly onEffect: (key: IdempotencyKey, effect: Effect) => void;
  /** A step has an effect twice: in two ledgers, or under two generations of its key. */
  readonly onSecondEffect: (key: IdempotencyKey) => void;
}

/** The order that a key belongs to. */
export const orderIdOf = (key: IdempotencyKey): OrderId => orderId(key.split('/')[0] ?? '');

/** The name of the step that a key belongs to. */
export const stepNameOf = (key: IdempotencyKey): string => stepOf(key).split('/')[1] ?? '';

/** The part of a key that all of its generations have. */
const stepOf = (key: IdempotencyKey): string => key.split('#')[0] ?? key;

/** @param ledgerOf the ledger of the service of an agent: services with one ledger know each other's keys */
export function services(
  { around, outages, onEffect, onSecondEffect }: ServicesOptions,
  ledgerOf: (agent: AgentName) => string,
): Services {
  const ledgers = new Map<string, Map<IdempotencyKey, Effect>>();
  /** What each ledger undid by the key of the undo: a repeated key gets the answer of the first request. */
  const undos = new Map<string, IdempotencyKey>();
  /** The effects of each step. */
  const units = new Map<string, number>();
  const { faults } = around;
  const call = serviceCalls({ around, outages });

  function effectsOf(ledger: string): Map<IdempotencyKey, Effect> {
    const effects = ledgers.get(ledger) ?? new Map<IdempotencyKey, Effect>();
    ledgers.set(ledger, effects);
    return effects;
  }

  function enter(ledger: string, key: IdempotencyKey, effect: Effect): void {
    const effects = effectsOf(ledger);
    const before = effects.get(key) ?? 'none';
    if (before === effect) return;
    effects.set(key, effect);
    onEffect(key, effect);
    const step = stepOf(key);
    const left = (units.get(step) ?? 0) - (before === 'applied' ? 1 : 0);
    units.set(step, left + (effect === 'applied' ? 1 : 0));
    if (effect === 'applied' && left > 0) onSecondEffect(key);
  }

  function applied(ledger: string, key: IdempotencyKey): ServiceOutput {
    const found = effectsOf(ledger).get(key) ?? 'none';
    if (found === 'none') {
      if (faults.strike('service-refuses')) enter(ledger, key, 'refused');
      else enter(ledger, key, 'applied');
    }
    const effect = effectsOf(ledger).get(key);
    if (effect === 'applied') return { of: ledger, units: 1, key };
    // A refused key stays refused.
    throw new PermanentFault(effect === 'refused' ? 'declined' : 'taken-back', 'No.', 'none');
  }

  function undone(ledger: string, { key: undoKey, performKey: key }: UndoKeys): void {
    const own = `${ledger} ${undoKey}`;
    if ((undos.get(own) ?? key) !== key) return;
    undos.set(own, key);
    const found = effectsOf(ledger).get(key) ?? 'none';
    if (found === 'none') enter(ledger, key, 'tombstone');
    if (found === 'applied') enter(ledger, key, 'undone');
  }

  return {
    effects: {
      *[Symbol.iterator]() {
        for (const effects of ledgers.values()) yield* effects;
      },
    },
    of: serviceOf({
      ...{ faults, call },
      applied: (agent, key) => applied(ledgerOf(agent), key),
      undone: (agent, keys) => undone(ledgerOf(agent), keys),
    }),
  };
}

interface LedgerCalls {
  readonly faults: SimContext['faults'];
  readonly call: ReturnType<typeof serviceCalls>;
  readonly applied: (agent: AgentName, key: IdempotencyKey) => ServiceOutput;
  readonly undone: (agent: AgentName, keys: UndoKeys) => void;
}

function serviceOf({ faults, call, applied, undone }: LedgerCalls): Services['of'] {
  function failing(): void {
    if (faults.strike('service-down')) throw new TransientFault('down', 'Not now.');
  }
  return (agent) => ({
    perform: (machine, key, endpoint) =>
      call(agent, machine, {
        endpoint,
        what: `perform ${key}`,
        act: () => {
          failing();
          const output = applied(agent, key);
          if (faults.strike('service-fails')) {
            throw new PermanentFault('broken', 'Something broke.', 'possible');
          }
          return output;
        },
      }),
    undo: (machine, keys, endpoint) =>
      call(agent, machine, {
        endpoint,
        what: `undo ${keys.performKey}`,
        act: () => {
          failing();
          if (faults.strike('undo-refused')) {
            throw new PermanentFault('not-taken-back', 'That cannot be undone now.', 'possible');
          }
          undone(agent, keys);
        },
      }),
  });
}
