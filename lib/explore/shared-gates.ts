/**
 * Two orders whose steps need the same two agents, each of which makes one call at a time. A slot is kept from the decision
 * that sends a request until its call has ended, or until the tolerance after its complete-by, when its end is not known.
 */
import type { Violation } from '#checkers/violation.ts';
import type { Decision } from '#core/decide/decide.ts';
import type { Hold } from '#core/model/hold.ts';
import type { AgentName, StepName } from '#core/model/ids.ts';
import type { Command } from '#core/model/message.ts';
import { brokenBy } from './broken.ts';
import { canonicalTexts } from './canonical.ts';
import { type Explorable, isAtEnd } from './explore.ts';
import { instantsOf, movesNow } from './moves.ts';
import { firstState, type Move, type SmallWorld, type WorldState } from './small-world.ts';

/** A slot of an agent, and the call that has it. */
export interface Slot {
  readonly order: number;
  readonly agent: AgentName;
  readonly step: StepName;
  readonly attempt: number;
  /** Free after this instant, also when the end of the call is not known. */
  readonly until: number;
}

/** The orders have the same `nowMs` and the same budgets. */
export interface SharedState {
  readonly orders: readonly WorldState[];
  readonly slots: readonly Slot[];
}

/** A world of two orders of one workflow. */
export interface SharedWorld extends SmallWorld {
  /** Plants a mistake: slots whose calls never end are kept. */
  readonly leaks?: boolean;
}

/** How long after its complete-by the slot of a call is kept, ms. */
const toleranceMs = 1;
/** How soon a gate is asked again, ms. */
const lookAfterMs = 1_000;
const ordersMax = 2;

/** A world of two orders that share gates. */
export function sharedGates(world: SharedWorld): Explorable<SharedState> {
  const first = firstState(world);
  const textsOf: ((order: WorldState) => string)[] = [];
  return {
    name: world.name,
    first: { orders: Array.from({ length: ordersMax }, () => first), slots: [] },
    moves: (state) => [
      ...state.orders.flatMap((_, at) => orderMoves(world, state, at)),
      ...nudges(state),
      ...later(world, state),
    ],
    textOf: ({ orders, slots }) =>
      [
        ...orders.map((order, at) => {
          textsOf[at] ??= canonicalTexts();
          return textsOf[at](order);
        }),
        ...slots.map((slot) => slotText(slot, nowOf(orders))).sort(),
      ].join('||'),
    brokenBy: (state, move) => brokenShared(world, state, move),
    isEnd: ({ orders }) => orders.every(isAtEnd),
  };
}

const nowOf = (orders: readonly WorldState[]) => orders[0]?.nowMs ?? 0;

const slotText = ({ order, agent, step, attempt, until }: Slot, nowMs: number) =>
  `${order} ${agent} ${step} ${attempt} ${until - nowMs}`;

/** Decides twice where a gate holds a call, as lib/roles/transitions/transitions.ts does. */
function gatedDecide(world: SharedWorld, slots: readonly Slot[]): SmallWorld['decide'] {
  return (record, event, known, nowMs): Decision => {
    const decision = world.decide(record, event, known, nowMs);
    if (decision.kind === 'ignored' || known === null) return decision;
    const taken = new Set(slots.map(({ agent }) => agent));
    const holds = new Map<StepName, Hold>();
    for (const { request } of requestsIn(decision.commands)) {
      const { agent, step } = request;
      if (taken.has(agent)) holds.set(step, { gate: 'concurrency', until: nowMs + lookAfterMs });
      else taken.add(agent);
    }
    if (holds.size === 0) return decision;
    return world.decide(record, event, { ...known, holds }, nowMs);
  };
}

const requestsIn = (commands: readonly Command[]) =>
  commands.flatMap((command) => (command.kind === 'request' ? [command] : []));

