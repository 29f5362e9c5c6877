/**
 * How long replies wait in the queue of their agent before a Scheduler takes them. A call that is past its complete-by may have been
 * answered in time, by a reply that still waits there: then it is no failure yet. So deadline checks and sweeps leave such a call for as
 * long as replies wait.
 */

/** What a Scheduler noted of the replies of one agent. */
export interface ReplyDelay {
  /** From the sending of the replies of a batch to the batch, ms; their mean. */
  readonly ms: number;
  /** When the batch came, ms since the epoch. */
  readonly at: number;
}

/** A shorter delay is not noted, ms: a deadline check comes later than that by itself. */
const notedFromMs = 500;
/** The same delay is noted again after this, ms. */
const notedEveryMs = 2_000;
/** So much longer than the noted delay is noted at once; and a reply may wait for so much longer, because the delay grows. */
const growth = 2;
/** For how long a note counts, ms, besides the delay itself: if no batch comes for so long, no Scheduler knows how long replies wait. */
const countsForMs = 10_000;

/**
 * A longer delay is taken for this one, ms: it is that of an outage, of which sweeps know what it delayed (R20). So a late call waits for
 * ten minutes at most.
 */
const delayMaxMs = 5 * 60_000;

/** A call that is late for longer than this is not left alone, ms. */
export const leftAloneMaxMs = growth * delayMaxMs;

/** Whether a Scheduler should note this delay. `noted`: its own last note; null: none. */
export function isWorthNoting({ ms, at }: ReplyDelay, noted: ReplyDelay | null): boolean {
  if (ms < notedFromMs) return false;
  if (noted === null || ms >= growth * noted.ms) return true;
  const sinceMs = at - noted.at;
  return sinceMs < 0 || sinceMs >= notedEveryMs;
}

/** Whether a reply that was sent before complete-by may still wait. A note in the future comes from a wrong clock, and says nothing. */
export function mayReplyWait(delay: ReplyDelay, completeBy: number, nowMs: number): boolean {
  const ageMs = nowMs - delay.at;
  const ms = Math.min(delay.ms, delayMaxMs);
  return ageMs >= -notedEveryMs && ageMs <= countsForMs + ms && nowMs - completeBy <= growth * ms;
}
