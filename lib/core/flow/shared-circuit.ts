/**
 * The part of a circuit that the instances of a deployment share. Each instance has a circuit of its own (circuit.ts), with
 * the calls that it made itself. It stores this part when the state changes, on condition that no other instance has
 * stored one since, and adopts what another one stored. A circuit that never opened is not stored.
 */
import { type Circuit, newCircuit, probeEvery, rateAfter } from './circuit.ts';
import type { GoodRate } from './release-ramp.ts';

interface Shared {
  /** Increases with each stored change, independently of the epochs of the instances. */
  readonly epoch: number;
  /** When the circuit opened, ms since the epoch. */
  readonly since: number;
  /** The calls per second that one instance made before: the one whose calls opened the circuit. */
  readonly goodRate: GoodRate;
}

/** A circuit as it is stored; instants are ms since the epoch. */
export type SharedCircuit =
  | (Shared & { readonly state: 'open'; readonly probeAt: number; readonly probes: number })
  | (Shared & {
      readonly state: 'half-open';
      readonly probe: string;
      readonly probes: number;
      /** The instance that makes the probe: a request may be delivered to several. */
      readonly by: string;
      /** A probe whose end is not stored by then is given up: its instance may have stopped. */
      readonly probeUntil: number;
    })
  | (Shared & { readonly state: 'recovering'; readonly from: number });

/** Who makes the probe of a half-open circuit, and when it can no longer be in flight, ms since the epoch. */
export interface Prober {
  readonly by: string;
  readonly probeUntil: number;
}

/** The part of a circuit to store; null for a closed one, which needs no write, because a recovery ends by itself. */
export function sharedOf(circuit: Circuit, epoch: number, prober: Prober): SharedCircuit | null {
  switch (circuit.state) {
    case 'closed':
      return null;
    case 'open': {
      const { state, since, goodRate, probeAt, probes } = circuit;
      return { state, epoch, since, goodRate, probeAt, probes };
    }
    case 'half-open': {
      const { state, since, goodRate, probe, probes } = circuit;
      return { state, epoch, since, goodRate, probe, probes, ...prober };
    }
    case 'recovering': {
      const { state, since, goodRate, from } = circuit;
      return { state, epoch, since, goodRate, from };
    }
  }
}

/** A recovery of which nothing was stored for so long is over, ms: its rate has grown more than thirtyfold. */
const recoveryMaxMs = 30 * 60_000;

/** Whether the service has been called without an outage for so long that its stored circuit says nothing any more. */
export function isOver(shared: SharedCircuit, nowMs: number): boolean {
  return shared.state === 'recovering' && nowMs - shared.from > recoveryMaxMs;
}

/** Whether the circuit was closed before: a probe that fails, or ends without a call, opens it again. */
export function hasJustOpened(shared: SharedCircuit): boolean {
  if (shared.state !== 'open' || shared.probes > 0) return false;
  return shared.probeAt - shared.since <= probeEvery.firstMs;
}

/** Whether the stored probe was given up, so that another step may be the probe. */
export function isGivenUp(shared: SharedCircuit, nowMs: number): boolean {
  return shared.state === 'half-open' && nowMs > shared.probeUntil;
}

/** The circuit of an instance after it has read a change that another one stored. Calls in flight no longer count. */
export function adopted(own: Circuit, shared: SharedCircuit, nowMs: number): Circuit {
  const epoch = own.epoch + 1;
  const { since, goodRate } = shared;
  switch (shared.state) {
    case 'open': {
      const { state, probeAt, probes } = shared;
      return { state, epoch, since, probeAt, probes, goodRate };
    }
    case 'half-open': {
      const { state, probe, probes, probeUntil } = shared;
      return isGivenUp(shared, nowMs)
        ? { state: 'open', epoch, since, probeAt: probeUntil, probes, goodRate }
        : { state, epoch, since, probe, probes, goodRate };
    }
    case 'recovering': {
      const fresh = newCircuit(nowMs);
      if (isOver(shared, nowMs)) return { ...fresh, epoch };
      const { latest } = fresh;
      const rate = rateAfter(goodRate, nowMs);
      const { state, from } = shared;
      return { state, epoch, since, from, admitted: 0, goodRate, latest, rate };
    }
  }
}
