/** The roles whose changes of an order wait until it is interrupted (restart.ts). */
import type { OrderId } from '#core/model/ids.ts';
import type { Operator, OperatorOptions, OperatorOutcome } from '../operator.ts';
import type { Restart } from '../restart.ts';
import type { Scheduler } from '../scheduler.ts';

/** A Scheduler that interrupts an order of the former process before it claims it. */
export function afterRestart(restarted: Restart, of: Scheduler): Scheduler {
  return {
    onReplies: of.onReplies,
    async onNudges(nudges) {
      if (!restarted.isSettled())
        await restarted.interruptNow(nudges.map(({ orderId }) => orderId));
      return of.onNudges(nudges);
    },
  };
}

/** An operator role that interrupts an order of the former process before it changes it. */
export function operatorAfterRestart(restarted: Restart, of: Operator): Operator {
  async function change<Options extends OperatorOptions>(
    orderId: OrderId,
    options: Options | undefined,
    request: (options: Options | undefined) => Promise<OperatorOutcome>,
  ): Promise<OperatorOutcome> {
    const [written] = await restarted.interruptNow([orderId]);
    // The operator saw the revision that this interruption has replaced.
    const isAsSeen = written !== undefined && options?.ifRevision === written.revision - 1;
    return request(isAsSeen ? { ...options, ifRevision: written.revision } : options);
  }
  return {
    resubmit: (orderId, by, given) =>
      change(orderId, given, (options) => of.resubmit(orderId, by, options)),
    cancel: (orderId, by, given) =>
      change(orderId, given, (options) => of.cancel(orderId, by, options)),
    reprioritise: (orderId, by, priority, given) =>
      change(orderId, given, (options) => of.reprioritise(orderId, by, priority, options)),
  };
}
