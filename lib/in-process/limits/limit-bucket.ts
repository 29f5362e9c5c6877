/** The calls of one key of one limit: how many more may begin now, and when the next one may. */
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import { type Rate, rateSlots, slotLeadMaxMs } from '#core/flow/rate-slots.ts';
import type { Clock } from '#ports/clock.ts';

/**
 * See {@link limitBucket}. A step reserves room before its request is sent; the room is its until its attempt ends. The slot of
 * a rate is taken when the call begins, so that a delay on the way to its agent does not make calls begin together.
 */
export interface LimitBucket {
  /** When one more step may reserve room; null: not before a call ends. It may be past. */
  freeAt(): number | null;
  reserve(): void;
  /** The earliest instant from `from` on at which a call of a step with room may be made. */
  slotFrom(from: number): number;
  /** The call of a step with room, which is not made before `from`. */
  begin(from: number): void;
  /** A further call of an attempt that has begun, which is not made before `from`. */
  again(from: number): void;
  /** The attempt has ended, or the step does not use its room. */
  end(hasBegun: boolean): void;
  /** Whether it can be forgotten. */
  isIdle(): boolean;
}

/** How long requests are on their way to their agent: they are sent so much before their slots. */
export interface Lead {
  ms(): number;
  /** A request was sent whose call is to be complete within this, ms. */
  sent(withinMs: number): void;
  /** A request was on its way for so long. */
  measured(tookMs: number): void;
}

/** The weight of the latest request. */
const latestShare = 0.1;
/** A request may take longer than most. */
const marginMs = 5;
/**
 * The part of the shortest time of a call that may pass before its slot. Else a short call would not wait for its slot: each attempt
 * would be given back without a call, and take a slot with it.
 */
const leadPartMax = 0.5;

/** Nothing is known at first. */
export function lead(): Lead {
  let meanMs = 0;
  let shortestMs = Number.POSITIVE_INFINITY;
  return {
    ms: () => Math.min(slotLeadMaxMs, shortestMs * leadPartMax, 2 * meanMs + marginMs),
    sent(withinMs) {
      shortestMs = Math.min(shortestMs, withinMs);
    },
    measured(tookMs) {
      meanMs += (Math.max(0, tookMs) - meanMs) * latestShare;
    },
  };
}

/** How much a limit allows now: as it is defined, or as operators changed it. */
export type AmountOf = (limit: AgentLimit) => Pick<AgentLimit, 'rate' | 'atOnce'>;

/** Options of {@link limitBucket}. */
export interface LimitBucketOptions {
  readonly limit: AgentLimit;
  /** Default: as it is defined. */
  readonly amountOf?: AmountOf;
  readonly lead: Pick<Lead, 'ms'>;
  /** Room may have become free. Default: who uses it knows. */
  readonly onFree?: () => void;
  /** The begin of the process, ms since the epoch: the former one may have made calls until then. */
  readonly startedAt: number;
  readonly clock: Clock;
}

/** Makes the bucket of one key. */
export function limitBucket(options: LimitBucketOptions): LimitBucket {
  const { limit, amountOf = asDefined, onFree = () => {}, startedAt, clock } = options;
  let known = amountOf(limit);
  const slots = known.rate === null ? null : rateSlots(rateOf(known.rate), startedAt);

  function amount(): ReturnType<AmountOf> {
    const now = amountOf(limit);
    if (now.rate !== null && now.rate !== known.rate) slots?.change(rateOf(now.rate));
    known = now;
    return now;
  }

  /** The steps and calls that have room. */
  let taken = 0;
  /** Those of them whose first call has not begun. */
  let ahead = 0;
  return {
    freeAt() {
      const { atOnce } = amount();
      if (atOnce !== null && taken >= atOnce) return null;
      const nowMs = clock.now();
      return slots === null ? nowMs : slots.readyAt(ahead, nowMs) - options.lead.ms();
    },
    reserve() {
      taken += 1;
      ahead += 1;
    },
    slotFrom(from) {
      amount();
      return slots?.slotFrom(clock.now(), from) ?? from;
    },
    begin(from) {
      ahead -= 1;
      slots?.take(clock.now(), from);
    },
    again: (from) => void slots?.take(clock.now(), from),
    end(hasBegun) {
      taken -= 1;
      if (!hasBegun) ahead -= 1;
      onFree();
    },
    isIdle: () => taken === 0 && (slots?.isIdle(clock.now()) ?? true),
  };
}

const asDefined: AmountOf = (limit) => limit;

const rateOf = ({ count, per, burst }: NonNullable<AgentLimit['rate']>): Rate => ({
  count,
  perMs: per,
  burst,
});
