/**
 * Chooses the endpoint of each call to a service that has several: of two drawn at random, the one whose calls take less
 * time, weighed by the calls in flight (the power of two choices, with the peak EWMA of Finagle). A failed call counts as
 * one that took its whole deadline, so that an endpoint that fails fast is not taken for a fast one (linkerd2-proxy #4537).
 *
 * An endpoint that fails is ejected for some seconds, but never more than half of the weight.
 */

import { assertThat } from '#core/model/errors.ts';

/** One of the addresses of a service. All of them must know the idempotency keys of each other. */
export interface Endpoint {
  readonly url: string;
  /** Its part of the calls, compared with the others; from 0.01 to 1,000, default 1. */
  readonly weight?: number;
}

/** A call to a chosen endpoint. Exactly one of the two must follow. */
export interface EndpointCall {
  readonly url: string;
  answered(nowMs: number): void;
  /** @param deadlineMs the time that the call had */
  failed(nowMs: number, deadlineMs: number): void;
}

/** How an endpoint is, for operators. */
export interface EndpointState {
  readonly url: string;
  readonly inFlight: number;
  /** Of its latest calls, ms; null before the first one ended. */
  readonly latencyMs: number | null;
  /** Until when it is not called, ms since the epoch; null when it may be called. */
  readonly ejectedUntil: number | null;
}

/** See {@link endpointPool}. */
export interface EndpointPool {
  /**
   * @param random from 0 to 1, 1 excluded
   * @param tried the endpoints that have failed in this attempt: chosen again only when no other one may be called
   */
  choose(nowMs: number, random: () => number, tried: ReadonlySet<string>): EndpointCall;
  /** Whether all endpoints that may be called are among these. */
  isTried(nowMs: number, tried: ReadonlySet<string>): boolean;
  states(nowMs: number): readonly EndpointState[];
  /** Whether an endpoint that fails is called all the same, because half of the weight has to stay. */
  isAtBound(nowMs: number): boolean;
}

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
const ejectionMaxMs = 60_000;
/** After so long without an ejection, the next one is the first again, ms. */
const ejectionsForgottenMs = 5 * 60_000;
/** An endpoint that returns gets this part of its calls, and all of them after `slowStartMs`. */
const slowStartPart = 0.1;
const slowStartMs = 10_000;

interface Member {
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
  wasRefused: boolean;
}

/** @param endpoints one or more, each with an address of its own */
export function endpointPool(endpoints: readonly Endpoint[]): EndpointPool {
  const total = endpoints.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const members = endpoints.map(({ url, weight = 1 }) =>
    newMember(url, (weight * endpoints.length) / total),
  );

  /** Never more than half of the weight is ejected (R26). */
  function mayEject(member: Member, nowMs: number): boolean {
    const ejected = members.filter((other) => other !== member && isEjected(other, nowMs));
    const weight = ejected.reduce((sum, other) => sum + other.weight, member.weight);
    return weight <= members.length / 2;
  }

  function judge(member: Member, nowMs: number): void {
    if (!isFailing(member) || isEjected(member, nowMs)) return;
    member.wasRefused = !mayEject(member, nowMs);
    if (member.wasRefused) return;
    eject(member, nowMs);
  }

  return {
    choose(nowMs, random, tried) {
      const may = members.filter((member) => !isEjected(member, nowMs));
      const untried = may.filter(({ url }) => !tried.has(url));
      const member = betterOfTwo(untried.length > 0 ? untried : may, nowMs, random);
      const began = { at: nowMs };
      member.inFlight.add(began);
      return {
        url: member.url,
        answered(endMs) {
          member.inFlight.delete(began);
          observe(member, Math.max(0, endMs - began.at), endMs);
          count(member, true);
          judge(member, endMs);
        },
        failed(endMs, deadlineMs) {
          member.inFlight.delete(began);
          observe(member, Math.max(deadlineMs, endMs - began.at), endMs);
          count(member, false);
          judge(member, endMs);
        },
      };
    },
    isTried: (nowMs, tried) =>
      members.every((member) => isEjected(member, nowMs) || tried.has(member.url)),
    states: (nowMs) =>
      members.map((member) => ({
        url: member.url,
        inFlight: member.inFlight.size,
        latencyMs: member.latencyMs,
        ejectedUntil: isEjected(member, nowMs) ? member.ejectedUntil : null,
      })),
    isAtBound: (nowMs) =>
      members.some((member) => member.wasRefused && isFailing(member) && !isEjected(member, nowMs)),
  };
}

function newMember(url: string, weight: number): Member {
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
    wasRefused: false,
  };
}

/** A clock that was set back does not make an ejection longer. */
const isEjected = ({ ejectedUntil }: Member, nowMs: number) =>
  nowMs < ejectedUntil && ejectedUntil - nowMs <= ejectionMaxMs;

const isFailing = ({ failuresInRow, calls, answered, failed }: Member) =>
  failuresInRow >= failuresInRowMax || (calls >= judgedCalls && failed > answered);

function eject(member: Member, nowMs: number): void {
  const isForgotten = nowMs - member.ejectedUntil > ejectionsForgottenMs;
  member.ejections = isForgotten ? 1 : member.ejections + 1;
  member.ejectedUntil = nowMs + Math.min(ejectionMaxMs, ejectionMs * member.ejections);
  // When it returns, it is judged by its calls from then on.
  Object.assign(member, { failuresInRow: 0, calls: 0, answered: 0, failed: 0 });
}

/** A higher latency counts at once, a lower one only in part. */
function observe(member: Member, latencyMs: number, nowMs: number): void {
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

function count(member: Member, isAnswered: boolean): void {
  member.failuresInRow = isAnswered ? 0 : member.failuresInRow + 1;
  member.calls += 1;
  member.answered = member.answered * keep + (isAnswered ? 1 : 0);
  member.failed = member.failed * keep + (isAnswered ? 0 : 1);
}

/** The part of its weight that an endpoint has: less for a while after it returned. */
function weightOf({ weight, ejectedUntil }: Member, nowMs: number): number {
  const backMs = nowMs - ejectedUntil;
  if (backMs < 0 || backMs >= slowStartMs) return weight;
  return weight * (slowStartPart + (1 - slowStartPart) * (backMs / slowStartMs));
}

function costOf(member: Member, nowMs: number): number {
  const [oldest] = member.inFlight;
  const ageMs = oldest === undefined ? 0 : nowMs - oldest.at;
  const busy = member.inFlight.size / weightOf(member, nowMs) + 1;
  return Math.max(latencyOf(member, nowMs), ageMs) * busy;
}

function betterOfTwo(from: readonly Member[], nowMs: number, random: () => number): Member {
  const first = drawn(from, nowMs, random);
  const others = from.filter((member) => member !== first);
  if (others.length === 0) return first;
  const second = drawn(others, nowMs, random);
  return costOf(second, nowMs) < costOf(first, nowMs) ? second : first;
}

/** Each with a probability by its weight. */
function drawn(from: readonly Member[], nowMs: number, random: () => number): Member {
  const sum = from.reduce((all, member) => all + weightOf(member, nowMs), 0);
  let left = random() * sum;
  for (const member of from) {
    left -= weightOf(member, nowMs);
    if (left < 0) return member;
  }
  const last = from.at(-1);
  assertThat(last !== undefined, 'half of the endpoints may be called');
  return last;
}
