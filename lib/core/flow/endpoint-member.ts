/** One endpoint of a service, as the calls to it show it. */

/** Time over which a latency is forgotten, ms: so an endpoint that was slow is tried again. */
const forgetOverMs = 10_000;
/** So many failures in a row eject an endpoint. */
const failuresInRowMax = 3;
/** Of so many calls, half have to be answered. */
const judgedCalls = 20;
/** The weight that the end of a call keeps when the next one ends. */
const keep = 1 - 1 / judgedCalls;
/** The first ejection, and what each further one adds, ms. */
const ejectionMs = 5_000;
/** The longest ejection, ms: a later end comes from a wrong clock. */
export const ejectionMaxMs = 60_000;
/** After so long without an ejection, the next one is the first again, ms. */
const ejectionsForgottenMs = 5 * 60_000;
/** An endpoint that returns gets this part of its calls, and all of them after `slowStartMs`. */
const slowStartPart = 0.1;
const slowStartMs = 10_000;

/** For how long an endpoint is not called. */
export interface Ejection {
  readonly url: string;
  /** ms since the epoch. */
  readonly until: number;
  /** From 1: how many ejections of the endpoint followed each other. */
  readonly count: number;
}

/** See {@link newMember}. */
export interface Member {
  readonly url: string;
  /** With a mean of 1 over the pool. */
  readonly weight: number;
  /** The instants at which the calls in flight began, the oldest first. */
  readonly inFlight: Set<{ readonly at: number }>;
  latencyMs: number | null;
  latencyAt: number;
  failuresInRow: number;
  calls: number;
  answered: number;
  failed: number;
  ejections: number;
  ejectedUntil: number;
  /** It fails, and may not be ejected. */
  isAtBound: boolean;
}

/** An endpoint that was never called. */
export function newMember(url: string, weight: number): Member {
  return {
    url,
    weight,
    inFlight: new Set(),
    latencyMs: null,
    latencyAt: 0,
    failuresInRow: 0,
    calls: 0,
    answered: 0,
    failed: 0,
    ejections: 0,
    ejectedUntil: Number.NEGATIVE_INFINITY,
    isAtBound: false,
  };
}

/** A clock that was set back does not make an ejection longer. */
export const isEjected = ({ ejectedUntil }: Pick<Member, 'ejectedUntil'>, nowMs: number) =>
  nowMs < ejectedUntil && ejectedUntil - nowMs <= ejectionMaxMs;

/** Whether its latest calls say that it does not answer. */
export const isFailing = ({ failuresInRow, calls, answered, failed }: Member) =>
  failuresInRow >= failuresInRowMax || (calls >= judgedCalls && failed > answered);

/** The next ejection of this endpoint, if it begins now. */
export function nextEjection({ url, ejections, ejectedUntil }: Member, nowMs: number): Ejection {
  const count = nowMs - ejectedUntil > ejectionsForgottenMs ? 1 : ejections + 1;
  return { url, count, until: nowMs + Math.min(ejectionMaxMs, ejectionMs * count) };
}

/** Begins an ejection. */
export function eject(member: Member, { until, count }: Ejection): void {
  member.ejections = count;
  member.ejectedUntil = until;
  // When it returns, it is judged by its calls from then on.
  Object.assign(member, { failuresInRow: 0, calls: 0, answered: 0, failed: 0, isAtBound: false });
}

/** A higher latency counts at once, a lower one only in part. */
export function observe(member: Member, latencyMs: number, nowMs: number): void {
  const before = latencyOf(member, nowMs);
  if (member.latencyMs === null || latencyMs >= before) {
    member.latencyMs = latencyMs;
  } else {
    member.latencyMs = latencyMs + (member.latencyMs - latencyMs) * keptOf(member, nowMs);
  }
  member.latencyAt = nowMs;
}

const latencyOf = (member: Member, nowMs: number) =>
  (member.latencyMs ?? 0) * keptOf(member, nowMs);

/** The part of a latency that still counts: nothing of one in the future, because the clock was set back. */
const keptOf = ({ latencyAt }: Member, nowMs: number) =>
  nowMs < latencyAt ? 0 : Math.exp((latencyAt - nowMs) / forgetOverMs);

/** Counts the end of a call. */
export function count(member: Member, isAnswered: boolean): void {
  member.failuresInRow = isAnswered ? 0 : member.failuresInRow + 1;
  member.calls += 1;
  member.answered = member.answered * keep + (isAnswered ? 1 : 0);
  member.failed = member.failed * keep + (isAnswered ? 0 : 1);
}

/** The part of its weight that an endpoint has: less for a while after it returned. */
export function weightOf({ weight, ejectedUntil }: Member, nowMs: number): number {
  const backMs = nowMs - ejectedUntil;
  if (backMs < 0 || backMs >= slowStartMs) return weight;
  return weight * (slowStartPart + (1 - slowStartPart) * (backMs / slowStartMs));
}

/** What one more call would cost here, compared with others: the time of its calls by those in flight. */
export function costOf(member: Member, nowMs: number): number {
  const [oldest] = member.inFlight;
  const ageMs = oldest === undefined ? 0 : nowMs - oldest.at;
  const busy = member.inFlight.size / weightOf(member, nowMs) + 1;
  return Math.max(latencyOf(member, nowMs), ageMs) * busy;
}
