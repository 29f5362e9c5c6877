/**
 * The moves of a small world: what can happen next to its order, messages, agents, services and time.
 *
 * Load, decision and conditional write have the effect of one atomic step, because a write on an outdated
 * revision is refused and decided again. Therefore one move is one commit, and only the sending of its
 * messages can fail afterwards.
 */
import { dueAt } from '#core/decide/due.ts';
import type { OrderContext } from '#core/decide/start-step.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { Action } from '#core/model/ids.ts';
import { schedulerId, writeId } from '#core/model/ids.ts';
import { underWay } from '#core/model/record.ts';
import {
  type Answer,
  type Budgets,
  type Call,
  type Effect,
  ledgerEntry,
  type Move,
  poolsIn,
  type Reply,
  type SmallWorld,
  type WorldState,
} from './small-world.ts';

const scheduler = schedulerId('s');
const write = writeId('w');

/** All moves from a state. */
export function movesOf(world: SmallWorld, state: WorldState): Move[] {
  return [...movesNow(world, state), ...later(state)];
}

/** The moves that take no time. */
export function movesNow(world: SmallWorld, state: WorldState): Move[] {
  return [
    ...claims(world, state),
    ...state.requests.flatMap((call, at) => requestMoves(state, call, at)),
    ...state.working.flatMap((call, at) => agentMoves(world, state, call, at)),
    ...state.replies.flatMap((reply, at) => replyMoves(world, state, reply, at)),
    ...sweeps(world, state),
    ...operators(world, state),
  ];
}

const spend = (left: Budgets, what: keyof Budgets): Budgets => ({
  ...left,
  [what]: left[what] - 1,
});
const without = <Item>(items: readonly Item[], at: number) =>
  items.filter((_, index) => index !== at);

/** The moves of an event: of a pool, a role may choose any member, also one that may not have the call. */
function happen(world: SmallWorld, state: WorldState, event: RecordEvent, label: string): Move[] {
  const [pool] = poolsIn(world);
  if (pool === undefined) return decided(world, state, event, label, {});
  return pool.members.flatMap(({ agent }) =>
    decided(world, state, event, `${label} (${agent})`, { agents: new Map([[pool.step, agent]]) }),
  );
}

/** The move of a commit whose messages are sent, and the one of a crash before that. */
function decided(
  { workflow, details = {}, decide: decider }: SmallWorld,
  state: WorldState,
  event: RecordEvent,
  label: string,
  chosen: Pick<OrderContext, 'agents'>,
): Move[] {
  const known = { definition: workflow, details, ...chosen };
  const decision = decider(state.record, event, known, state.nowMs);
  if (decision.kind === 'ignored') return [{ label: `${label}: ignored`, next: state, decision }];
  const record = { ...decision.record, writeId: write };
  const committed = { ...state, record };
  const nudges = decision.commands.filter(({ kind }) => kind === 'nudge').length;
  const requests = decision.commands.flatMap((command) =>
    command.kind === 'request' ? [callOf(command.request)] : [],
  );
  const sent = {
    ...committed,
    nudges: Math.min(1, state.nudges + nudges),
    requests: [...state.requests, ...requests],
  };
  const moves: Move[] = [{ label, next: sent, decision }];
  if (decision.commands.length > 0 && state.left.crashes > 0) {
    const crashed = { ...committed, left: spend(state.left, 'crashes') };
    moves.push({ label: `${label}, dead before sending`, next: crashed, decision });
  }
  return moves;
}

function callOf(request: Call): Call {
  const { step, agent, attempt, action, completeBy, performKey } = request;
  return { step, agent, attempt, action, completeBy, performKey };
}

function claims(world: SmallWorld, state: WorldState): Move[] {
  if (state.nudges === 0) return [];
  const taken = { ...state, nudges: 0 };
  const moves = happen(world, taken, { type: 'claim', by: scheduler }, 'claim');
  if (state.left.losses > 0) {
    const next = { ...taken, left: spend(state.left, 'losses') };
    moves.push({ label: 'nudge lost', next, decision: null });
  }
  if (state.left.duplicates > 0) {
    const doubled = { ...state, left: spend(state.left, 'duplicates') };
    moves.push(...happen(world, doubled, { type: 'claim', by: scheduler }, 'claim, nudge doubled'));
  }
  return moves;
}

function requestMoves(state: WorldState, call: Call, at: number): Move[] {
  const name = `${call.action} ${call.step} ${call.attempt}`;
  const requests = without(state.requests, at);
  const working = [...state.working, call];
  const move = (label: string, next: WorldState): Move => ({ label, next, decision: null });
  return [
    move(`${name} begins`, { ...state, requests, working }),
    ...(state.left.losses > 0
      ? [move(`${name} lost`, { ...state, requests, left: spend(state.left, 'losses') })]
      : []),
    ...(state.left.duplicates > 0
      ? [move(`${name} doubled`, { ...state, working, left: spend(state.left, 'duplicates') })]
      : []),
  ];
}

