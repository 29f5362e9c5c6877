/** The ports of one process, whose check of shares knows which steps have their slots, and are about to begin. */
import type { ShareChecker } from '#checkers/process/share-checker.ts';
import type { SlotChecker } from '#checkers/process/slot-checker.ts';
import { RefusedError } from '#core/model/errors.ts';
import type { Channels } from '#ports/channels.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { Scheduler } from '#roles/scheduler.ts';

/**
 * The store, of which the check knows each write while it is on its way.
 *
 * @param onDue called before each read of the due index
 */
export const watchedStore = (
  store: StateStore,
  { sent }: Pick<ShareChecker, 'sent'>,
  { refused }: Pick<SlotChecker, 'refused'>,
  onDue: () => void,
): StateStore => ({
  ...store,
  due(query) {
    onDue();
    return store.due(query);
  },
  async commit(record, replaced) {
    const answered = sent(record);
    try {
      return await store.commit(record, replaced);
    } catch (error) {
      if (error instanceof RefusedError) refused(record.orderId);
      throw error;
    } finally {
      answered();
    }
  },
});

/** The channels, of which the check knows each nudge that is sent. */
export const watchedNudges = (
  { nudges, requests }: Channels,
  { nudged }: Pick<ShareChecker, 'nudged'>,
): Channels => ({
  requests,
  nudges: {
    send(messages) {
      nudged(messages.map(({ orderId }) => orderId));
      return nudges.send(messages);
    },
  },
});

/** The handler of nudges, of which the check knows each nudge that was handled. */
export const watchedHandler =
  (
    onNudges: Scheduler['onNudges'],
    { handled }: Pick<ShareChecker, 'handled'>,
  ): Scheduler['onNudges'] =>
  async (nudges) => {
    const answers = await onNudges(nudges);
    for (const [at, { orderId }] of nudges.entries()) {
      if (answers[at]?.kind !== 'retry') handled(orderId);
    }
    return answers;
  };
