/** The limits of agents, for one of several instances of the Scheduler. */
import { amountNow } from '#core/definition/agent-settings.ts';
import type { CallLimits } from '#core/definition/registry.ts';
import { errorFields, errorKind } from '#core/model/errors.ts';
import type { Hold } from '#core/model/hold.ts';
import { limits as bounds } from '#core/model/limits.ts';
import type { Reply, Request } from '#core/model/message.ts';
import { type ProcessRecord, underWay } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import type { GateAnswer, KnownSettings } from '#ports/gates.ts';
import type { LimitItems } from '#ports/limit-items.ts';
import type { Log } from '#ports/log.ts';
import type { Random } from '#ports/random.ts';
import type { QueueClock } from '../queue-clock.ts';
import { callSlots, leaveAll, type Refused } from './call-slots.ts';
import { countedLimits, holderName, isRoom, queueOfRoom } from './counted-limits.ts';
import { limitQueues } from './limit-queues.ts';
import { rateLeases } from './rate-leases.ts';
import { type RoomLeases, roomLeases } from './room-leases.ts';

/** Options of {@link sharedLimits}. */
export interface SharedLimitsOptions {
  /** By the names of agents. */
  readonly limits: ReadonlyMap<string, CallLimits>;
  /** What operators changed of them. Default: nothing. */
  readonly settings?: Pick<KnownSettings, 'current'>;
  readonly items: LimitItems;
  readonly clock: Pick<Clock, 'now'>;
  readonly queueClock: Pick<QueueClock, 'now' | 'aheadMs' | 'latest'>;
  readonly random: Random;
  /** Of the instance, unique. */
  readonly instance: string;
  readonly log: Log;
}

/** See {@link sharedLimits}. */
export interface SharedLimits {
  /**
   * What the request is sent with, or why its step waits; null: it has no limits. Never rejects.
   *
   * @param isNext the step has waited, and may be before others that wait
   */
  ask(request: Request, isNext: boolean): Promise<GateAnswer> | null;
  /** A request with slots is not sent. */
  release(request: Request): void;
  /** The replies of an agent end its attempts. */
  replied(replies: readonly Reply[]): void;
  /**
   * Heartbeats extend them. Gives the replies for which the store gave no answer. Never rejects.
   *
   * @param records of the orders, after the replies were applied
   */
  extended(
    replies: readonly Reply[],
    records: readonly ProcessRecord[],
  ): Promise<ReadonlySet<Reply>>;
  /** How many calls may begin after these replies, at most; undefined: their calls counted in no limit. */
  startable(replies: readonly Reply[]): number | undefined;
  /** Whether no step of the queue can have room now. */
  isClosed(queue: string): boolean;
  /** No step waits for the agent. */
  nothingWaits(agent: string): void;
  /** Resolves when the room of ended calls is free for others. Await it before the instance may be suspended. Never rejects. */
  settled(): Promise<void>;
}

/** A store that gives no answer is asked again after this, ms. */
const retryMs = 1_000;

