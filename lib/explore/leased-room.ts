/**
 * Orders that lease room for one call each, in two limits of one call at once, by Schedulers that know nothing of each other.
 * Each write of an item is a move of its own, so that others can come between any two of them.
 */
import type { Violation } from '#checkers/violation.ts';
import type { LimitSlot } from '#core/model/message.ts';
import { type Holders, occupied } from '#ports/limit-items.ts';
import type { Explorable } from './explore.ts';
import {
  type Answer,
  callMs,
  firstHolder,
  type Leasing,
  nextStep,
  type Planted,
} from './leasing.ts';
import type { Move } from './small-world.ts';

/** How often each fault can still happen. */
export interface LeaseBudgets {
  /** A write takes effect, and its answer is lost. */
  readonly losses: number;
  /** A Scheduler or an agent dies. */
  readonly crashes: number;
  /** Time passes while a Scheduler is at work. */
  readonly pauses: number;
}

/** A world of orders that lease. */
export interface LeaseWorld {
  readonly name: string;
  /** What the world tests, in one line. */
  readonly about: string;
  readonly orders: number;
  readonly budgets: LeaseBudgets;
  /** Default: the shipped code. */
  readonly planted?: Planted;
}

/** One order, whose one step makes one call. */
export interface LeasingOrder {
  /** `dead`: who had its attempt is gone, and the attempt will expire. */
  readonly phase: 'waits' | 'leases' | 'calls' | 'dead' | 'frees' | 'ended';
  readonly attempt: number;
  readonly completeBy: number;
  readonly slots: readonly LimitSlot[];
  /** What a Scheduler does for it. */
  readonly leasing: Leasing;
  /** Whether room may be stored for it that no Scheduler knows of. */
  readonly hasLost: boolean;
}

/** One state of a world. */
export interface LeaseState {
  readonly nowMs: number;
  readonly orders: readonly LeasingOrder[];
  /** Those that have room, by the names of items. */
  readonly items: Readonly<Record<string, Holders>>;
  readonly left: LeaseBudgets;
}

const attemptsMax = 2;
/** The grace after complete-by, as lib/distributed/limits/room-leases.ts has it, ms. */
const keptMs = 5_000;
const nothing: Leasing = { kind: 'asks', since: 0, answers: [] };
const atFirst: LeasingOrder = {
  ...{ phase: 'waits', attempt: 1, completeBy: 0, slots: [], leasing: nothing, hasLost: false },
};

/** See above. */
export function leasedRoom(world: LeaseWorld): Explorable<LeaseState> {
  return {
    name: world.name,
    first: {
      nowMs: 0,
      orders: Array.from({ length: world.orders }, () => atFirst),
      items: {},
      left: world.budgets,
    },
    async moves(state) {
      const moves = await Promise.all(state.orders.map((_, at) => orderMoves(world, state, at)));
      return [...moves.flat(), ...later(state)];
    },
    textOf,
    brokenBy: (_, { next }) => tooManyCalls(next) ?? keptTooLong(next) ?? waitsWithRoom(next),
    isEnd: ({ orders }) => orders.every(({ phase }) => phase === 'ended'),
  };
}

type LeaseMove = Move<LeaseState>;

async function orderMoves(
  world: LeaseWorld,
  state: LeaseState,
  at: number,
): Promise<readonly LeaseMove[]> {
  const { nowMs, left } = state;
  const own = state.orders[at];
  if (own === undefined) return [];
  const move = (label: string, change: Partial<LeasingOrder>, others: Partial<LeaseState> = {}) => {
    const orders = state.orders.map((one, place) => (place === at ? { ...own, ...change } : one));
    return { label: `${at + 1}: ${label}`, next: { ...state, ...others, orders }, decision: null };
  };
  const crashed = { left: { ...left, crashes: left.crashes - 1 } };
  const mayDie = left.crashes > 0;
  const isLate = nowMs > own.completeBy;
  switch (own.phase) {
    case 'ended':
      return [];
    case 'waits':
      return [
        move('a Scheduler asks', {
          ...{ phase: 'leases', completeBy: nowMs + callMs, slots: [] },
          leasing: { kind: 'asks', since: nowMs, answers: [] },
        }),
      ];
    case 'dead':
      return isLate ? [move('the attempt expires', afterAttempt(own))] : [];
    case 'calls': {
      const leasing = { kind: 'frees', since: nowMs, answers: [] } as const;
      if (isLate) return [move('the attempt expires', afterAttempt(own))];
      const ends = move('the call ends', { phase: 'frees', leasing });
      return mayDie ? [ends, move('the agent dies', { phase: 'dead' }, crashed)] : [ends];
    }
    case 'leases':
    case 'frees': {
      const moves = await leaseMoves(world, state, own, move);
      if (!mayDie) return moves;
      const leasing = { ...own.leasing, since: nowMs, answers: [] };
      // The queue delivers a reply again; a claim expires.
      const change = own.phase === 'frees' ? { leasing } : ({ phase: 'dead' } as const);
      return [...moves, move('the Scheduler dies', change, crashed)];
    }
  }
}

