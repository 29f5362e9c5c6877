/** A fair queue whose items are the names of their tenants, or of their classes. */
import { type FairQueue, fairQueue } from '#core/flow/fair-queue.ts';
import type { Priority } from '#core/model/record.ts';

export function names(weights: Readonly<Record<string, number>> = {}) {
  const queue: FairQueue<number, string> = fairQueue({
    weightOf: (tenant) => weights[tenant ?? ''] ?? 1,
  });
  let added = 0;
  return {
    queue,
    add(tenant: string, count = 1): void {
      for (let left = count; left > 0; left -= 1) {
        added += 1;
        queue.add(added, tenant, { priority: 'normal', tenant });
      }
    },
    addTo(priority: Priority, count: number): void {
      for (let left = count; left > 0; left -= 1) {
        added += 1;
        queue.add(added, priority, { priority });
      }
    },
    take: (count: number) =>
      Array.from({ length: count }, () => queue.take()?.item ?? 'nothing').join(' '),
  };
}

export const countOf = (text: string, name: string) =>
  text.split(' ').filter((each) => each === name).length;
