/**
 * Sends a request again that Reeve has refused for now: not before its `Retry-After`, with full jitter, and a limited
 * number of times. Only requests are sent again that were not carried out, or whose repetition changes nothing.
 */
import type { CliEnvironment } from '#cli/environment.ts';
import { codeOf } from '#cli/output/error-document.ts';
import { clearLine } from '#cli/output/terminal.ts';
import { plainText } from '#text/plain-text.ts';
import { durationText } from '#text/relative-time.ts';
import { hasNoEffect, retryAfterMs, spreadMs } from '#text/retry-after.ts';

/** A refused request and its answer. */
export interface RefusedRequest {
  readonly status: number;
  /** The header. */
  readonly retryAfter: string | null;
  readonly json: unknown;
  /** Whether the request has a key, or the revision that it changes. */
  readonly isRepeatable: boolean;
}

/** Waits before the next try. */
export interface Patience {
  /** Call it before a request: while a refused one waits, a further one would take its turn. */
  ready(): Promise<void>;
  /** False: the request is not sent again. @param tries how often it was sent */
  wait(refused: RefusedRequest, tries: number): Promise<boolean>;
}

/** A request is sent at most so often. Each `Retry-After` is honest, so more tries would hardly help. */
const triesMax = 10;
const waits = { firstMs: 500, maxMs: 20_000 };
/** Notices of requests that wait at the same time come as one, ms. */
const noticeEveryMs = 5_000;
/** How often a further request looks whether all of them were sent, ms. */
const lookEveryMs = 100;

/** Waits, and says so on standard error. */
export function patience(
  environment: Pick<CliEnvironment, 'now' | 'random' | 'sleep' | 'stderr' | 'terminal'>,
): Patience {
  const { now, random, sleep, stderr, terminal } = environment;
  let silentUntil = 0;
  /** The requests that wait for their next try, and the latest of those instants. */
  let waiting = 0;
  let readyAt = 0;
  return {
    async ready() {
      while (waiting > 0) await sleep(Math.max(lookEveryMs, readyAt - now()));
    },
    async wait(refused, tries) {
      if (tries >= triesMax || !isForNow(refused)) return false;
      const least = retryAfterMs(refused.retryAfter, now());
      const ms = waitMs(least, tries, random());
      if (now() >= silentUntil) {
        const why = plainText(codeOf(refused.json) ?? `status ${refused.status}`);
        // A progress bar may be on the line.
        const start = terminal() === null ? '' : clearLine;
        stderr(`${start}Refused for now (${why}): the next try is in ${durationText(ms)}.\n`);
        silentUntil = now() + noticeEveryMs;
      }
      readyAt = Math.max(readyAt, now() + ms);
      waiting += 1;
      await sleep(ms);
      waiting -= 1;
      return true;
    },
  };
}

/** Whether it is sent again. Of a request that may have had an effect, another failure than a 503 with its time is for the user to see at once. */
export function isForNow({ status, retryAfter, json, isRepeatable }: RefusedRequest): boolean {
  if (hasNoEffect({ status, code: codeOf(json) })) return true;
  return isRepeatable && status === 503 && retryAfter !== null;
}

function waitMs(leastMs: number | null, tries: number, random: number): number {
  const fromMs = leastMs ?? 0;
  return Math.round(fromMs + spreadMs(fromMs, tries - 1, waits) * random);
}
