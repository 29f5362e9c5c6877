/** The notifier: turns committed changes into status messages and operator alerts (R17, R18). */
import type { Change } from '#core/change.ts';
import type { Publisher } from '#ports/publisher.ts';

export interface Notifier {
  /** Rejects when anybody could not be told: the change is then delivered again. */
  onChange(change: Change): Promise<void>;
}

export function notifier(publisher: Publisher): Notifier {
  // Changes of which one half was told while the other failed: a response channel that is down for
  // hours must not raise the alert of its orders again and again.
  const halfTold = new Map<string, Set<string>>();
  return {
    async onChange(change) {
      const key = `${change.orderId} ${change.sequence}`;
      const told = halfTold.get(key) ?? new Set();
      const tell = async (who: string, work: () => Promise<void>) => {
        if (told.has(who)) return;
        await work();
        told.add(who);
      };
      const { orderId, processState, replyTo } = change;
      const outcomes = await Promise.allSettled([
        processState === 'Error' &&
          tell('operator', () => publisher.alert({ change, remedy: `reeve resubmit ${orderId}` })),
        replyTo !== null && tell('submitter', () => publisher.respond(replyTo, change)),
      ]);
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure === undefined) {
        halfTold.delete(key);
        return;
      }
      if (told.size > 0) halfTold.set(key, told);
      throw failure.reason;
    },
  };
}
