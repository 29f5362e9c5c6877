/** The notifier: turns committed changes into status messages and operator alerts (R17, R18). */
import type { Change } from '#core/change.ts';
import type { Publisher } from '#ports/publisher.ts';

export interface Notifier {
  /** Rejects when anybody could not be told: the change is then delivered again. */
  onChange(change: Change): Promise<void>;
}

export function notifier(publisher: Publisher): Notifier {
  return {
    async onChange(change) {
      const told: Promise<void>[] = [];
      if (change.processState === 'Error') {
        told.push(publisher.alert({ change, remedy: `reeve resubmit ${change.orderId}` }));
      }
      if (change.replyTo !== null) told.push(publisher.respond(change.replyTo, change));
      await Promise.all(told);
    },
  };
}
