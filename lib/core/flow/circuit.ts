/**
 * The circuit of one remote service: whether calls to it may be made, judged by how the latest ones ended.
 *
 *     closed --failures--> open --probeAt--> half-open --answered--> recovering --demand met--> closed
 *                            ^                   |                       |
 *                            +------ failed -----+------- failures ------+
 *
 * A new process begins with `closed`, or, where its circuit was open in the former process, with `open` and a probe that is due.
 *
 * Every change of the state begins a new epoch. The end of a call that began in another epoch changes nothing (R27).
 */

import {
  type CallRate,
  isFailing,
  isKnownRate,
  type LatestCalls,
  latestWith,
  noCalls,
  noRate,
  rateFrom,
  rateWith,
} from './recent-calls.ts';
import { type GoodRate, leftAfter, perSecond, rampMs } from './release-ramp.ts';

/** The states of a circuit. */
export const circuitStates = ['closed', 'open', 'half-open', 'recovering'] as const;
/** See {@link circuitStates}. */
export type CircuitState = (typeof circuitStates)[number];

interface Closed {
  readonly state: 'closed';
  readonly epoch: number;
  readonly latest: LatestCalls;
  readonly rate: CallRate;
}
/** No call is made. `since`: when a closed circuit opened. */
interface Open {
  readonly state: 'open';
  readonly epoch: number;
  readonly since: number;
  readonly probeAt: number;
  /** The probes that have failed. */
  readonly probes: number;
  readonly goodRate: GoodRate;
}
/** One call is made: the probe. */
interface HalfOpen {
  readonly state: 'half-open';
  readonly epoch: number;
  readonly since: number;
  readonly probe: string;
  readonly probes: number;
  readonly goodRate: GoodRate;
}
/** The service answers again; the rate of calls increases. */
interface Recovering {
  readonly state: 'recovering';
  readonly epoch: number;
  readonly since: number;
  readonly from: number;
  readonly admitted: number;
  readonly goodRate: GoodRate;
  readonly latest: LatestCalls;
  readonly rate: CallRate;
}
/** Instants are ms since the epoch. */
export type Circuit = Closed | Open | HalfOpen | Recovering;

/** A call that ended. */
export interface CallEnded {
  /** The epoch in which it began. */
  readonly epoch: number;
  /** The step that called, as in {@link admitted}. */
  readonly step: string;
  readonly order: string;
  /** The service answered, possibly with a permanent fault. */
  readonly isAnswered: boolean;
}

const secondMs = 1_000;
/** The first probe comes after `firstMs`, and each further one after twice the time, at most `maxMs`. */
export const probeEvery = { firstMs: 1_000, maxMs: 4_000 };
/** A service that was called less often than this recovers as if it had been called so often, per second. */
const goodRateMin = 10;

/** The circuit of a service that was not called yet. */
export function newCircuit(nowMs: number): Closed {
  return closedCircuit(0, nowMs, noRate);
}

function closedCircuit(epoch: number, nowMs: number, rate: CallRate): Closed {
  return { state: 'closed', epoch, latest: noCalls(nowMs), rate };
}

/** The circuit of a new process, where it was open in the former one: the next step is the probe. */
export function inherited({ epoch, rate }: Closed, since: number, nowMs: number): Open {
  return {
    state: 'open',
    epoch: epoch + 1,
    since: Math.min(since, nowMs),
    probeAt: nowMs,
    probes: 0,
    goodRate: goodRateOf(rate),
  };
}

/** A correct clock sets no instant so far ahead: the clock was set back since, so the instant has come. */
const comes = (at: number, nowMs: number) => (at - nowMs > probeEvery.maxMs ? nowMs : at);

/** The circuit after it admitted a step; null when it does not. The first step that an open circuit admits is its probe. */
export function admitted(circuit: Circuit, step: string, nowMs: number): Circuit | null {
  switch (circuit.state) {
    case 'closed':
      return circuit;
    case 'open': {
      if (nowMs < comes(circuit.probeAt, nowMs)) return null;
      const { epoch, since, probes, goodRate } = circuit;
      return { state: 'half-open', epoch: epoch + 1, since, probe: step, probes, goodRate };
    }
    case 'half-open':
      return null;
    case 'recovering': {
      const now = settled(circuit, nowMs);
      if (now.state !== 'recovering') return now;
      const left = leftAfter(now, Math.max(0, nowMs - now.from));
      return left >= 1 ? { ...now, admitted: now.admitted + 1 } : null;
    }
  }
}

