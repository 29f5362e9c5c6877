/**
 * The remote services that agents call, with their effect ledger. They honour idempotency keys, as the agents'
 * contract requires (docs/design.md, "Undo"), and fail in every other way that services do.
 */
import { type AgentName, type IdempotencyKey, type OrderId, orderId } from '#core/model/ids.ts';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import type { OutageKind, ServiceOutages } from '#sim/faults/service-outage.ts';
import type { Machine } from './machine.ts';
import type { ServiceCapacity } from './service-capacity.ts';
import type { SimContext } from './sim-context.ts';

/** The state of one key; `tombstone`: undone before it was performed. */
export type Effect = 'none' | 'applied' | 'undone' | 'tombstone' | 'refused';

export interface ServiceOutput {
  /** The ledger of the service: later steps check that they receive the right output. */
  readonly of: string;
  readonly units: number;
  readonly [name: string]: string | number;
}

/** The caller ends a call with its signal, as a closed connection does. `endpoint`: null where there is one. */
export interface Service {
  perform(
    machine: Machine,
    key: IdempotencyKey,
    signal: AbortSignal,
    endpoint: string | null,
  ): Promise<ServiceOutput>;
  undo(
    machine: Machine,
    keys: UndoKeys,
    signal: AbortSignal,
    endpoint: string | null,
  ): Promise<void>;
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
  /** Services with one ledger know each other's keys. */
  readonly ledgerOf: (agent: AgentName) => string;
  readonly onEffect: (key: IdempotencyKey, effect: Effect) => void;
  /** A step has an effect twice: in two ledgers, or under two generations of its key. */
  readonly onSecondEffect: (key: IdempotencyKey) => void;
  readonly capacity: ServiceCapacity;
}

interface ServiceCall<Value> {
  readonly endpoint: string | null;
  readonly what: string;
  readonly act: () => Value;
}

/** A connection to a service that does not answer is given up after this, ms. */
const unreachableAfterMs = 3_000;

/** The order that a key belongs to. */
export const orderIdOf = (key: IdempotencyKey): OrderId => orderId(key.split('/')[0] ?? '');

/** The part of a key that all of its generations have. */
const stepOf = (key: IdempotencyKey): string => key.split('#')[0] ?? key;

export function services({
  around,
  outages,
  ledgerOf,
  onEffect,
  onSecondEffect,
  capacity,
}: ServicesOptions): Services {
  const ledgers = new Map<string, Map<IdempotencyKey, Effect>>();
  /** What each ledger undid by the key of the undo: a repeated key gets the answer of the first request. */
  const undos = new Map<string, IdempotencyKey>();
  /** The effects of each step. */
  const units = new Map<string, number>();
  const { faults } = around;
  const calling = callsOf({ around, outages, capacity });

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
    if (effect === 'applied') return { of: ledger, units: 1 };
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

  function failing(): void {
    if (faults.strike('service-down')) throw new TransientFault('down', 'Not now.');
  }

  return {
    effects: {
      *[Symbol.iterator]() {
        for (const effects of ledgers.values()) yield* effects;
      },
    },
    of: (agent) => ({
      perform: (machine, key, signal, endpoint) =>
        calling(agent, machine, signal, {
          endpoint,
          what: `perform ${key}`,
          act: () => {
            failing();
            const output = applied(ledgerOf(agent), key);
            if (faults.strike('service-fails')) {
              throw new PermanentFault('broken', 'Something broke.', 'possible');
            }
            return output;
          },
        }),
      undo: (machine, keys, signal, endpoint) =>
        calling(agent, machine, signal, {
          endpoint,
          what: `undo ${keys.performKey}`,
          act: () => {
            failing();
            if (faults.strike('undo-refused')) {
              throw new PermanentFault('not-taken-back', 'That cannot be undone now.', 'possible');
            }
            undone(ledgerOf(agent), keys);
          },
        }),
    }),
  };
}

type CallingOptions = Pick<ServicesOptions, 'around' | 'outages' | 'capacity'>;

/** Calls as they fare on their way: late, unanswered, or in an outage. */
function callsOf({ around, outages, capacity }: CallingOptions) {
  const { faults, chance, timeline } = around;

  /** The timing of the call, drawn for each call. */
  function manner(): Pick<Parameters<Machine['call']>[0], 'latencyMs' | 'answerAfterMs'> {
    if (faults.strike('service-unanswering')) return { answerAfterMs: Number.POSITIVE_INFINITY };
    if (faults.strike('service-late')) return { latencyMs: chance.between(10_000, 240_000) };
    if (faults.strike('service-slow')) return { answerAfterMs: chance.between(1_000, 60_000) };
    return { latencyMs: chance.between(5, 300) };
  }

  /** A call that an outage meets. It may take effect when it hangs. */
  function unavailable(
    kind: OutageKind,
    { call, whenAwake }: Machine,
    { what, act }: ServiceCall<unknown>,
  ): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    if (kind === 'hangs') {
      if (chance.hits(0.5)) {
        call({ what, act, answerAfterMs: Number.POSITIVE_INFINITY }).catch(() => {});
      }
      return promise;
    }
    const afterMs = kind === 'fails' ? chance.between(5, 300) : unreachableAfterMs;
    const fault = new TransientFault('unavailable', 'The simulation: service-outage.');
    timeline.at(timeline.now() + afterMs, () => whenAwake(() => reject(fault)));
    return promise;
  }

  async function calling<Value>(
    agent: AgentName,
    machine: Machine,
    signal: AbortSignal,
    asked: ServiceCall<Value>,
  ): Promise<Value> {
    // Code that ignores its signal calls after the end of its attempt: no gate can know of such a call.
    const end = signal.aborted ? () => {} : capacity.begin(agent, machine);
    signal.addEventListener('abort', end, { once: true });
    const kind = outages.of(agent, asked.endpoint);
    try {
      return await (kind === null
        ? machine.call({ ...asked, ...manner() })
        : unavailable(kind, machine, asked));
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }

  return calling;
}
