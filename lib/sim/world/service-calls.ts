/** Calls of services as they fare on their way: late, unanswered, or in an outage. */
import type { AgentName } from '#core/model/ids.ts';
import { TransientFault } from '#ports/agent-implementation.ts';
import type { OutageKind, ServiceOutages } from '#sim/faults/service-outage.ts';
import type { Call } from '#sim/ports/remote-call.ts';
import type { Machine } from './machine.ts';
import type { SimContext } from './sim-context.ts';

export interface ServiceCall<Value> {
  readonly endpoint: string | null;
  readonly what: string;
  readonly act: () => Value;
  /** How long a request takes while nothing fails, ms. @default {@link usualMs} */
  readonly takesMs?: TakesMs;
  /** The service is neither slow nor silent. @default it may be */
  readonly isSteady?: boolean;
}

/** The least and the most. */
export interface TakesMs {
  readonly least: number;
  readonly most: number;
}

/** How long the services of built-in orders take, ms. */
export const usualMs: TakesMs = { least: 5, most: 300 };

/** A connection to a service that does not answer is given up after this, ms. */
const unreachableAfterMs = 3_000;

export interface ServiceCallOptions {
  readonly around: SimContext;
  readonly outages: ServiceOutages;
}

type Manner = Pick<Call<unknown>, 'latencyMs' | 'answerAfterMs'>;

/** See above. */
export function serviceCalls({ around, outages }: ServiceCallOptions) {
  const { faults, chance, timeline } = around;

  /** The timing of the call, drawn for each call. */
  function manner({ least, most }: TakesMs, isSteady: boolean): Manner {
    if (isSteady) return { latencyMs: chance.between(least, most) };
    if (faults.strike('service-unanswering')) return { answerAfterMs: Number.POSITIVE_INFINITY };
    if (faults.strike('service-late')) return { latencyMs: chance.between(10_000, 240_000) };
    if (faults.strike('service-slow')) return { answerAfterMs: chance.between(1_000, 60_000) };
    return { latencyMs: chance.between(least, most) };
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

  return <Value>(agent: AgentName, machine: Machine, asked: ServiceCall<Value>): Promise<Value> => {
    const kind = outages.of(agent, asked.endpoint);
    if (kind !== null) return unavailable(kind, machine, asked);
    const { what, act, takesMs = usualMs, isSteady = false } = asked;
    return machine.call({ what, act, ...manner(takesMs, isSteady) });
  };
}
