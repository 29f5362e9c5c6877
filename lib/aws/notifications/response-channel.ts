/** The destination of status messages by the name in `replyTo`; fixed at deployment. */
import { queueNames } from '#aws/queues/queue-names.ts';

export type ResponseChannel =
  /** A queue that the submitter owns. */
  | { readonly kind: 'queue'; readonly url: string }
  /** The event bus, for any rule on it. */
  | { readonly kind: 'events' }
  /** The FIFO queue of a webhook, which a function of its own delivers. */
  | { readonly kind: 'webhook'; readonly url: string };

/** The value in a function's environment for a channel of events on the bus. */
export const eventsChannel = 'events';
/** The value for a webhook; the channel's name determines its queue. */
export const webhookChannel = 'webhook';

/**
 * Reads the channels of an environment: the URL of a queue, {@link eventsChannel} or {@link webhookChannel}.
 *
 * @param queues the common prefix of all queue URLs of the deployment
 */
export function responseChannels(
  queues: string,
  written: Readonly<Record<string, string>>,
): Record<string, ResponseChannel> {
  const channel = (name: string, text: string): ResponseChannel => {
    switch (text) {
      case eventsChannel:
        return { kind: 'events' };
      case webhookChannel:
        return { kind: 'webhook', url: queueNames.webhook(queues, name) };
      default:
        return { kind: 'queue', url: text };
    }
  };
  return Object.fromEntries(
    Object.entries(written).map(([name, text]) => [name, channel(name, text)]),
  );
}
