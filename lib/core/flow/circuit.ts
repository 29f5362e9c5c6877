/**
 * The circuit of one remote service: whether calls to it may be made, judged by how the latest ones ended.
 *
 *     closed --failures--> open --probeAt--> half-open --answered--> recovering --demand met--> closed
 *                            ^                   |                       |
 *                            +------ failed -----+------- failures ------+
 *
 * Every change of the state begins a new epoch. The end of a call that began in another epoch changes nothing (R27).
 */

/** The states of a circuit. */
export const circuitStates = ['closed', 'open', 'half-open', 'recovering'] as const;
/** See {@link circuitStates}. */
export type CircuitState = (typeof circuitStates)[number];

/** How the latest calls ended; each call makes the ones before it count 5 % less. */
interface Latest {
  readonly answered: number;
  readonly failed: number;
  /** An order whose call failed, and whether calls of other orders failed too. */
  readonly failing: string | null;
  readonly isOfSeveral: boolean;
  readonly at: number;
}

/** How many calls per second were answered. */
interface Rate {
  readonly perSecond: number;
  readonly from: number;
  readonly count: number;
}

interface Closed {
  readonly state: 'closed';
  readonly epoch: number;
  readonly latest: Latest;
  readonly rate: Rate;
}
/** No call is made. `since`: when a closed circuit opened. */
interface Open {
  readonly state: 'open';
  readonly epoch: number;
  readonly since: number;
  readonly probeAt: number;
  /** The probes that have failed. */
  readonly probes: number;
  readonly goodRate: number;
}
/** One call is made: the probe. */
interface HalfOpen {
  readonly state: 'half-open';
  readonly epoch: number;
  readonly since: number;
  readonly probe: string;
  readonly probes: number;
  readonly goodRate: number;
}
/** The service answers again; the rate of calls increases. */
interface Recovering {
  readonly state: 'recovering';
  readonly epoch: number;
  readonly since: number;
  readonly from: number;
  readonly admitted: number;
  readonly goodRate: number;
  readonly latest: Latest;
  readonly rate: Rate;
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
const minuteMs = 60 * secondMs;

/** The weight that the end of a call keeps when the next one ends: 20 calls count. */
const keep = 0.95;
/** The circuit opens when so many of the latest calls failed, and half of them or more. Five failures in a row suffice. */
const failuresMin = 4;
/** Older ends of calls do not count. */
const forgetAfterMs = 5 * minuteMs;
/** The first probe comes after `firstMs`, and each further one after twice the time, at most `maxMs`. */
export const probeEvery = { firstMs: secondMs, maxMs: 4 * secondMs };
/** Time over which the rate of answered calls is averaged. */
const rateOverMs = 10 * secondMs;
/** A service that was called less often than this recovers as if it had been called so often, per second. */
const goodRateMin = 10;

/**
 * The rate of calls after an outage, in parts of the good rate before it: 1 % at first, and after `ms` a little more than
 * all of it, so that what was held is worked off without a second peak. From `growAfterMs` on it doubles every `growEveryMs`.
 */
const ramp = {
  first: 0.01,
  last: 1.15,
  ms: 8 * secondMs,
  growAfterMs: 5 * minuteMs,
  growEveryMs: 5 * minuteMs,
};
const growthPerMs = Math.log(ramp.last / ramp.first) / ramp.ms;

const noCalls = (at: number): Latest => ({
  answered: 0,
  failed: 0,
  failing: null,
  isOfSeveral: false,
  at,
});

/** The circuit of a service that was not called yet. */
export function newCircuit(nowMs: number): Closed {
  return closedCircuit(0, nowMs, { perSecond: 0, from: nowMs, count: 0 });
}

function closedCircuit(epoch: number, nowMs: number, rate: Rate): Closed {
  return { state: 'closed', epoch, latest: noCalls(nowMs), rate };
}

/** The circuit after it admitted a step; null when it does not. The first step that an open circuit admits is its probe. */
export function admitted(circuit: Circuit, step: string, nowMs: number): Circuit | null {
  switch (circuit.state) {
    case 'closed':
      return circuit;
    case 'open': {
      if (nowMs < circuit.probeAt) return null;
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
export function settled(circuit: Circuit, nowMs: number): Circuit {
  if (circuit.state !== 'recovering') return circuit;
  const elapsedMs = Math.max(0, nowMs - circuit.from);
  const left = leftAfter(circuit, elapsedMs);
  // Two seconds of unused rate say that no more calls are asked for.
  return elapsedMs > ramp.ms && left > Math.max(2, 2 * perSecond(circuit, elapsedMs))
    ? closedCircuit(circuit.epoch + 1, nowMs, circuit.rate)
    : circuit;
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
      return circuit.probeAt;
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
    rate: { perSecond: goodRate, from: nowMs, count: 0 },
  };
}

const probeAfterMs = (probes: number) =>
  Math.min(probeEvery.maxMs, probeEvery.firstMs * 2 ** Math.min(probes, 10));

/** A service that fails again while it recovers has not been well in between. */
function opened(circuit: Closed | Recovering, nowMs: number): Open {
  const { since, goodRate } =
    circuit.state === 'recovering'
      ? circuit
      : { since: nowMs, goodRate: Math.max(goodRateMin, circuit.rate.perSecond) };
  const probeAt = nowMs + probeAfterMs(0);
  return { state: 'open', epoch: circuit.epoch + 1, since, probeAt, probes: 0, goodRate };
}

function latestWith(before: Latest, { isAnswered, order }: CallEnded, nowMs: number): Latest {
  const { answered, failed, failing, isOfSeveral } =
    nowMs - before.at > forgetAfterMs ? noCalls(nowMs) : before;
  if (!isAnswered) {
    return {
      answered: answered * keep,
      failed: failed * keep + 1,
      failing: failing ?? order,
      isOfSeveral: isOfSeveral || (failing !== null && failing !== order),
      at: nowMs,
    };
  }
  const isPast = failed < 1;
  return {
    answered: answered * keep + 1,
    failed: isPast ? 0 : failed * keep,
    failing: isPast ? null : failing,
    isOfSeveral: !isPast && isOfSeveral,
    at: nowMs,
  };
}

/** The calls of one order alone say nothing of the service: the order may be the cause. */
const isFailing = ({ answered, failed, isOfSeveral }: Latest) =>
  isOfSeveral && failed > failuresMin && failed >= answered;

function rateWith({ perSecond: average, from, count }: Rate, nowMs: number): Rate {
  const elapsedMs = nowMs - from;
  if (elapsedMs < secondMs) return { perSecond: average, from, count: count + 1 };
  const latest = ((count + 1) * secondMs) / elapsedMs;
  const share = average === 0 ? 1 : 1 - Math.exp(-elapsedMs / rateOverMs);
  return { perSecond: average + (latest - average) * share, from: nowMs, count: 0 };
}

/** The rate of calls of a recovering service, per second. */
function perSecond({ goodRate }: Recovering, elapsedMs: number): number {
  if (elapsedMs <= ramp.ms) return goodRate * ramp.first * Math.exp(growthPerMs * elapsedMs);
  const grown = Math.max(0, elapsedMs - ramp.growAfterMs) / ramp.growEveryMs;
  return goodRate * ramp.last * 2 ** Math.min(grown, 20);
}

/** How many more steps may be admitted at once. */
const leftAfter = (circuit: Recovering, elapsedMs: number) =>
  1 + allowance(circuit, elapsedMs) - circuit.admitted;

/** The calls that may have begun after so long: the integral of {@link perSecond}. */
function allowance({ goodRate }: Recovering, elapsedMs: number): number {
  const perMs = goodRate / secondMs;
  const rampMs = Math.min(elapsedMs, ramp.ms);
  const level = perMs * ramp.last;
  const levelMs = Math.max(0, Math.min(elapsedMs, ramp.growAfterMs) - ramp.ms);
  const grown = Math.min(Math.max(0, elapsedMs - ramp.growAfterMs) / ramp.growEveryMs, 20);
  return (
    ((perMs * ramp.first) / growthPerMs) * (Math.exp(growthPerMs * rampMs) - 1) +
    level * levelMs +
    ((level * ramp.growEveryMs) / Math.LN2) * (2 ** grown - 1)
  );
}
