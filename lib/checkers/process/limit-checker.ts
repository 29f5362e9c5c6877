/**
 * Checks the limits of agents (R21, R22), of one process or of all functions of a deployment, from the calls that services receive
 * and the records that were stored. It computes keys and bounds itself.
 */
import type { Breach } from '#checkers/violation.ts';
import type { AgentName, OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { isClaimable } from './claimable.ts';

/** A limit, as the author of its agent states it. */
export interface CheckedLimit {
  readonly name: string;
  /** Its agent, or the members of its pool. */
  readonly agents: readonly AgentName[];
  /** The names under which steps wait for it. */
  readonly waitsUnder: readonly AgentName[];
  /** Whether each tenant or workflow has a limit of its own. Missing: all calls have one. */
  readonly by?: 'tenant' | 'workflow';
  readonly atOnce?: number;
  readonly rate?: { readonly count: number; readonly per: number; readonly burst?: number };
}

/** Options of {@link limitChecker}. */
export interface LimitCheckerOptions {
  readonly limits: readonly CheckedLimit[];
  /** The clock of the process. */
  readonly now: () => number;
  /** Changes with every fault. After each of them the process has all the time again. */
  readonly faults: () => number;
  /** Whether a step that waits under this name may be expected to begin. */
  readonly mayBegin: (name: AgentName) => boolean;
  /** The limit with the amounts that operators let it allow. */
  readonly allowed: (limit: CheckedLimit) => CheckedLimit;
  readonly breach: Breach;
}

/** See {@link limitChecker}. */
export interface LimitChecker {
  /** A call begins; the returned function ends it, and may be called again. */
  began(agent: AgentName, orderId: OrderId): () => void;
  stored(record: ProcessRecord): void;
  /** Whether the limits of what waits under this name let a call of the order begin, by the amounts of their definitions. */
  haveRoom(name: AgentName, order: LimitedOrder): boolean;
  /** Whether those of them by a key have a free call at once and a free slot of their rates for it now. */
  haveKeyedRoom(name: AgentName, orderId: OrderId): boolean;
}

/** Late timers may not lower a rate, so that its calls may be early by this part (docs/design.md). */
const earlyPart = 0.02;
/** An order has room for 10 s before another one gets it, and claims take less than a second without faults. */
const unusedMaxMs = 60_000;

/** What the keys of limits are made from. */
type LimitedOrder = Pick<ProcessRecord, 'tenant' | 'workflow'>;

interface Used {
  inFlight: number;
  /** When the latest calls began, ms since the epoch. */
  begins: number[];
  /** Since when nothing uses it although a step waits for it; null: not so. */
  unused: { readonly since: number; readonly faults: number } | null;
}

/** Checks the calls of one process, or of one deployment. */
export function limitChecker(options: LimitCheckerOptions): LimitChecker {
  const { limits, now, faults, mayBegin, allowed, breach } = options;
  const orders = new Map<OrderId, LimitedOrder>();
  const held = new Map<OrderId, ProcessRecord>();
  const { usedOf, allOf } = usedByKey();

  /** A step of the order waits for this limit, and the others for which it waits have room. */
  const waitsOnlyFor = (limit: CheckedLimit, order: ProcessRecord): boolean =>
    namesOfWaiting(order, now()).some((name) => {
      const all = waitedForUnder(name, limits);
      const others = all.filter((other) => other !== limit);
      return (
        all.includes(limit) && others.every((other) => hasRoom(other, usedOf(other, order), now()))
      );
    });

  /** R22: room that a step waits for is used. */
  function look(limit: CheckedLimit, record: ProcessRecord): void {
    const own = usedOf(limit, record);
    const isWaitedFor = [...held.values()].some(
      (one) => isOfSameKey(limit, one, record) && waitsOnlyFor(limit, one),
    );
    if (!isWaitedFor || isUsed(limit, own, now()) || !limit.waitsUnder.every(mayBegin)) {
      own.unused = null;
      return;
    }
    if (own.unused === null || own.unused.faults !== faults()) {
      own.unused = { since: now(), faults: faults() };
      return;
    }
    const unusedMs = now() - own.unused.since;
    if (unusedMs <= unusedMaxMs) return;
    own.unused = null;
    breach('R22', `${limit.name} is not used since ${unusedMs} ms, and a step waits for it`);
  }

  return {
    began(agent, orderId) {
      const order = orders.get(orderId);
      const own = limits
        .filter(({ agents }) => agents.includes(agent))
        .map((limit) => [limit, usedOf(limit, order)] as const);
      for (const [limit, one] of own) {
        one.inFlight += 1;
        // Its agent makes calls: by the shares of classes and tenants, those with other keys may be first for long.
        for (const other of allOf(limit)) other.unused = null;
      }
      for (const [limit, one] of own) {
        const excess = excessOf(allowed(limit), one, now());
        if (excess !== null) breach('R21', `${excess}: ${agent} for ${order?.tenant ?? 'none'}`);
      }
      let isOpen = true;
      return () => {
        if (isOpen) for (const [, one] of own) one.inFlight -= 1;
        isOpen = false;
      };
    },
    stored(record) {
      orders.set(record.orderId, record);
      const wasHeld = held.has(record.orderId);
      if (record.isHeld === true) held.set(record.orderId, record);
      else held.delete(record.orderId);
      if (!wasHeld && record.isHeld === undefined) return;
      for (const limit of limits) look(limit, record);
    },
    haveRoom: (name, order) =>
      waitedForUnder(name, limits).every((limit) => hasRoom(limit, usedOf(limit, order), now())),
    haveKeyedRoom: (name, orderId) =>
      waitedForUnder(name, limits)
        .filter(({ by }) => by !== undefined)
        .every((limit) => hasSlot(limit, usedOf(limit, orders.get(orderId)), now())),
  };
}

/** R21: no more calls at once than the limit says, and no more in any of its intervals. Notes that one begins now; null: that is allowed. */
function excessOf({ name, atOnce, rate }: CheckedLimit, own: Used, nowMs: number): string | null {
  if (atOnce !== undefined && own.inFlight > atOnce) {
    return `${own.inFlight} calls at once, where ${name} allows ${atOnce}`;
  }
  if (rate === undefined) return null;
  // A clock that was set back begins a new interval.
  own.begins = own.begins.filter((at) => at > nowMs - rate.per && at <= nowMs);
  own.begins.push(nowMs);
  const most = Math.floor(rate.count * (1 + earlyPart)) + (rate.burst ?? 1);
  return own.begins.length > most
    ? `${own.begins.length} calls in an interval, where ${name} allows ${most}`
    : null;
}

/** What is used of each limit, by key. */
function usedByKey() {
  const used = new Map<string, Map<string | null, Used>>();
  return {
    allOf: ({ name }: CheckedLimit): Iterable<Used> => used.get(name)?.values() ?? [],
    usedOf({ name, by }: CheckedLimit, order: LimitedOrder | undefined): Used {
      const key = by === undefined ? null : (order?.[by] ?? null);
      const keys = used.get(name) ?? new Map<string | null, Used>();
      used.set(name, keys);
      const known = keys.get(key) ?? { inFlight: 0, begins: [], unused: null };
      keys.set(key, known);
      return known;
    },
  };
}

const waitedForUnder = (name: AgentName, limits: readonly CheckedLimit[]) =>
  limits.filter(({ waitsUnder }) => waitsUnder.includes(name));

/** A call has begun less than an interval ago: the next one may have to wait. */
const isPaced = ({ rate }: CheckedLimit, { begins }: Used, nowMs: number): boolean =>
  rate !== undefined && begins.some((at) => at > nowMs - rate.per && at <= nowMs);

const isUsed = (limit: CheckedLimit, own: Used, nowMs: number): boolean =>
  own.inFlight > 0 || isPaced(limit, own, nowMs);

function hasRoom(limit: CheckedLimit, own: Used, nowMs: number): boolean {
  const { atOnce = Number.POSITIVE_INFINITY } = limit;
  return own.inFlight < atOnce && !isPaced(limit, own, nowMs);
}

/** After a call, the next slot of a rate is free after its share of the interval at the latest; a burst only makes it earlier. */
function hasSlot({ atOnce, rate }: CheckedLimit, { inFlight, begins }: Used, nowMs: number) {
  const lastAt = begins.at(-1) ?? Number.NEGATIVE_INFINITY;
  const isFree = rate === undefined || lastAt > nowMs || lastAt <= nowMs - rate.per / rate.count;
  return inFlight < (atOnce ?? Number.POSITIVE_INFINITY) && isFree;
}

const isOfSameKey = ({ by }: CheckedLimit, one: LimitedOrder, other: LimitedOrder): boolean =>
  by === undefined || one[by] === other[by];

/** The names under which steps of the order wait for a limit. */
const namesOfWaiting = (record: ProcessRecord, at: number): readonly AgentName[] =>
  record.processState === 'Error' || !isClaimable(record, at)
    ? []
    : record.steps
        .filter(({ progress }) => progress.state === 'Held' && progress.gate === 'limit')
        .map(({ agent }) => agent);
