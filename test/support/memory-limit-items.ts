import type { LimitItems } from '#ports/limit-items.ts';
import type { LimitTable } from '#sim/ports/sim-limit-items.ts';

/** Items in memory, which answer at once. */
export function memoryItems(table: LimitTable): LimitItems {
  return {
    advance: async (name, change) => table.advance(name, change),
    occupy: async (name, change) => table.occupy(name, change),
    extend: async (name, holder, extension) => table.extend(name, holder, extension),
  };
}
