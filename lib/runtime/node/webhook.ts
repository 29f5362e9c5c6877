/** A response channel over HTTP: each status message is a signed POST. */
import { refusedText } from '#core/codec/field-errors.ts';
import type { StatusMessage } from '#core/codec/status-message.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import { DeliveryError } from '#ports/publisher.ts';
import { retryAfterMs } from '#text/retry-after.ts';
import { webhookAddress } from './webhook-address.ts';
import { type Secrets, signatureHeaders } from './webhook-signature.ts';

/** The timeout of a receiver, ms: it should store the message, respond, and then process it. */
const answerWithinMs = 10_000;

/**
 * Statuses that concern one message: bad request, conflict, too large, unprocessable. Any other status outside 2xx
 * concerns the channel, also 404 and 410: it was moved or closed, and its undelivered messages are kept until an
 * operator configures the new address.
 */
const ofTheMessage: readonly number[] = [400, 409, 413, 422];

/** Options of {@link webhook}. */
export interface WebhookOptions {
  /** The name in `replyTo`. */
  readonly name: string;
  /** Begins with `https://`, unless it is of this machine; without a user and a password. */
  readonly url: string;
  /** Called before each message, so that secrets can be rotated while Reeve runs. */
  readonly secrets: () => Promise<Secrets>;
  /**
   * Whether a connection is kept for the next message. A process that is frozen between messages does not notice that the receiver has
   * closed it: the next message would fail, or wait for an answer in vain. @default true
   */
  readonly keepsConnections?: boolean;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

/**
 * Makes the channel: it resolves when the receiver answered 2xx, and rejects with {@link DeliveryError}.
 *
 * @throws {ReeveError} `channels-invalid` when `url` is no address for a webhook
 */
export function webhook(options: WebhookOptions): (status: StatusMessage) => Promise<void> {
  const { name, url, fetch, clock, keepsConnections = true } = options;
  const { error } = webhookAddress.safeParse(url);
  if (error !== undefined) {
    // The message does not include the address, which may contain a credential.
    throw new ReeveError('channels-invalid', `Webhook ${name}: ${refusedText(error, 'url')}.`);
  }
  return async ({ id, body }) => {
    const secrets = await options.secrets();
    const timeout = new AbortController();
    const cancel = clock.after(answerWithinMs, () => timeout.abort());
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Reeve',
          ...(!keepsConnections && { connection: 'close' }),
          ...signatureHeaders(id, clock.now(), body, secrets),
        },
        body,
        // Only the configuration decides where messages go, so redirects are not followed.
        redirect: 'manual',
        signal: timeout.signal,
      });
      // An unread body would keep the connection open.
      await response.body?.cancel();
      if (!response.ok) throw refusal(name, response, clock.now());
    } catch (cause) {
      if (cause instanceof DeliveryError) throw cause;
      // The message does not include the cause, which contains the address and thus perhaps a credential.
      const why = timeout.signal.aborted
        ? `did not answer within ${answerWithinMs / 1_000} s`
        : 'could not be reached';
      throw new DeliveryError(
        'webhook-unreachable',
        `Webhook ${name} ${why}. The message will be retried.`,
        {
          of: 'channel',
          cause,
        },
      );
    } finally {
      cancel();
    }
  };
}

function refusal(name: string, { status, headers }: Response, nowMs: number): DeliveryError {
  return new DeliveryError(
    'webhook-refused',
    `Webhook ${name} answered ${status}. The message will be retried until it answers 2xx.`,
    {
      of: ofTheMessage.includes(status) ? 'message' : 'channel',
      retryAfterMs: retryAfterMs(headers.get('retry-after'), nowMs),
    },
  );
}
