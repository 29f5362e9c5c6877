/** The remote services of a deployment under load: healthy; one of them takes long. */
import type { OrderId } from '#core/model/ids.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { orderIdOf, type ServiceOutput, type Services } from '#sim/world/sim-services.ts';
import { bottleneck, type LoadSetting } from './load-setting.ts';

export interface LoadServices extends Pick<Services, 'of'> {
  /** How long the calls of an order have taken, ms. */
  servedMs(orderId: OrderId): number;
  /** The calls of the service that takes long, which have ended. */
  ended(): number;
  /** When calls of that service began, ms since the epoch. */
  readonly begins: readonly number[];
}

/** The calls of the other services, ms. */
const quickMs = { least: 5, most: 30 };

export function loadServices(
  { callMs, variation }: LoadSetting,
  { chance, timeline }: Pick<SimContext, 'chance' | 'timeline'>,
): LoadServices {
  const served = new Map<OrderId, number>();
  const slowMs = { least: callMs * (1 - variation), most: callMs * (1 + variation) };
  let ended = 0;
  const begins: number[] = [];
  return {
    servedMs: (orderId) => served.get(orderId) ?? 0,
    ended: () => ended,
    begins,
    of(agent) {
      const isSlow = agent === bottleneck;
      const { least, most } = isSlow ? slowMs : quickMs;
      return {
        async perform(machine, key): Promise<ServiceOutput> {
          const latencyMs = chance.between(least, most);
          if (isSlow) begins.push(timeline.now());
          await machine.call({ what: 'perform', latencyMs, act() {} });
          if (isSlow) ended += 1;
          const orderId = orderIdOf(key);
          served.set(orderId, (served.get(orderId) ?? 0) + latencyMs);
          return { of: agent, units: 1, key };
        },
        async undo() {},
      };
    },
  };
}
