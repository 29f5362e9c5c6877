/** Delivers the changes of an embedded Reeve to the response channels and to its operators. */

import type { StatusMessage } from '#core/codec/status-message.ts';
import type { Audience, Change } from '#core/model/change.ts';
import { ReeveError } from '#core/model/errors.ts';
import { type ChangeFeed, changeFeed } from '#in-process/change-feed.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Outbox } from '#ports/outbox.ts';
import { type Alert, alertOf } from '#ports/publisher.ts';
import { plainCopy } from '#runtime/copies/json-copy.ts';

/** A response channel: resolves when the submitter has received the message. */
export type Respond = (status: StatusMessage) => Promise<void>;

/** Options of {@link deliverChanges}. */
export interface ChangeDeliveryOptions {
  readonly outbox: Outbox;
  /** By name, as in `replyTo`. */
  readonly responses: ReadonlyMap<string, Respond>;
  /** Called for every order in Error. Default: the log only. */
  readonly onAlert?: ((alert: Alert) => Promise<void>) | undefined;
  /** The command line of this Reeve, for the remedies in alerts, which wait for it. */
  readonly command: string | Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts the delivery. */
export function deliverChanges(options: ChangeDeliveryOptions): ChangeFeed {
  const { outbox, responses, onAlert, command, clock, log } = options;

  async function respond(status: StatusMessage): Promise<void> {
    const { replyTo } = status.change;
    if (replyTo === null) return;
    const channel = responses.get(replyTo);
    if (channel === undefined) {
      throw new ReeveError(
        'reply-to-unknown',
        `Response channel ${replyTo} is no longer registered. Register it: its undelivered messages are kept.`,
      );
    }
    await channel(copyOf(status));
  }
  async function announce(change: Change): Promise<void> {
    const alert = alertOf(change, await command);
    const { orderId, fault, tried, correlationId } = change;
    const fields = {
      orderId,
      correlationId,
      step: fault?.step ?? null,
      fault: fault?.code ?? null,
      attempts: tried?.attempts ?? null,
      remedy: alert.remedy,
    };
    // With `onAlert`, the log line is only additional information.
    if (onAlert === undefined) log.error('order-in-error', fields);
    else log.info('order-in-error', fields);
    await onAlert?.(plainCopy(alert));
  }
  const deliver = (audience: Audience, status: StatusMessage) =>
    audience === 'operator' ? announce(status.change) : respond(status);
  return changeFeed({ outbox, deliver, clock, log });
}

/** The change has parts of the record, and is delivered again where the channel refuses it. */
const copyOf = (status: StatusMessage): StatusMessage => ({
  change: plainCopy(status.change),
  id: status.id,
  get body() {
    return status.body;
  },
});
