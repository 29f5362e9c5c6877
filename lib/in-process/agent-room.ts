/**
 * The room of the agents of one process: how many calls each begins at once. A request is sent only when its call begins
 * immediately, so that no time in a queue counts towards its deadline. Other calls wait with their orders, which are held.
 */
import type { Grant } from '#core/model/grant.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Nudge, Request } from '#core/model/message.ts';
import type { Clock } from '#ports/clock.ts';
import type { Gates } from '#ports/gates.ts';

/** Options of {@link agentRoom}. */
export interface AgentRoomOptions {
  /** The calls that an agent begins at once, by its name; an agent that is not in it has no gate. */
  readonly callsMax: ReadonlyMap<string, number>;
  /** Asks for a claim of an order that has a place now. */
  readonly nudge: (nudge: Nudge) => void;
  readonly clock: Clock;
}

/** Gates that can be closed. */
export interface AgentRoom extends Gates {
  /** Nudges no order any more. */
  close(): void;
}

/** How long a place is kept for an order that was nudged, ms: a claim takes milliseconds. */
const reservedMs = 10_000;

interface Room {
  readonly callsMax: number;
  /** The attempts that have a place. */
  readonly taken: Set<string>;
  /** Steps that have a place, until their order is claimed; each with what cancels its end. */
  readonly reserved: Map<string, () => void>;
  /** In the order in which they asked first. */
  readonly waiting: Map<string, Nudge>;
}

const stepOf = ({ orderId, step }: Request) => `${orderId} ${step}`;
const attemptOf = ({ orderId, step, attempt }: Request) => `${orderId} ${step} ${attempt}`;

/** Makes the gates of the agents of one process. */
export function agentRoom({ callsMax, nudge, clock }: AgentRoomOptions): AgentRoom {
  const rooms = new Map<string, Room>(
    [...callsMax].map(([agent, max]) => [
      agent,
      { callsMax: max, taken: new Set(), reserved: new Map(), waiting: new Map() },
    ]),
  );

  let isClosed = false;

  function ask(request: Request): Grant {
    const now = clock.now();
    const room = rooms.get(request.agent);
    if (room === undefined) return { kind: 'start', startAt: now };
    const step = stepOf(request);
    const isReserved = room.reserved.has(step);
    if (isReserved || (room.waiting.size === 0 && hasPlace(room))) {
      room.reserved.get(step)?.();
      room.reserved.delete(step);
      room.waiting.delete(step);
      room.taken.add(attemptOf(request));
      return { kind: 'start', startAt: now };
    }
    return { kind: 'hold', gate: 'room', until: now + limits.holdLookMaxMs };
  }

  /** Gives free places to those that wait, one nudge per order. */
  function fill(room: Room): void {
    if (isClosed) return;
    const nudged = new Set<OrderId>();
    for (const [step, waiting] of room.waiting) {
      if (!hasPlace(room)) return;
      room.waiting.delete(step);
      const cancel = clock.after(reservedMs, () => {
        room.reserved.delete(step);
        fill(room);
      });
      room.reserved.set(step, cancel);
      if (!nudged.has(waiting.orderId)) nudge(waiting);
      nudged.add(waiting.orderId);
    }
  }

  return {
    ask: (requests) => requests.map(ask),
    wait(requests) {
      for (const request of requests) {
        const room = rooms.get(request.agent);
        const step = stepOf(request);
        if (room === undefined || room.waiting.has(step)) continue;
        const { orderId, priority } = request;
        room.waiting.set(step, { orderId, priority });
        fill(room);
      }
    },
    release(requests) {
      const freed = requests.flatMap((request) => {
        const room = rooms.get(request.agent);
        return room?.taken.delete(attemptOf(request)) === true ? [room] : [];
      });
      for (const room of new Set(freed)) fill(room);
    },
    close() {
      isClosed = true;
      for (const { reserved } of rooms.values()) for (const cancel of reserved.values()) cancel();
    },
  };
}

const hasPlace = ({ callsMax, taken, reserved }: Room) => taken.size + reserved.size < callsMax;
