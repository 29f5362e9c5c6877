/** The calls of one agent that has limits: their room in its own limits and in those of their keys, and the slots of their rates. */
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import { slotSlackMs } from '#core/flow/rate-slots.ts';
import type { Request } from '#core/model/message.ts';
import type { Refusal } from '#ports/breaker.ts';
import type { Clock } from '#ports/clock.ts';
import { type AmountOf, type Lead, limitBucket, type Room } from './limit-bucket.ts';

/** Options of {@link limitedCalls}. */
export interface LimitedCallsOptions {
  /** Its own limits: each counts all of its calls. */
  readonly limits: readonly AgentLimit[];
  readonly lead: Lead;
  /** Default: as they are defined. */
  readonly amountOf?: AmountOf;
  readonly clock: Clock;
}

/** See {@link limitedCalls}. */
export interface LimitedCalls {
  /** When its own limits have room for one more call; null: not before a call ends. It may be past. */
  freeAt(): number | null;
  /** A step gets room in its own limits. */
  reserve(): void;
  /** The step does not use it. */
  giveBack(): void;
  /** The step with room is to be called. `keyed`: where it has room besides. */
  start(request: Request, keyed: readonly Room[]): void;
  /** The attempt begins. */
  begin(request: Request): void;
  /**
   * Before each call of an attempt that has begun. Null: it may be made; else ask again when its slot has come.
   *
   * @param completeBy a later slot is of no use
   */
  refusal(request: Request, completeBy: number): Refusal | null;
  /** The attempt has ended, or is not made. */
  end(request: Request): void;
}

interface Call {
  readonly rooms: readonly Room[];
  readonly startedAt: number;
  hasBegun: boolean;
  /** The instant of a slot that no call has used; null: there is none. */
  slot: number | null;
}

/** Slots of rates lie apart: one that all of them have is looked for so often. */
const roundsMax = 5;

/** Makes the calls of one agent. */
export function limitedCalls({ limits, ...options }: LimitedCallsOptions): LimitedCalls {
  const { lead, clock } = options;
  const startedAt = clock.now();
  const own = limits.map((limit) => limitBucket({ ...options, limit, startedAt }));
  /** Of steps that are to be called, the oldest first. */
  const reserved: (readonly Room[])[] = [];
  const calls = new Map<Request, Call>();

  let seenMs = startedAt;

  /** A clock that was set back moves the slots with it, as it does those of the rates. */
  function seen(): void {
    const nowMs = clock.now();
    for (const call of nowMs < seenMs ? calls.values() : []) {
      if (call.slot !== null) call.slot -= seenMs - nowMs;
    }
    seenMs = nowMs;
  }

  /** Takes a further slot of each rate; null when it would be later than this. */
  function next({ rooms }: Call, latest: number): number | null {
    const slot = slotIn(rooms, clock.now());
    if (slot > latest) return null;
    for (const room of rooms) room.again(slot);
    return slot;
  }

  /** Its slot, or a further one: if the process did not run for a while, the calls that wait must not begin together. */
  function slotOf(call: Call, latest: number): number | null {
    const isMissed = call.slot !== null && clock.now() - call.slot > slotSlackMs;
    return call.slot === null || isMissed ? next(call, latest) : call.slot;
  }

  return {
    freeAt() {
      let latest = Number.NEGATIVE_INFINITY;
      for (const bucket of own) {
        const at = bucket.freeAt();
        if (at === null) return null;
        latest = Math.max(latest, at);
      }
      return latest;
    },
    reserve() {
      if (own.length > 0) reserved.push(own.map((bucket) => bucket.reserve()));
    },
    giveBack() {
      for (const room of reserved.pop() ?? []) room.end();
    },
    start(request, keyed) {
      if (own.length + keyed.length === 0) return;
      const rooms = [...(reserved.shift() ?? []), ...keyed];
      for (const room of rooms) room.start();
      lead.sent(request.completeWithinMs);
      calls.set(request, { rooms, startedAt: clock.now(), hasBegun: false, slot: null });
    },
    begin(request) {
      const call = calls.get(request);
      if (call === undefined || call.hasBegun) return;
      call.hasBegun = true;
      seen();
      lead.measured(clock.now() - call.startedAt);
      call.slot = slotIn(call.rooms, clock.now());
      for (const room of call.rooms) room.begin(call.slot);
    },
    refusal(request, completeBy) {
      const call = calls.get(request);
      if (call === undefined) return null;
      seen();
      const slot = slotOf(call, completeBy);
      const waitMs = (slot ?? completeBy) - clock.now();
      const isNow = slot !== null && waitMs <= 0;
      call.slot = isNow ? null : slot;
      return isNow ? null : { gate: 'limit', retryAfterMs: Math.max(1, Math.ceil(waitMs)) };
    },
    end(request) {
      const call = calls.get(request);
      if (call === undefined) return;
      calls.delete(request);
      for (const room of call.rooms) room.end();
    },
  };
}

/** When each of them has a slot: taken earlier, calls that wait for another one would be made together. */
function slotIn(rooms: readonly Room[], nowMs: number): number {
  let slot = nowMs;
  for (let rounds = 0; rounds < roundsMax; rounds += 1) {
    const latest = rooms.reduce((from, { bucket }) => bucket.slotFrom(from), slot);
    if (latest === slot) break;
    slot = latest;
  }
  return slot;
}