/** An agent can take any time; it calls its service at the end, and replies only in time (R7). */
function agentMoves(world: SmallWorld, state: WorldState, call: Call, at: number): Move[] {
  const name = `${call.action} ${call.step} ${call.attempt}`;
  const idle = { ...state, working: without(state.working, at) };
  const entry = ledgerEntry(world, call);
  const found = state.effects[entry] ?? 'none';
  const { effect, answer } = served(call.action, found);
  const acted = { ...idle, effects: { ...state.effects, [entry]: effect } };
  const inTime = state.nowMs <= call.completeBy;
  const { completeBy: _, performKey: __, ...to } = call;
  const answered = (after: WorldState, result: Answer): WorldState =>
    inTime ? { ...after, replies: [...after.replies, { ...to, answer: result }] } : after;
  const move = (label: string, next: WorldState): Move => ({ label, next, decision: null });
  const moves = [move(`${name} done`, answered(acted, answer))];
  if (state.left.crashes > 0) {
    const left = spend(state.left, 'crashes');
    moves.push(move(`${name}: agent dies before`, { ...idle, left }));
    moves.push(move(`${name}: agent dies after`, { ...acted, left }));
  }
  if (state.left.declines === 0) return moves;
  const left = spend(state.left, 'declines');
  if (call.action === 'undo') {
    moves.push(move(`${name} refused`, answered({ ...idle, left }, 'failed')));
    return moves;
  }
  if (answer === 'succeeded')
    moves.push(move(`${name} done, then failed`, answered({ ...acted, left }, 'unsure')));
  if (found === 'none') {
    const effects = { ...state.effects, [entry]: 'refused' as const };
    moves.push(move(`${name} refused`, answered({ ...idle, effects, left }, 'failed')));
  }
  return moves;
}

/** A service that deduplicates by key; an undo makes a later perform fail. */
function served(action: Action, found: Effect): { effect: Effect; answer: Answer } {
  if (action === 'undo') {
    const effect = found === 'applied' ? 'undone' : found === 'none' ? 'tombstone' : found;
    return { effect, answer: 'succeeded' };
  }
  if (found === 'none' || found === 'applied') return { effect: 'applied', answer: 'succeeded' };
  return { effect: found, answer: 'failed' };
}

function replyMoves(world: SmallWorld, state: WorldState, reply: Reply, at: number): Move[] {
  const name = `${reply.action} ${reply.step} ${reply.attempt} ${reply.answer}`;
  const rest = { ...state, replies: without(state.replies, at) };
  const event = eventOf(world, reply);
  const moves = happen(world, rest, event, `reply ${name}`);
  if (state.left.losses > 0) {
    const next = { ...rest, left: spend(state.left, 'losses') };
    moves.push({ label: `reply ${name} lost`, next, decision: null });
  }
  if (state.left.duplicates > 0) {
    const doubled = { ...state, left: spend(state.left, 'duplicates') };
    moves.push(...happen(world, doubled, event, `reply ${name}, doubled`));
  }
  return moves;
}

function eventOf(
  { outputs = {} }: SmallWorld,
  { step, agent, attempt, action, answer }: Reply,
): RecordEvent {
  const from = { step, agent, attempt };
  const fault =
    answer === 'unsure'
      ? ({ code: 'broken', message: 'Something broke.', effect: 'possible' } as const)
      : ({ code: 'refused', message: 'No.', effect: 'none' } as const);
  if (action === 'undo') {
    return answer === 'succeeded'
      ? { type: 'undoSucceeded', ...from }
      : { type: 'undoFailed', ...from, fault };
  }
  return answer === 'succeeded'
    ? { type: 'stepSucceeded', ...from, output: outputs[step] ?? null }
    : { type: 'stepFailed', ...from, fault };
}

/** One sweep is enough: another one would find what the first has left. */
function sweeps(world: SmallWorld, state: WorldState): Move[] {
  const due = dueAt(state.record);
  return due !== null && due <= state.nowMs
    ? happen(world, state, { type: 'expired' }, 'sweep')
    : [];
}

function operators(world: SmallWorld, state: WorldState): Move[] {
  const { processState } = state.record;
  const moves: Move[] = [];
  if (state.left.cancels > 0 && processState !== 'Processed' && processState !== 'Undone') {
    const asked = { ...state, left: spend(state.left, 'cancels') };
    moves.push(...happen(world, asked, { type: 'cancel', by: 'operator' }, 'cancel'));
  }
  if (state.left.resubmits > 0 && processState === 'Error') {
    const asked = { ...state, left: spend(state.left, 'resubmits') };
    moves.push(...happen(world, asked, { type: 'resubmit', by: 'operator' }, 'resubmit'));
  }
  return moves;
}

/** Time advances to the next instant at which the behaviour changes. */
function later(state: WorldState): Move[] {
  const instants = instantsOf(state).filter((at) => at > state.nowMs);
  if (instants.length === 0) return [];
  const nowMs = Math.min(...instants);
  return [{ label: 'time passes', next: { ...state, nowMs }, decision: null }];
}

/** The instants at which a condition of the state changes. */
export function instantsOf({ record, requests, working }: WorldState): number[] {
  const due = dueAt(record);
  return [
    ...(due === null ? [] : [due]),
    record.notBefore,
    ...(record.deadline === undefined ? [] : [record.deadline.lateAt]),
    ...record.steps.flatMap(({ progress, doubtUntil }) => [
      ...(underWay(progress) ? [progress.completeBy + 1] : []),
      ...(doubtUntil === null ? [] : [doubtUntil + 1]),
    ]),
    ...[...requests, ...working].map(({ completeBy }) => completeBy + 1),
  ];
}
