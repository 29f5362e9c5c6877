/**
 * The circuit of one agent as one instance knows it. What another instance stored is adopted when it is read; errors of the
 * store are logged, because the stored circuit is advisory (R26), and the instance goes on with what it knows.
 */
import { type Circuit, newCircuit } from '#core/flow/circuit.ts';
import {
  adopted,
  isGivenUp,
  isOver,
  type SharedCircuit,
  sharedOf,
} from '#core/flow/shared-circuit.ts';
import { errorKind } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Circuits } from '#ports/health/circuits.ts';
import type { Log } from '#ports/log.ts';
import { isOlder } from './read-age.ts';

/** Options of {@link circuitCopy}. */
export interface CircuitCopyOptions {
  readonly agent: string;
  /** Names this instance among all of the agent. */
  readonly instance: string;
  readonly circuits: Circuits;
  readonly clock: Clock;
  readonly log: Log;
}

/** See {@link circuitCopy}. */
export interface CircuitCopy {
  current(): Circuit;
  /** The calls of this instance changed its circuit. */
  change(next: Circuit): void;
  /** What is stored is adopted anew, also when it has not changed: what this instance believes is wrong. */
  doubt(): void;
  /** Whether what is known may have changed: it is read at most once per second. */
  isStale(): boolean;
  /** Reads the stored circuit. Never rejects. */
  read(): Promise<void>;
  /**
   * Stores the state that this instance has changed; false when it has changed none, when another instance stored a change before, which is adopted, or when the
   * store gives no answer. Never rejects.
   *
   * @param probeUntil when the probe of a half-open circuit can no longer be in flight, ms since the epoch
   */
  store(probeUntil?: number): Promise<boolean>;
}

/** The stored circuit is read at most so often, ms. */
const readEveryMs = 1_000;

/** A closed circuit, before anything was read. */
export function circuitCopy(options: CircuitCopyOptions): CircuitCopy {
  const { agent, instance, circuits, clock, log } = options;
  let circuit: Circuit = newCircuit(clock.now());
  /** The epoch of the stored circuit that this instance knows; 0: it knows none. */
  let known = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  /** Until when the probe of that epoch of this instance may end, ms since the epoch. */
  let probe = { epoch: -1, until: 0 };
  /** Whether this instance has changed the state since it read or stored it. */
  let isUnsaved = false;

  async function unlessUnavailable<Value>(work: Promise<Value>): Promise<Value | null> {
    try {
      return await work;
    } catch (error) {
      log.warn('circuit-unavailable', { agent, error: errorKind(error) });
      return null;
    }
  }

  function adopt(shared: SharedCircuit): void {
    const nowMs = clock.now();
    const isNews = shared.epoch > known && !(isOver(shared, nowMs) && circuit.state === 'closed');
    if (isNews || (circuit.state === 'half-open' && isGivenUp(shared, nowMs))) {
      circuit = adopted(circuit, shared, nowMs);
      isUnsaved = false;
    }
    known = Math.max(known, shared.epoch);
  }

  async function store(until?: number): Promise<boolean> {
    const own = circuit;
    if (until !== undefined) probe = { epoch: own.epoch, until };
    // A write that was asked for before stores the probe as well: without its end, others would probe, too (R27).
    const probeUntil = probe.epoch === own.epoch ? probe.until : 0;
    const shared = sharedOf(own, known + 1, { by: instance, probeUntil });
    if (shared === null || !isUnsaved) return false;
    const isStored = await unlessUnavailable(circuits.store(agent, shared, known));
    if (isStored === null) return false;
    if (isStored) {
      known = shared.epoch;
      if (circuit.epoch === own.epoch) isUnsaved = false;
      return true;
    }
    const other = await unlessUnavailable(circuits.read(agent));
    if (other === null) return false;
    if (isOwn(other, shared)) {
      known = other.epoch;
      if (circuit.epoch === own.epoch) isUnsaved = false;
      return true;
    }
    // The other outage was long ago: this one begins after it.
    const isLater = circuit.state === 'open' && isOver(other, clock.now());
    if (!isLater) {
      adopt(other);
      return false;
    }
    known = Math.max(known, other.epoch);
    return store(until);
  }

  return {
    current: () => circuit,
    change(next) {
      isUnsaved ||= next.state !== circuit.state;
      circuit = next;
    },
    doubt() {
      if (circuit.state === 'closed' || circuit.state === 'recovering') known = 0;
    },
    isStale: () => isOlder(readAt, readEveryMs, clock.now()),
    async read() {
      readAt = clock.now();
      const shared = await unlessUnavailable(circuits.read(agent));
      if (shared !== null) adopt(shared);
    },
    store,
  };
}

/**
 * The write took effect, and its answer was lost. Without a probe, equal circuits of two instances are one. An earlier
 * attempt of the step had another deadline: its probe is not the present one.
 */
function isOwn(stored: SharedCircuit, own: SharedCircuit): boolean {
  if (stored.epoch !== own.epoch || stored.state !== own.state) return false;
  if (stored.state !== 'half-open' || own.state !== 'half-open') return true;
  const isSameProbe = stored.probe === own.probe && stored.probeUntil === own.probeUntil;
  return stored.by === own.by && isSameProbe;
}
