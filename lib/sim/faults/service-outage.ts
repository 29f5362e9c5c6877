/** Remote services that are unavailable for minutes to hours; several may be so at once. */
import type { AgentName } from '#core/model/ids.ts';
import type { SimContext } from '#sim/world/sim-context.ts';

/**
 * `fails`: each call fails at once. `unreachable`: each call fails after some seconds. `hangs`: no call is answered, and some
 * take effect.
 */
export const outageKinds = ['fails', 'unreachable', 'hangs'] as const;
export type OutageKind = (typeof outageKinds)[number];

export interface ServiceOutages {
  /** @param endpoint null: all endpoints of the service */
  begin(agent: AgentName, endpoint: string | null, kind: OutageKind, ms: number): void;
  /**
   * How the service is unavailable now; null: it is available.
   *
   * @param endpoint the one that is called. Default: all of them
   */
  of(agent: AgentName, endpoint?: string | null): OutageKind | null;
  /** The end of its latest outage, which may be in the future; 0: it had none. */
  endOf(agent: AgentName): number;
}

interface Outage {
  readonly endpoint: string | null;
  readonly kind: OutageKind;
  readonly until: number;
}

export function serviceOutages({ timeline, trace }: SimContext): ServiceOutages {
  const outages = new Map<AgentName, Outage>();
  return {
    begin(agent, endpoint, kind, ms) {
      const where = endpoint === null ? '' : ` at ${endpoint}`;
      trace.record(`the service of ${agent}${where} ${kind} for ${ms} ms`);
      outages.set(agent, { endpoint, kind, until: timeline.now() + ms });
    },
    of(agent, endpoint = null) {
      const outage = outages.get(agent);
      if (outage === undefined || outage.until <= timeline.now()) return null;
      return outage.endpoint === null || outage.endpoint === endpoint ? outage.kind : null;
    },
    endOf: (agent) => outages.get(agent)?.until ?? 0,
  };
}

const minuteMs = 60_000;

/** The duration of an outage, ms. Most last for minutes, because an hour takes as many events as many worlds. */
export function outageOfServiceMs({ chance }: SimContext): number {
  if (chance.hits(0.02)) return chance.between(60, 180) * minuteMs;
  if (chance.hits(0.15)) return chance.between(5, 30) * minuteMs;
  return chance.between(30_000, 5 * minuteMs);
}
