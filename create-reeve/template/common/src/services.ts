/** Stand-ins for your services: replace them by the clients of the real ones. A key is carried out once, and never after its undo. */
import { PermanentFault } from 'reeve';

/** What the agent of the payments needs of its service. */
export interface Bank {
  charge(key: string, cents: number, signal: AbortSignal): Promise<{ id: string }>;
  refund(key: string, signal: AbortSignal): Promise<void>;
}

/** What the agent of the stock needs of its service. */
export interface Warehouse {
  reserve(key: string, article: string, signal: AbortSignal): Promise<{ shelf: string }>;
  release(key: string, signal: AbortSignal): Promise<void>;
}

export function memoryBank(): Bank {
  const charges = new Map<string, string>();
  const refunded = new Set<string>();
  return {
    async charge(key, cents) {
      if (refunded.has(key)) throw new PermanentFault('refunded', 'It was refunded.', 'none');
      if (cents > 100_000) throw new PermanentFault('declined', 'The card is declined.', 'none');
      const id = charges.get(key) ?? `charge-${charges.size + 1}`;
      charges.set(key, id);
      return { id };
    },
    async refund(key) {
      refunded.add(key);
    },
  };
}

export function memoryWarehouse(): Warehouse {
  const reserved = new Set<string>();
  const released = new Set<string>();
  return {
    async reserve(key, article) {
      if (released.has(key)) throw new PermanentFault('released', 'It was released.', 'none');
      reserved.add(key);
      return { shelf: `shelf of ${article}` };
    },
    async release(key) {
      released.add(key);
      reserved.delete(key);
    },
  };
}
