/** A response channel that is told by HTTP: each status message a signed POST. */
import type { StatusMessage } from '#core/codec/status-message.ts';
import type { Clock } from '#ports/clock.ts';
import { DeliveryError } from '#ports/publisher.ts';
import { type Secrets, signatureHeaders } from './webhook-signature.ts';

/** How long a receiver may take, ms: it should keep the message, answer, and then work on it. */
const answerWithinMs = 10_000;

/**
 * Answers that are about this one message, which another may not get: bad request, conflict, too large,
 * unprocessable. Any other that is no 2xx is about the channel, 404 and 410 too: it was moved or closed,
 * and what it is owed is kept until somebody says where it is now.
 */
const ofTheMessage: readonly number[] = [400, 409, 413, 422];

export interface WebhookOptions {
  /** As `replyTo` names it. */
  readonly name: string;
  readonly url: string;
  /** Asked before each message, so that they can be replaced while Reeve runs. */
  readonly secrets: () => Promise<Secrets>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

/** Resolves when the receiver answered 2xx; rejects with {@link DeliveryError}. */
export function webhook(options: WebhookOptions): (status: StatusMessage) => Promise<void> {
  const { name, url, fetch, clock } = options;
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
          ...signatureHeaders(id, clock.now(), body, secrets),
        },
        body,
        // Where a message goes is decided by who set the channel up, and not by who answers there.
        redirect: 'manual',
        signal: timeout.signal,
      });
      // Nobody reads it, and unread it would hold the connection.
      await response.body?.cancel();
      if (!response.ok) throw refusal(name, response, clock.now());
    } catch (cause) {
      if (cause instanceof DeliveryError) throw cause;
      // The cause names the address, which may hold what should not be in a log.
      const why = timeout.signal.aborted
        ? `did not answer within ${answerWithinMs / 1_000} s`
        : 'could not be reached';
      throw new DeliveryError('webhook-unreachable', `Webhook ${name} ${why}. It is tried again.`, {
        of: 'channel',
        cause,
      });
    } finally {
      cancel();
    }
  };
}

function refusal(name: string, { status, headers }: Response, nowMs: number): DeliveryError {
  return new DeliveryError(
    'webhook-refused',
    `Webhook ${name} answered ${status}. It is tried again until it answers 2xx.`,
    {
      of: ofTheMessage.includes(status) ? 'message' : 'channel',
      retryAfterMs: retryAfterMs(headers.get('retry-after'), nowMs),
    },
  );
}

/** Seconds, or a date (RFC 9110); null when it says neither. */
function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
