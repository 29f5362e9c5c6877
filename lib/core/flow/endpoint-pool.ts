/**
 * Chooses the endpoint of each call to a service that has several: of two drawn at random, the one whose calls take less
 * time, weighed by the calls in flight (the power of two choices, with the peak EWMA of Finagle). A failed call counts as
 * one that took its whole deadline, so that an endpoint that fails fast is not taken for a fast one (linkerd2-proxy #4537).
 *
 * An endpoint that fails is ejected for some seconds, but never more than half of the weight.
 */

import { assertThat } from '#core/model/errors.ts';
import {
  costOf,
  count,
  type Ejection,
  eject,
  isEjected,
  isFailing,
  type Member,
  newMember,
  nextEjection,
  observe,
  weightOf,
} from './endpoint-member.ts';

/** One of the addresses of a service. All of them must know the idempotency keys of each other. */
export interface Endpoint {
  /** Operators see it in logs: it must contain no secret. */
  readonly url: string;
  /** Its part of the calls, compared with the others; from 0.01 to 1,000, default 1. */
  readonly weight?: number;
}

/**
 * What the end of a call led to. `not-ejected`: the endpoint fails from now on, and is called all the same, because half of
 * the weight stays.
 */
export type EndpointVerdict =
  | { readonly kind: 'unchanged' | 'not-ejected' }
  | { readonly kind: 'ejected'; readonly ejection: Ejection };

/** A call to a chosen endpoint. Exactly one of the two must follow. */
export interface EndpointCall {
  readonly url: string;
  answered(nowMs: number): EndpointVerdict;
  /** @param deadlineMs the time that the call had */
  failed(nowMs: number, deadlineMs: number): EndpointVerdict;
}

/** `healthy`: it is called. `failing`: it fails, and is called all the same. `ejected`: it is not called for some seconds. */
export const endpointStates = ['healthy', 'failing', 'ejected'] as const;

/** An endpoint, as operators see it. */
export interface EndpointStatus {
  readonly url: string;
  readonly state: (typeof endpointStates)[number];
  readonly inFlight: number;
  /** Of its latest calls, ms, of which a failed one counts with its whole deadline; null before the first one has ended. */
  readonly latencyMs: number | null;
  /** Null unless it is ejected. */
  readonly ejection: Ejection | null;
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
  /** In the order in which they were given. */
  status(nowMs: number): readonly EndpointStatus[];
  /** Ejects what another process has ejected, as long as half of the weight stays (R26). */
  adopt(ejections: readonly Ejection[], nowMs: number): void;
}

const unchanged: EndpointVerdict = { kind: 'unchanged' };

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

  function judge(member: Member, nowMs: number): EndpointVerdict {
    const wasAtBound = member.isAtBound;
    member.isAtBound = isFailing(member) && !isEjected(member, nowMs) && !mayEject(member, nowMs);
    if (member.isAtBound) return wasAtBound ? unchanged : { kind: 'not-ejected' };
    if (!isFailing(member) || isEjected(member, nowMs)) return unchanged;
    const ejection = nextEjection(member, nowMs);
    eject(member, ejection);
    return { kind: 'ejected', ejection };
  }

  return {
    choose(nowMs, random, tried) {
      const healthy = members.filter((member) => !isEjected(member, nowMs));
      // A clock that was set back joins ejections that followed each other.
      const may = healthy.length > 0 ? healthy : members;
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
          return judge(member, endMs);
        },
        failed(endMs, deadlineMs) {
          member.inFlight.delete(began);
          observe(member, Math.max(deadlineMs, endMs - began.at), endMs);
          count(member, false);
          return judge(member, endMs);
        },
      };
    },
    isTried: (nowMs, tried) =>
      members.every((member) => isEjected(member, nowMs) || tried.has(member.url)),
    status: (nowMs) => members.map((member) => statusOf(member, nowMs)),
    adopt(ejections, nowMs) {
      for (const ejection of ejections) {
        const member = members.find(({ url }) => url === ejection.url);
        if (member === undefined || isEjected(member, nowMs)) continue;
        const isNow = isEjected({ ejectedUntil: ejection.until }, nowMs);
        if (isNow && mayEject(member, nowMs)) eject(member, ejection);
      }
    },
  };
}

function statusOf(member: Member, nowMs: number): EndpointStatus {
  const { url, inFlight, latencyMs, ejectedUntil: until, ejections } = member;
  const shared = { url, inFlight: inFlight.size, latencyMs };
  return isEjected(member, nowMs)
    ? { ...shared, state: 'ejected', ejection: { url, until, count: ejections } }
    : { ...shared, state: member.isAtBound ? 'failing' : 'healthy', ejection: null };
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
