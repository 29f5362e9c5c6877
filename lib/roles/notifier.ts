/** The notifier: turns committed changes into status messages and operator alerts (R17, R18). */
import type { Audience, Change } from '#core/change.ts';
import type { Publisher } from '#ports/publisher.ts';

export interface Notifier {
  /** Tells everybody whom it concerns. Rejects when one could not be told: the change is then delivered again. */
  onChange(change: Change): Promise<void>;
  /** Tells one of them. Rejects when that failed. */
  tell(audience: Audience, change: Change): Promise<void>;
}

/** @param command how operators call the command line of this Reeve */
export function notifier(publisher: Publisher, command: string): Notifier {
  // Changes of which one half was told while the other failed: a response channel that is down for
  // hours must not raise the alert of its orders again and again.
  const halfTold = new Map<string, Set<string>>();
  const alert = (change: Change) =>
    publisher.alert({ change, remedy: `${command} resubmit ${change.orderId}` });
  return {
    async onChange(change) {
      const key = `${change.orderId} ${change.sequence}`;
      const told = halfTold.get(key) ?? new Set();
      const tell = async (who: string, work: () => Promise<void>) => {
        if (told.has(who)) return;
        await work();
        told.add(who);
      };
      const { processState, replyTo } = change;
      const outcomes = await Promise.allSettled([
        processState === 'Error' && tell('operator', () => alert(change)),
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
    async tell(audience, change) {
      if (audience === 'operator') return alert(change);
      if (change.replyTo !== null) return publisher.respond(change.replyTo, change);
    },
  };
}
