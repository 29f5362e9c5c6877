/**
 * The slots of the calls that one instance of an agent makes. A request has the slot of its first call, in which the call
 * begins. A request that comes too late for it, and each further call of an attempt, leases a slot of its own, so that the rate
 * holds for all calls that the service receives.
 */
import { errorKind } from '#core/model/errors.ts';
import type { LimitSlot, Request } from '#core/model/message.ts';
import type { Admission, Breaker, Refusal } from '#ports/breaker.ts';
import type { LimitItems } from '#ports/limit-items.ts';
import type { Log } from '#ports/log.ts';
import type { QueueClock } from '../queue-clock.ts';
import { leaseCommonSlot, type WantOf } from './common-slot.ts';
import { isRoom } from './counted-limits.ts';
import { arrivalMs } from './rate-item.ts';
import { rateLeases } from './rate-leases.ts';
import type { Slot } from './spare-slots.ts';

/** Options of {@link slottedBreaker}. */
export interface SlottedBreakerOptions {
  readonly breaker: Breaker;
  readonly items: LimitItems;
  readonly queueClock: Pick<QueueClock, 'now' | 'isKnown'>;
  readonly log: Log;
}

/** A slot of a further call is at most so far ahead, ms; a later one is not in time for most attempts. */
const horizonMs = 2_000;
/** No slot is leased so far ahead, ms: by the clock of this instance or of the one that leased it, it is. One of them is wrong. */
const aheadMaxMs = 10_000;
/** An attempt that gets no slot is given back for so long at least, ms. */
const retryAfterMs = 1_000;

/** The slot of the next call of a request; null: it has none. */
type NextSlot = Slot | null;

/** Makes the breaker of an instance of an agent, whose calls may have limits. */
export function slottedBreaker(options: SlottedBreakerOptions): Breaker {
  const { breaker, items, queueClock, log } = options;
  const rates = rateLeases(items, queueClock);
  const slots = new Map<Request, NextSlot>();

  /** Takes the slot whose time has come. */
  function callNow(
    request: Request,
    { startAt }: Slot,
    completeBy: number,
  ): Admission | Promise<Admission> {
    const waitMs = startAt - queueClock.now();
    if (waitMs > aheadMaxMs) return giveBack(request);
    if (waitMs > 0) return refusal(waitMs);
    slots.set(request, null);
    return breaker.admit(request, completeBy);
  }

  async function leased(request: Request): Promise<Refusal> {
    try {
      const wants = wantsOf(request.slots ?? []);
      const slot = await leaseCommonSlot(rates, wants, queueClock.now());
      if (slot.kind === 'refused') return giveBack(request);
      slots.set(request, slot);
      return refusal(slot.startAt - queueClock.now());
    } catch (error) {
      log.warn('limits-unknown', { error: errorKind(error) });
      return refusal(retryAfterMs);
    }
  }

  /** Later than the end of the attempt: it is not asked for again. */
  const giveBack = ({ completeBy, completeWithinMs }: Request): Refusal =>
    refusal(Math.max(completeWithinMs, completeBy - queueClock.now()));

  return {
    ...breaker,
    admit(request, completeBy = request.completeBy) {
      // An open circuit makes no call: the attempt ends by it, and not by its limit, without a further slot.
      const needsSlot = request.slots?.some((slot) => !isRoom(slot)) ?? false;
      if (!needsSlot || breaker.state() === 'open') return breaker.admit(request, completeBy);
      const { startAt = 0, startBy = Number.POSITIVE_INFINITY } = request;
      const isLoose = startBy - startAt >= arrivalMs && startAt <= queueClock.now();
      if (!queueClock.isKnown() && !isLoose) return giveBack(request);
      const slot = slots.has(request) ? (slots.get(request) ?? null) : { startAt, startBy };
      const isMissed = slot === null || queueClock.now() > slot.startBy;
      return isMissed ? leased(request) : callNow(request, slot, completeBy);
    },
    end(request) {
      slots.delete(request);
      breaker.end(request);
    },
  };
}

/** What is wanted of each of the rates of a call. */
const wantsOf = (slots: readonly LimitSlot[]): readonly WantOf[] =>
  slots.flatMap(({ name, everyMs, burst = 1 }) => {
    if (everyMs === undefined) return [];
    const rate = { name, everyMs, burst, mayBeFormer: true };
    return [
      (from: number, by: number) => ({ rate, from, by, horizonMs, isBusy: true, isBehind: false }),
    ];
  });

const refusal = (waitMs: number): Refusal => ({
  gate: 'limit',
  retryAfterMs: Math.max(1, Math.ceil(waitMs)),
});
