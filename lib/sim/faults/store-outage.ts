/**
 * The state store is away for a while, for writes or for everything, while the machines are not; and it
 * comes back piece by piece, as one whose partitions recover by themselves.
 */
import { UnavailableError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { SimContext } from '#sim/world/sim-context.ts';

export interface StoreOutage {
  begin(ms: number, of: 'writes' | 'everything'): void;
  /** @throws {UnavailableError} while the store is away for it */
  checkRead(): void;
  /** @throws {UnavailableError} while the store is away for it, or for this order */
  checkWrite(orderId: OrderId): void;
}

/** The last order can be written so much later than the first, ms. */
const comingBackMs = 120_000;

export function storeOutage({ timeline, chance, trace }: SimContext): StoreOutage {
  const backAt = new Map<OrderId, number>();
  let until = 0;
  let readsToo = false;

  function writableAt(orderId: OrderId): number {
    const at = backAt.get(orderId) ?? until + chance.between(0, comingBackMs);
    backAt.set(orderId, at);
    return at;
  }

  return {
    begin(ms, of) {
      trace.record(`the store is away for ${of}, for ${ms} ms`);
      until = timeline.now() + ms;
      readsToo = of === 'everything';
    },
    checkRead() {
      if (readsToo && timeline.now() < until) throw away();
    },
    checkWrite(orderId) {
      if (until > 0 && timeline.now() < writableAt(orderId)) throw away();
    },
  };
}

const away = () => new UnavailableError('store-unavailable', 'The simulation: store-outage.');