async function leaseMoves(
  { planted }: LeaseWorld,
  { nowMs, items, left, orders }: LeaseState,
  own: LeasingOrder,
  move: (label: string, change: Partial<LeasingOrder>, others?: Partial<LeaseState>) => LeaseMove,
): Promise<readonly LeaseMove[]> {
  const { leasing } = own;
  const next = await nextStep(leasing, { ...own, order: orders.indexOf(own) }, planted);
  if (next.kind === 'granted') {
    return [move('has room', { phase: 'calls', slots: next.slots, leasing: nothing })];
  }
  if (next.kind === 'held') {
    const phase = leasing.kind === 'asks' ? 'waits' : 'ended';
    return [move('has no room', { phase, leasing: nothing })];
  }
  const { name, change } = next;
  const answer = occupied(items[name] ?? new Map(), change);
  const after = { items: { ...items, [name]: answer.holders } };
  const answered = (given: Answer['occupied']) => ({
    leasing: { ...leasing, answers: [...leasing.answers, { at: nowMs, occupied: given }] },
  });
  const writes = move(`writes ${name}`, answered(answer), after);
  if (left.losses === 0) return [writes];
  const lost = { ...after, left: { ...left, losses: left.losses - 1 } };
  return [writes, move(`writes ${name}, unanswered`, { ...answered(null), hasLost: true }, lost)];
}

/** The order after an attempt that had no reply. */
function afterAttempt({ attempt }: LeasingOrder): Partial<LeasingOrder> {
  const phase = attempt < attemptsMax ? 'waits' : 'ended';
  return { phase, attempt: attempt + 1, leasing: nothing, slots: [], hasLost: false };
}

/** Time passes to the next instant at which something is different. */
function later(state: LeaseState): readonly LeaseMove[] {
  const { nowMs, orders, items, left } = state;
  const ends = orders.filter(({ phase }) => phase === 'calls' || phase === 'dead');
  const instants = [
    ...ends.map(({ completeBy }) => completeBy + 1),
    ...Object.values(items).flatMap((holders) => [...holders.values()].map((until) => until + 1)),
  ].filter((at) => at > nowMs);
  if (instants.length === 0) return [];
  const isAtWork = orders.some(({ phase }) => phase === 'leases' || phase === 'frees');
  const pauses = left.pauses - (isAtWork ? 1 : 0);
  if (pauses < 0) return [];
  const next = { ...state, nowMs: Math.min(...instants), left: { ...left, pauses } };
  return [{ label: 'time passes', next, decision: null }];
}

/** R21: of the calls that may be answered, one is in each limit. */
function tooManyCalls({ orders, nowMs }: LeaseState): Violation | null {
  const calls = orders.filter(
    ({ phase, completeBy }) => (phase === 'calls' || phase === 'dead') && completeBy >= nowMs,
  );
  const called = calls.filter(({ slots }) => slots.length > 0).length;
  return called > 1 ? { rule: 'R21', message: `there are ${called} calls at once` } : null;
}

/** R22: no order has room for longer than an attempt takes. */
function keptTooLong({ items, nowMs }: LeaseState): Violation | null {
  const latest = nowMs + callMs + keptMs;
  const [name] =
    Object.entries(items).find(([, holders]) => [...holders.values()].some((at) => at > latest)) ??
    [];
  return name === undefined ? null : { rule: 'R22', message: `${name} has room for too long` };
}

/** R22: an order that waits has no room, so that no two wait for each other. */
function waitsWithRoom({ orders, items, nowMs }: LeaseState): Violation | null {
  const holders = Object.values(items).flatMap((own) =>
    [...own].flatMap(([holder, until]) => (until >= nowMs ? [holder] : [])),
  );
  const at = orders.findIndex(
    (own, order) =>
      (own.phase === 'waits' || own.phase === 'ended') &&
      !own.hasLost &&
      holders.includes(firstHolder({ ...own, order })),
  );
  return at < 0 ? null : { rule: 'R22', message: `order ${at + 1} waits, or has ended, with room` };
}

/** The same for states that behave alike. */
function textOf({ nowMs, orders, items, left }: LeaseState): string {
  const after = (at: number) => Math.max(-1, at - nowMs);
  const holdersText = (holders: Holders) =>
    [...holders].map(([holder, until]) => `${holder} ${after(until)}`).join();
  const answerText = ({ at, occupied }: Answer) =>
    `${nowMs - at} ${occupied === null ? 'lost' : `${occupied.isDone} ${holdersText(occupied.holders)}`}`;
  const orderText = ({ phase, attempt, completeBy, slots, leasing, hasLost }: LeasingOrder) => {
    const has = [phase, attempt, hasLost];
    if (phase === 'waits' || phase === 'ended') return has.join(' ');
    const names = slots.map(({ name }) => name);
    if (phase !== 'leases' && phase !== 'frees')
      return [...has, after(completeBy), ...names].join(' ');
    const { since, answers } = leasing;
    return [...has, after(completeBy), nowMs - since, ...names, ...answers.map(answerText)].join(
      ' ',
    );
  };
  return [
    ...orders.map(orderText),
    ...Object.entries(items)
      .map(([name, holders]) => `${name}: ${holdersText(holders)}`)
      .toSorted(),
    Object.values(left).join(' '),
  ].join('|');
}
