/** A correct submitter over HTTP: it repeats a submission with its key until it is accepted, or until the end of the offers. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { systemClock } from '#runtime/node/system-clock.ts';
import type { Answer } from '../../test/deploy/deployed.ts';

interface Refusal {
  readonly code: string;
  /** Null: the answer had no `Retry-After` in whole seconds. */
  readonly retryAfterMs: number | null;
}

export interface Submission {
  readonly key: string;
  readonly outcome:
    | { readonly kind: 'accepted'; readonly orderId: string; readonly afterMs: number }
    /** Nothing is stored: the last answer refused it. */
    | { readonly kind: 'refused' }
    /** It was not answered, or rejected. */
    | { readonly kind: 'failed'; readonly reason: string };
  readonly refusals: readonly Refusal[];
  /** The answers and connections that left open whether it was accepted. */
  readonly ambiguous: number;
}

const accepted = z.object({ orderId: z.string() });
const problem = z.object({ code: z.string() });

/** Of the answers 429 and 503, those after which nothing is stored (lib/http/problem.ts). */
const refusing = new Set(['overloaded', 'tenant-over-share', 'singleton-full']);
/** After an answer that leaves open whether the order was accepted. */
const repeatMs = 1_000;
/** An ambiguous submission is repeated for so long after the end of the offers. */
const ambiguousForMs = 120_000;

/**
 * @param post sends the order with this key
 * @param endMs the end of the offers, as far as it is known: a refused submission is not repeated after it
 */
export async function submitted(
  key: string,
  post: (key: string) => Promise<Answer>,
  endMs: () => number,
): Promise<Submission> {
  const from = systemClock.now();
  const refusals: Refusal[] = [];
  let ambiguous = 0;
  for (;;) {
    const answer = await post(key).catch((error: unknown) => String(error));
    const now = systemClock.now();
    const end = (outcome: Submission['outcome']) => ({ key, outcome, refusals, ambiguous });
    if (typeof answer === 'string') {
      if (now > endMs() + ambiguousForMs) return end({ kind: 'failed', reason: answer });
    } else if (answer.status === 202) {
      const { orderId } = accepted.parse(answer.body);
      return end({ kind: 'accepted', orderId, afterMs: now - from });
    } else {
      const refusal = refusalOf(answer);
      if (refusal !== null) refusals.push(refusal);
      const nextMs = now + (refusal?.retryAfterMs ?? repeatMs);
      if (refusal !== null && refusing.has(refusal.code)) {
        if (nextMs > endMs()) return end({ kind: 'refused' });
        await sleep(nextMs - now);
        continue;
      }
      const reason = `${answer.status}: ${JSON.stringify(answer.body).slice(0, 200)}`;
      const isFinal = answer.status < 500 || now > endMs() + ambiguousForMs;
      if (isFinal) return end({ kind: 'failed', reason });
    }
    ambiguous += 1;
    await sleep(repeatMs);
  }
}

/** Null: the answer is none of the front door's 429 and 503, but of API Gateway for example. */
function refusalOf({ status, headers, body }: Answer): Refusal | null {
  const { data } = problem.safeParse(body);
  if ((status !== 429 && status !== 503) || data === undefined) return null;
  const seconds = Number(headers['retry-after']);
  return { code: data.code, retryAfterMs: seconds >= 1 ? seconds * 1_000 : null };
}