/** A recovering circuit is closed once fewer calls are asked for than it admits. */
export function settled(known: Circuit, nowMs: number): Circuit {
  if (known.state !== 'recovering') return known;
  const from = comes(known.from, nowMs);
  const circuit = from === known.from ? known : { ...known, from, admitted: 0 };
  const elapsedMs = Math.max(0, nowMs - circuit.from);
  const left = leftAfter(circuit, elapsedMs);
  // Two seconds of unused rate say that no more calls are asked for.
  if (elapsedMs <= rampMs || left <= Math.max(2, 2 * perSecond(circuit, elapsedMs))) return circuit;
  // Calls that the ramp bounded do not make an unknown rate known.
  const rate = circuit.goodRate.isKnown ? circuit.rate : noRate;
  return closedCircuit(circuit.epoch + 1, nowMs, rate);
}

/** Whether a step that was admitted may call now, for the first time or again. */
export function mayCall(circuit: Circuit, step: string): boolean {
  switch (circuit.state) {
    case 'closed':
    case 'recovering':
      return true;
    case 'half-open':
      return circuit.probe === step;
    case 'open':
      return false;
  }
}

/** The earliest instant at which a step can be admitted; null while that depends on the end of the probe. */
export function admitsAt(circuit: Circuit, nowMs: number): number | null {
  switch (circuit.state) {
    case 'closed':
      return nowMs;
    case 'open':
      return comes(circuit.probeAt, nowMs);
    case 'half-open':
      return null;
    case 'recovering': {
      const elapsedMs = Math.max(0, nowMs - circuit.from);
      if (leftAfter(circuit, elapsedMs) >= 1) return nowMs;
      // The rate increases, so this is early rather than late, and asked for again.
      return nowMs + Math.ceil(Math.min(secondMs, secondMs / perSecond(circuit, elapsedMs)));
    }
  }
}

/** The circuit after the end of a call. */
export function afterCall(circuit: Circuit, call: CallEnded, nowMs: number): Circuit {
  if (call.epoch !== circuit.epoch) return circuit;
  switch (circuit.state) {
    case 'open':
      return circuit;
    case 'half-open':
      return call.step === circuit.probe ? afterProbe(circuit, call.isAnswered, nowMs) : circuit;
    case 'closed':
    case 'recovering': {
      const latest = latestWith(circuit.latest, call, nowMs);
      const rate = call.isAnswered ? rateWith(circuit.rate, nowMs) : circuit.rate;
      const next = { ...circuit, latest, rate };
      return isFailing(latest) ? opened(next, nowMs) : next;
    }
  }
}

/** The circuit after an admitted step ended without a call: another step can be the probe. */
export function afterNoCall(circuit: Circuit, step: string, nowMs: number): Circuit {
  if (circuit.state !== 'half-open' || circuit.probe !== step) return circuit;
  const { epoch, since, probes, goodRate } = circuit;
  return { state: 'open', epoch: epoch + 1, since, probeAt: nowMs, probes, goodRate };
}

/** The circuit after an admitted step was not sent: what it had of the ramp is that of others. */
export const afterUnsent = (circuit: Circuit, step: string, nowMs: number): Circuit =>
  circuit.state === 'recovering'
    ? { ...circuit, admitted: Math.max(0, circuit.admitted - 1) }
    : afterNoCall(circuit, step, nowMs);

function afterProbe(circuit: HalfOpen, isAnswered: boolean, nowMs: number): Circuit {
  const { since, goodRate } = circuit;
  const epoch = circuit.epoch + 1;
  if (!isAnswered) {
    const probes = circuit.probes + 1;
    return { state: 'open', epoch, since, probeAt: nowMs + probeAfterMs(probes), probes, goodRate };
  }
  return {
    state: 'recovering',
    epoch,
    since,
    from: nowMs,
    admitted: 0,
    goodRate,
    latest: noCalls(nowMs),
    rate: rateAfter(goodRate, nowMs),
  };
}

/** The rate of calls at the begin of a recovery. */
export const rateAfter = ({ isKnown, perSecond: before }: GoodRate, nowMs: number): CallRate =>
  isKnown ? rateFrom(before, nowMs) : noRate;

const probeAfterMs = (probes: number) =>
  Math.min(probeEvery.maxMs, probeEvery.firstMs * 2 ** Math.min(probes, 10));

const goodRateOf = (rate: CallRate): GoodRate => ({
  perSecond: Math.max(goodRateMin, rate.perSecond),
  isKnown: isKnownRate(rate),
});

/** A service that fails again while it recovers has not been well in between. */
function opened(circuit: Closed | Recovering, nowMs: number): Open {
  const { since, goodRate } =
    circuit.state === 'recovering' ? circuit : { since: nowMs, goodRate: goodRateOf(circuit.rate) };
  const probeAt = nowMs + probeAfterMs(0);
  return { state: 'open', epoch: circuit.epoch + 1, since, probeAt, probes: 0, goodRate };
}
