/**
 * The state store is unavailable for a while, for writes or for all calls, while the machines run. Orders become
 * writable one by one, as partitions recover independently.
 */
import { UnavailableError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { SimContext } from '#sim/world/sim-context.ts';

export interface StoreOutage {
  begin(ms: number, of: 'writes' | 'everything'): void;
  /** Whether some order may be unavailable now. */
  isOn(): boolean;
  /** @throws {UnavailableError} while reads are unavailable */
  checkRead(): void;
  /** @throws {UnavailableError} while writes to this order are unavailable */
  checkWrite(orderId: OrderId): void;
}

/** The last order becomes writable this long after the first, ms. */
const recoveryMs = 120_000;

export function storeOutage({ timeline, chance, trace }: SimContext): StoreOutage {
  const backAt = new Map<OrderId, number>();
  let until = 0;
  let readsToo = false;

  function writableAt(orderId: OrderId): number {
    const at = backAt.get(orderId) ?? until + chance.between(0, recoveryMs);
    backAt.set(orderId, at);
    return at;
  }

  return {
    begin(ms, of) {
      trace.record(`the store is away for ${of}, for ${ms} ms`);
      until = timeline.now() + ms;
      readsToo = of === 'everything';
    },
    isOn: () => until > 0 && timeline.now() < until + recoveryMs,
    checkRead() {
      if (readsToo && timeline.now() < until) throw away();
    },
    checkWrite(orderId) {
      if (until > 0 && timeline.now() < writableAt(orderId)) throw away();
    },
  };
}

const away = () => new UnavailableError('store-unavailable', 'The simulation: store-outage.');
