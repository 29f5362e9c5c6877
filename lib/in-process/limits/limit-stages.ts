/**
 * The limits of one agent or pool that each count a part of its calls. A step that waits passes them one after the other, the
 * narrowest first, and waits then for its agent; in each it keeps the room that it has. So no step waits for a narrow limit with
 * the room of a wide one, and steps of other keys pass it.
 */
import type { Nudge, Request } from '#core/model/message.ts';
import type { Room } from './limit-bucket.ts';
import { type LimitKeysOptions, limitKeys } from './limit-keys.ts';
import type { LimitQueue, LimitWaiter } from './limit-queue.ts';

/** `has-passed`: the step has waited, and has room now. */
export type Passage = 'passes' | 'has-passed' | 'waits';

/** See {@link limitStages}. Steps are named by the idempotency keys of their requests. */
export interface LimitStages {
  /** Whether the step of the request may be given to its agent; one that `waits` does so as soon as its record says it. */
  ask(request: Request): Passage;
  /** The agent has no slot for a step that `passes`. */
  refused(request: Request): void;
  /** The call has its slot of the agent: the room is its now. */
  start(request: Request): readonly Room[];
  /** The stored record holds the step. `goOn`: called when it has room in all limits, also when it had before. */
  hold(step: string, nudge: Nudge, goOn: (nudge: Nudge) => void): void;
  /** The room of the step is that of others. It asks for room again when its agent has a slot for it. */
  readonly yieldRoom: (step: string) => void;
  /** The step waits no more. */
  forget(step: string): void;
  /** Lets those go on that have room now: call it when a limit allows more than before. */
  fill(): void;
  /** Lets no step go on any more. */
  close(): void;
}

interface Waiter extends LimitWaiter {
  readonly queues: readonly LimitQueue[];
  /** In those before the one that it waits for. */
  readonly rooms: Room[];
  readonly goOn: (nudge: Nudge) => void;
}

/** A step that has room in all limits. */
type Passed = Pick<Waiter, 'queues' | 'rooms'>;
const none: Passed = { queues: [], rooms: [] };

/** The limit in which it has no room. */
const waitsFor = ({ queues, rooms }: Waiter) => queues[rooms.length];

/** Steps whose hold is not stored yet. One that is forgotten waits for its agent first, and is asked for once more. */
const refusedMax = 100_000;

/** Makes the stages of one agent or pool. */
export function limitStages(options: LimitKeysOptions): LimitStages {
  const refused = refusedSteps();
  const waiting = new Map<string, Waiter>();
  const passed = passedSteps();
  const keys = limitKeys(options, () => anyOf(refused.refersTo(), comesTo(waiting.values())));

  /** Goes through the limits, from the one after which it has no room. */
  function advance(waiter: Waiter): void {
    const { step, queues, rooms, goOn } = waiter;
    for (let queue = waitsFor(waiter); queue !== undefined; queue = waitsFor(waiter)) {
      if (!queue.hasRoom()) {
        queue.add(waiter);
        return;
      }
      rooms.push(queue.bucket.reserve());
    }
    waiting.delete(step);
    passed.add(step, { queues, rooms });
    goOn(waiter.nudge);
  }

  function wait(
    step: string,
    nudge: Nudge,
    { queues, goOn }: Pick<Waiter, 'queues' | 'goOn'>,
  ): void {
    const waiter: Waiter = {
      ...{ step, nudge, goOn, queues, rooms: [] },
      passes(room) {
        waiter.rooms.push(room);
        advance(waiter);
      },
    };
    waiting.set(step, waiter);
    advance(waiter);
  }

  return {
    ask(request) {
      const { idempotencyKey: step } = request;
      const rooms = passed.roomsOf(step);
      if (rooms?.every((room) => room.isReady())) return 'has-passed';
      if (waiting.has(step)) return 'waits';
      const queues = rooms === undefined ? keys.of(request) : passed.takeBack(step);
      if (rooms !== undefined || !queues.every((queue) => queue.hasRoom())) {
        refused.add(step, queues);
        return 'waits';
      }
      passed.add(step, { queues, rooms: queues.map(({ bucket }) => bucket.reserve()) });
      return 'passes';
    },
    refused: ({ idempotencyKey: step }) => refused.add(step, passed.takeBack(step)),
    start({ idempotencyKey: step }) {
      refused.take(step);
      return passed.take(step).rooms;
    },
    hold(step, nudge, goOn) {
      const waiter = waiting.get(step);
      const queues = refused.take(step);
      if (waiter !== undefined) {
        waiter.nudge = nudge;
        waitsFor(waiter)?.add(waiter);
      } else if (queues === undefined || passed.roomsOf(step) !== undefined) goOn(nudge);
      else wait(step, nudge, { queues, goOn });
    },
    forget(step) {
      const waiter = waiting.get(step);
      waiting.delete(step);
      if (waiter !== undefined) waitsFor(waiter)?.remove(step);
      for (const room of waiter?.rooms ?? []) room.end();
      refused.take(step);
      passed.takeBack(step);
    },
    ...{ yieldRoom: passed.takeBack, fill: keys.fill, close: keys.close },
  };
}

/** The steps that have room in all limits, until their calls start. */
function passedSteps() {
  const all = new Map<string, Passed>();
  function take(step: string): Passed {
    const own = all.get(step) ?? none;
    all.delete(step);
    return own;
  }
  return {
    add: (step: string, own: Passed) => void all.set(step, own),
    /** Undefined: it is none of them. */
    roomsOf: (step: string) => all.get(step)?.rooms,
    take,
    takeBack(step: string): readonly LimitQueue[] {
      const { queues, rooms } = take(step);
      for (const room of rooms) room.end();
      return queues;
    },
  };
}

/** Whether one of them waits for this key, or comes to it later: then it seems to be unused. */
function comesTo(waiting: Iterable<Waiter>): (queue: LimitQueue) => boolean {
  const used = new Set([...waiting].flatMap(({ queues }) => queues));
  return (queue) => used.has(queue);
}

const anyOf =
  (...each: readonly ((queue: LimitQueue) => boolean)[]) =>
  (queue: LimitQueue) =>
    each.some((is) => is(queue));

/** The steps that were refused, until their records say that they are held. */
function refusedSteps() {
  const all = new Map<string, readonly LimitQueue[]>();
  return {
    add(step: string, queues: readonly LimitQueue[]): void {
      const [oldest] = all.keys();
      if (all.size >= refusedMax && oldest !== undefined) all.delete(oldest);
      if (queues.length > 0) all.set(step, queues);
    },
    take(step: string): readonly LimitQueue[] | undefined {
      const queues = all.get(step);
      all.delete(step);
      return queues;
    },
    refersTo() {
      const used = new Set([...all.values()].flat());
      return (queue: LimitQueue) => used.has(queue);
    },
  };
}
