/** The ports of a simulated machine except its store: channels, publisher, log, ids, breaker, digest. */

import { notificationCodec } from '#core/codec/messages/change-codec.ts';
import type { MessageCodec } from '#core/codec/messages/message-codec.ts';
import type { Notification } from '#core/model/change.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { type OrderId, orderId, writeId } from '#core/model/ids.ts';
import type { Channel } from '#ports/channels.ts';
import type { Log } from '#ports/log.ts';
import type { Publication, Publisher } from '#ports/publisher.ts';
import type { Ids } from '#ports/random.ts';
import { delaySeconds } from '#roles/delays.ts';
import type { Machine } from './machine.ts';
import type {
  SentQueue,
  SharedByFunctions,
  SharedInfrastructure,
} from './shared-infrastructure.ts';
import type { SimContext } from './sim-context.ts';

export function channelOf<Message>(
  { around, rules }: Pick<SharedByFunctions, 'around' | 'rules'>,
  machine: Machine,
  codec: MessageCodec<Message>,
  queueFor: (message: Message) => SentQueue,
  onSend: (messages: readonly Message[], machine: Machine) => void,
  onUnsent: (messages: readonly Message[]) => void = () => {},
  atOf: (message: Message) => number | undefined = () => undefined,
): Channel<Message> {
  return {
    async send(messages) {
      if (!machine.isAlive()) return;
      onSend(messages, machine);
      const put = (some: readonly Message[]) => {
        for (const message of some) {
          const seconds = delaySeconds(atOf(message), machine.clock.now());
          queueFor(message).put([codec.encode(message)], seconds);
        }
      };
      const part = messages.slice(0, Math.floor(messages.length / 2));
      try {
        await machine.call({
          what: `send ${messages.length} to ${messages[0] && queueFor(messages[0]).name}`,
          refusal: 'queue-throttled',
          ...(messages.length > 1 ? { actInPart: () => put(part) } : {}),
          act() {
            if (messages.length > 1 && around.faults.strike('batch-partly-sent')) {
              put(part);
              throw new UnavailableError('messages-unsent', 'The simulation: batch-partly-sent.');
            }
            put(messages);
          },
        });
      } catch (error) {
        rules.unsent(machine);
        onUnsent(messages);
        throw error;
      }
    },
  };
}

/** The notifier's retry queue, which loses nothing; only sending to it may fail. */
export function retriesOf(
  { queues, alerts }: SharedInfrastructure,
  machine: Machine,
): Channel<Notification> {
  return {
    async send(notifications) {
      const changes = notifications.flatMap(({ audience, change }) =>
        audience === 'operator' ? [change] : [],
      );
      await machine.call({
        what: `keep ${notifications.length} notifications`,
        refusal: 'retry-queue-throttled',
        act() {
          queues.retries.putSafely(notifications.map(notificationCodec.encode));
          for (const change of changes) alerts.store(change);
        },
      });
      for (const change of changes) alerts.storedIsKnown(change);
    },
  };
}

/**
 * One notification per call, in sequence for each order and audience, as in
 * lib/aws/notifications/sequenced-batches.ts.
 */
export function publisherOf(shared: SharedInfrastructure, machine: Machine): Publisher {
  return {
    async publish(notifications) {
      const results: Publication[] = notifications.map(() => ({ kind: 'delivered' }));
      const sequences = Map.groupBy(
        notifications.entries(),
        ([, { audience, change }]) => `${audience} ${change.orderId}`,
      );
      await Promise.all(
        [...sequences.values()].map(async (own) => {
          let failure: Publication | null = null;
          for (const [place, notification] of own) {
            failure ??= await publishOne(shared, machine, notification);
            if (failure !== null) results[place] = failure;
          }
        }),
      );
      return results;
    },
  };
}

/** Null when delivery succeeded. */
async function publishOne(
  { responses, alerts }: SharedInfrastructure,
  machine: Machine,
  { audience, change }: Notification,
): Promise<Publication | null> {
  const { orderId: id, sequence } = change;
  const { tried: _, ...notified } = change;
  try {
    if (audience === 'submitter') {
      await machine.call({
        what: `notify the submitter ${id} ${sequence}`,
        refusal: 'submitter-deaf',
        act: () => void responses.push(notified),
      });
      return null;
    }
    await machine.call({
      what: `alert the operator ${id} ${sequence}`,
      refusal: 'operator-deaf',
      act: () => alerts.deliver(notified),
    });
    alerts.arrivalIsKnown(notified, machine);
    return null;
  } catch (error) {
    return { kind: 'failed', error };
  }
}

export function logOf({ name }: Machine, { trace }: SimContext): Log {
  const record = (event: string, fields: Readonly<Record<string, unknown>>) =>
    trace.record(`${name} says ${event} ${Object.values(fields).join(' ')}`);
  return { info() {}, warn: record, error: record };
}

export function idsOf({ name }: Machine): Ids {
  let count = 0;
  const next = (): string => {
    count += 1;
    return `${name}-${count}`;
  };
  return {
    orderId: (): OrderId => orderId(`o-${next().replaceAll('.', '-')}`),
    writeId: () => writeId(next()),
  };
}

/** Distinguishes submissions; simulations have no secrets. */
export function digest(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9dc5811c];
  for (let at = 0; at < text.length; at += 1) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193);
    other = Math.imul(other ^ text.charCodeAt(at), 0x85ebca6b);
  }
  const words = [one, other, one ^ other, one + other, one - other];
  return words.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
