/** The calls of one key of one limit: how many more may begin now, and when the next one may. */
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import {
  type Rate,
  type RateSlots,
  rateSlots,
  slotLeadMaxMs,
  slotSlackMs,
} from '#core/flow/rate-slots.ts';
import type { Clock } from '#ports/clock.ts';
import { callsAhead } from './calls-ahead.ts';

/**
 * See {@link limitBucket}. A step reserves room before its request is sent; the room is its until its attempt ends. The slot of
 * a rate is taken when the call begins, so that a delay on the way to its agent does not make calls begin together.
 */
export interface LimitBucket {
  /** When one more step may reserve room; null: not before a call ends. It may be past. */
  freeAt(): number | null;
  reserve(): Room;
  /** The earliest instant from `from` on at which a call of a step with room may be made. */
  slotFrom(from: number): number;
  /** Whether it can be forgotten. */
  isIdle(): boolean;
}

/** The room of one step in a limit. */
export interface Room {
  readonly bucket: LimitBucket;
  /** Whether its call would have a slot soon: calls of others may have had those since it got the room. */
  isReady(): boolean;
  /** Its request is sent, so its call begins soon. */
  start(): void;
  /** Its call, which is not made before `from`. */
  begin(from: number): void;
  /** A further call of its attempt, which is not made before `from`. */
  again(from: number): void;
  /** The attempt has ended, or the step does not use its room. */
  end(): void;
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
  const ahead = callsAhead();
  let known = amountOf(limit);
  const slots = known.rate === null ? null : rateSlots(rateOf(known.rate), startedAt);

  function amount(): ReturnType<AmountOf> {
    const now = amountOf(limit);
    if (now.rate !== null && now.rate !== known.rate) {
      slots?.change(rateOf(now.rate));
      ahead.forget();
    }
    known = now;
    return now;
  }

  /** When one more call can begin after those that are expected to begin before it. */
  function readyAt(rate: RateSlots, nowMs: number): number {
    const at = rate.readyAt(ahead.size(nowMs), nowMs) - options.lead.ms();
    if (at <= nowMs) return at;
    const passesAt = ahead.passesAt();
    if (!rate.isIdle(nowMs)) return Math.min(at, passesAt);
    // While no call is made, the slots move with the clock. Nothing is heard of steps that wait elsewhere.
    const usualAt = passesAt - slotSlackMs - options.lead.ms();
    return usualAt > nowMs ? usualAt : passesAt;
  }

  /** The steps and calls that have room. */
  let taken = 0;
  const bucket: LimitBucket = {
    freeAt() {
      const { atOnce } = amount();
      if (atOnce !== null && taken >= atOnce) return null;
      const nowMs = clock.now();
      return slots === null ? nowMs : readyAt(slots, nowMs);
    },
    reserve() {
      taken += 1;
      return roomIn(slots);
    },
    slotFrom(from) {
      amount();
      return slots?.slotFrom(clock.now(), from) ?? from;
    },
    isIdle: () => taken === 0 && (slots?.isIdle(clock.now()) ?? true),
  };

  function roomIn(rate: RateSlots | null): Room {
    const own = rate && ahead.add(rate.passesAt(ahead.size(clock.now()), clock.now()));
    const isSoon = (nowMs: number) =>
      rate === null || rate.readyAt(ahead.started(nowMs), nowMs) - options.lead.ms() <= nowMs;
    return {
      bucket,
      isReady: () => own?.isExpected(clock.now()) === true || isSoon(clock.now()),
      start() {
        const nowMs = clock.now();
        if (rate !== null) own?.start(rate.passesAt(ahead.started(nowMs), nowMs));
      },
      begin(from) {
        own?.end();
        rate?.take(clock.now(), from);
      },
      again: (from) => void rate?.take(clock.now(), from),
      end() {
        own?.end();
        taken -= 1;
        onFree();
      },
    };
  }

  return bucket;
}

const asDefined: AmountOf = (limit) => limit;

const rateOf = ({ count, per, burst }: NonNullable<AgentLimit['rate']>): Rate => ({
  count,
  perMs: per,
  burst,
});