/** Makes the limits of one instance. */
export function sharedLimits(options: SharedLimitsOptions): SharedLimits {
  const { limits, items, clock, queueClock, random, log } = options;
  const rates = rateLeases(items, queueClock);
  const rooms = roomLeases({ items, clock: queueClock, random });
  const queues = limitQueues(queueClock);
  let leases = 0;
  function newHolder(): string {
    leases += 1;
    return holderName(options.instance, leases);
  }
  const failed = failure(log);

  function holdOf(agent: string, { queue, why }: Refused): Hold {
    const at = queues.refused(agent, queue, why) + queueClock.aheadMs();
    const latest = clock.now() + bounds.holdLookMaxMs;
    return { gate: 'limit', queue, until: Math.ceil(Math.min(at, latest)) };
  }

  async function asked(request: Request, own: CallLimits, isNext: boolean): Promise<GateAnswer> {
    const { agent } = request;
    const counted = countedLimits(own, request, {
      onKeyFailure: ({ name }, error) =>
        log.error('limit-key-failed', { agent, limit: name, ...errorFields(error) }),
      amountOf: (limit) =>
        options.settings === undefined ? limit : amountNow(limit, options.settings.current()),
    });
    if (counted.length === 0) return null;
    const closed = counted.find(({ queue }) => queues.isClosed(queue));
    if (closed !== undefined) {
      const freeAt = queues.freeAt(closed.queue);
      return holdOf(agent, { queue: closed.queue, why: { kind: 'full', freeAt, askAt: freeAt } });
    }
    try {
      const slots = await callSlots(
        { rates, rooms, queues, time: queueClock, newHolder },
        request,
        counted,
        isNext,
      );
      return 'why' in slots ? holdOf(agent, slots) : slots;
    } catch (error) {
      failed(error);
      return { gate: 'limit', until: clock.now() + retryMs };
    }
  }

  return {
    ask(request, isNext) {
      const own = limits.get(request.agent);
      return own === undefined ? null : asked(request, own, isNext);
    },
    release(request) {
      const { slots = [], startAt, startBy } = request;
      leaveAll(rooms, slots);
      if (startAt === undefined || startBy === undefined) return;
      for (const slot of slots) if (!isRoom(slot)) rates.giveBack(slot.name, { startAt, startBy });
    },
    replied(replies) {
      for (const reply of replies) {
        const { slots, result } = reply;
        if (slots === undefined || result.kind === 'heartbeat') continue;
        leaveAll(rooms, slots);
        for (const slot of slots.filter(isRoom)) queues.open(queueOfRoom(slot));
      }
    },
    extended: (replies, records) => extendAll({ rooms, time: queueClock, log }, replies, records),
    startable(replies) {
      if (replies.every(({ slots }) => slots === undefined)) return undefined;
      // Where a rate is well used, a call for each one that ended keeps it so, and more would be refused.
      const isEnough = ({ slots = [] }: Reply) =>
        slots.some((slot) => !isRoom(slot) && rates.isWellUsed(slot.name));
      return replies.reduce((sum, reply) => sum + (isEnough(reply) ? 1 : 2), 0);
    },
    isClosed: queues.isClosed,
    nothingWaits: queues.nothingWaits,
    settled: () => rooms.settle().catch(failed),
  };
}

const failure = (log: Log) => (error: unknown) =>
  log.warn('limits-unknown', { error: errorKind(error) });

interface ExtendPorts {
  readonly rooms: Pick<RoomLeases, 'extend'>;
  readonly time: Pick<QueueClock, 'latest'>;
  readonly log: Log;
}

/** Gives the replies for which the store gave no answer. */
async function extendAll(
  ports: ExtendPorts,
  replies: readonly Reply[],
  records: readonly ProcessRecord[],
): Promise<ReadonlySet<Reply>> {
  const failed = failure(ports.log);
  const unanswered = await Promise.all(
    replies.map((reply) =>
      extend(ports, reply, records).then(
        () => [],
        (error: unknown) => {
          failed(error);
          return [reply];
        },
      ),
    ),
  );
  return new Set(unanswered.flat());
}

async function extend(
  { rooms, time, log }: ExtendPorts,
  reply: Reply,
  records: readonly ProcessRecord[],
): Promise<void> {
  const { slots, result, orderId, step, attempt } = reply;
  if (slots === undefined || result.kind !== 'heartbeat') return;
  const record = records.find((one) => one.orderId === orderId);
  const called = record?.steps.find((one) => one.name === step && one.attempt === attempt);
  if (called === undefined || !underWay(called.progress)) return;
  const until = time.latest(called.progress.completeBy);
  const extended = await Promise.all(
    slots.map(({ name, holder }) => holder === undefined || rooms.extend(name, holder, until)),
  );
  if (!extended.every((hasRoom) => hasRoom))
    log.warn('room-lost', { orderId, step, attempt, agent: called.agent });
}
