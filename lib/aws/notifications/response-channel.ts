/** Where a status message goes, by the name that `replyTo` gives; fixed at deployment. */
import { queueNames } from '#aws/queues/queue-names.ts';

export type ResponseChannel =
  /** A queue of the submitter's. */
  | { readonly kind: 'queue'; readonly url: string }
  /** The event bus, for whoever has a rule. */
  | { readonly kind: 'events' }
  /** The FIFO queue of a webhook, whose own function does the telling. */
  | { readonly kind: 'webhook'; readonly url: string };

/** How a function's environment says that a channel is events on the bus. */
export const eventsChannel = 'events';
/** How it says that a channel is a webhook; its queue follows from its name. */
export const webhookChannel = 'webhook';

/**
 * The channels as the environment has them: the URL of a queue, {@link eventsChannel} or {@link webhookChannel}.
 *
 * @param queues the address that all queues of the deployment begin with
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