function orderMoves(world: SharedWorld, state: SharedState, at: number): Move<SharedState>[] {
  const own = state.orders[at];
  if (own === undefined) return [];
  const gated = { ...world, decide: gatedDecide(world, state.slots) };
  return movesNow(gated, own).map(({ label, next, decision }) => {
    const begun = decision?.kind === 'transition' ? requestsIn(decision.commands) : [];
    const slots = [
      ...state.slots.filter((slot) => slot.order !== at || !hasEnded(slot, own, next, label)),
      ...begun.map(({ request: { agent, step, attempt, completeBy } }) => ({
        ...{ order: at, agent, step, attempt },
        until: completeBy + toleranceMs,
      })),
    ];
    const orders = state.orders.map((other, place) =>
      place === at ? next : { ...other, left: next.left },
    );
    return { label: `${at + 1}: ${label}`, next: { orders, slots }, decision };
  });
}

/** The agent has ended the call of the slot. One that died says nothing. */
function hasEnded(slot: Slot, before: WorldState, after: WorldState, label: string): boolean {
  const isAtWork = ({ working }: WorldState) =>
    working.some(({ step, attempt }) => step === slot.step && attempt === slot.attempt);
  return isAtWork(before) && !isAtWork(after) && !label.includes('agent dies');
}

/** A gate nudges an order that it holds, as soon as a slot is free. */
function nudges({ orders, slots }: SharedState): Move<SharedState>[] {
  return orders.flatMap((own, at) => {
    const isFree = own.record.steps.some(
      ({ progress, agent }) =>
        progress.state === 'Held' && !slots.some((slot) => slot.agent === agent),
    );
    if (!isFree || own.nudges > 0) return [];
    const next = orders.map((other, place) => (place === at ? { ...own, nudges: 1 } : other));
    return [{ label: `${at + 1}: the gate nudges`, next: { orders: next, slots }, decision: null }];
  });
}

function later(world: SharedWorld, { orders, slots }: SharedState): Move<SharedState>[] {
  const instants = [...orders.flatMap(instantsOf), ...slots.map(({ until }) => until + 1)];
  const nowMs = Math.min(...instants.filter((at) => at > nowOf(orders)));
  if (nowMs === Number.POSITIVE_INFINITY) return [];
  const left = world.leaks === true ? slots : slots.filter(({ until }) => until >= nowMs);
  const next = { orders: orders.map((own) => ({ ...own, nowMs })), slots: left };
  return [{ label: 'time passes', next, decision: null }];
}

function brokenShared(
  world: SharedWorld,
  before: SharedState,
  { next, decision }: Move<SharedState>,
): Violation | null {
  for (const [at, own] of next.orders.entries()) {
    const was = before.orders[at];
    if (was === undefined || was === own) continue;
    const isOwn = was.record !== own.record;
    const move = { label: '', next: own, decision: isOwn ? decision : null };
    const violation = brokenBy(world.workflow, was, move);
    if (violation !== null) return violation;
  }
  return tooManyCalls(next) ?? keptTooLong(next);
}

/** R21: of the calls that may be answered, one agent has one. */
function tooManyCalls({ orders }: SharedState): Violation | null {
  const calls = orders.flatMap(({ requests, working, nowMs }, at) =>
    [...requests, ...working]
      .filter(({ completeBy }) => completeBy >= nowMs)
      .map(({ agent, step, attempt }) => ({ agent, id: `${at} ${step} ${attempt}` })),
  );
  for (const [agent, own] of Map.groupBy(calls, (call) => call.agent)) {
    const count = new Set(own.map(({ id }) => id)).size;
    if (count > 1) return { rule: 'R21', message: `${agent} has ${count} calls at once` };
  }
  return null;
}

/** R22: a slot is free at the latest when the tolerance after its complete-by has passed. */
function keptTooLong({ orders, slots }: SharedState): Violation | null {
  const kept = slots.find(({ until }) => until < nowOf(orders));
  return kept === undefined
    ? null
    : { rule: 'R22', message: `the slot of ${kept.step} is kept after its tolerance` };
}
