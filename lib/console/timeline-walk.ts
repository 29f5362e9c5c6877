/**
 * Goes through a history as the order did: which calls went out when, and how each ended. It follows the
 * transition table (docs/design.md) as far as the bars of a timeline need it.
 */
import type { ToldEntry } from '#text/history-entry.ts';
import type { Bar, BarKind } from './bar.ts';
import type { Order, WorkflowStep } from './documents.ts';
import { type Call, WalkedStep } from './walked-step.ts';

type Sweep = Extract<ToldEntry, { type: 'expired' | 'excused' }>;
type Answer = Extract<ToldEntry, { step: string }>;

interface Walk {
  readonly steps: ReadonlyMap<string, WalkedStep>;
  /** Null when the definition is not known: then a call is seen when it is answered. */
  readonly definition: readonly WorkflowStep[] | null;
  direction: 'forward' | 'undo';
  stance: 'pending' | 'processing' | 'stopped';
  /** When calls last may have gone out. */
  lastStartAt: number;
}

export function walk(
  order: Order,
  definition: readonly WorkflowStep[] | null,
  history: readonly ToldEntry[],
): ReadonlyMap<string, readonly Bar[]> {
  const steps = new Map(
    Object.entries(order.steps).map(([name, step]) => [name, new WalkedStep(step)]),
  );
  const state: Walk = {
    steps,
    definition,
    direction: 'forward',
    stance: 'pending',
    lastStartAt: Date.parse(order.submittedAt),
  };
  for (const entry of history) take(state, entry);
  return new Map([...steps].map(([name, step]) => [name, step.bars()]));
}

function take(state: Walk, entry: ToldEntry): void {
  switch (entry.type) {
    case 'claim':
      state.stance = entry.blind ? 'stopped' : 'processing';
      if (!entry.blind) advance(state, entry.at);
      return;
    case 'stepSucceeded':
    case 'undoSucceeded':
    case 'stepFailed':
    case 'undoFailed':
      answered(state, entry);
      return;
    case 'heartbeat':
      state.steps.get(entry.step)?.beat(entry.at);
      return;
    case 'expired':
      expired(state, entry);
      return;
    case 'excused':
      excused(state, entry);
      return;
    case 'resubmit':
      for (const step of state.steps.values()) step.resubmitted(state.direction);
      state.stance = 'pending';
      return;
    case 'cancel':
      turnBack(state);
      // What runs comes to its end first; only then is the order claimed, or goes on, to be undone.
      if (state.stance === 'stopped') state.stance = 'pending';
      return;
    case 'submit':
    case 'shortened':
    case 'other':
      return;
  }
}

function answered(state: Walk, entry: Answer): void {
  const step = state.steps.get(entry.step);
  if (step === undefined) return;
  const action = entry.type.startsWith('undo') ? 'undo' : 'perform';
  const fault = 'fault' in entry ? entry.fault : null;
  const kind: BarKind = fault === null ? 'succeeded' : 'failed';
  const call: Call = { action, attempt: entry.attempt, from: state.lastStartAt };
  const late = state.stance !== 'processing';
  step.answered(call, { kind, at: entry.at, late, fault });
  if (entry.type === 'undoFailed') state.stance = 'stopped';
  if (entry.type === 'stepFailed' && state.stance !== 'stopped' && state.direction === 'forward') {
    if (step.policy.onFault === 'hold') state.stance = 'stopped';
    else turnBack(state);
  }
  if (state.stance === 'processing') advance(state, entry.at);
}

function expired(state: Walk, { at, steps }: Sweep): void {
  let worst: 'retry' | 'turnBack' | 'hold' = 'retry';
  for (const name of steps) {
    const verdict = state.steps.get(name)?.timedOut(at, state.direction, state.lastStartAt);
    if (verdict === 'hold' || (verdict === 'turnBack' && worst === 'retry')) worst = verdict;
  }
  if (state.stance === 'stopped' || steps.length === 0) return;
  state.stance = worst === 'hold' ? 'stopped' : 'pending';
  if (worst === 'turnBack') turnBack(state);
}

function excused(state: Walk, entry: Sweep): void {
  const notBefore = entry.type === 'excused' ? entry.notBefore : entry.at;
  for (const name of entry.steps) {
    state.steps.get(name)?.takenBack(entry.at, notBefore, state.lastStartAt);
  }
  if (state.stance !== 'stopped' && entry.steps.length > 0) state.stance = 'pending';
}

/** An irreversible step that happened, or may have, leaves only the way forward. */
function turnBack(state: Walk): void {
  state.direction = 'undo';
  for (const step of state.steps.values()) step.failures = 0;
  holdIfIrreversible(state);
}

function holdIfIrreversible(state: Walk): boolean {
  if (![...state.steps.values()].some((step) => step.bindsForward)) return false;
  state.direction = 'forward';
  state.stance = 'stopped';
  return true;
}

function advance(state: Walk, at: number): void {
  state.lastStartAt = at;
  if (state.direction === 'forward') advanceForward(state, at);
  else advanceUndo(state, at);
}

function advanceForward({ steps, definition }: Walk, at: number): void {
  for (const { name, after } of definition ?? []) {
    const isReady = after.every((before) => steps.get(before)?.isSettled ?? true);
    if (isReady) steps.get(name)?.perform(at);
  }
}

/** From the end to the beginning: a step is undone after all that came after it. */
function advanceUndo(state: Walk, at: number): void {
  const { steps, definition } = state;
  if ([...steps.values()].some((step) => step.isPerforming)) return;
  if (holdIfIrreversible(state)) return;
  const blocked = new Set<string>();
  let waits = false;
  for (const { name, after, undo } of [...(definition ?? [])].reverse()) {
    const step = steps.get(name);
    if (step === undefined) continue;
    const isDue = undo === 'offered' && step.needsUndo;
    const isFree = !blocked.has(name);
    if (isDue && isFree) waits = !step.undo(at) || waits;
    if (isDue || step.isUndoing || !isFree) for (const before of after) blocked.add(before);
  }
  // In doubt: until an agent can be at work no more, nobody has the order.
  if (waits && ![...steps.values()].some((step) => step.isUndoing)) state.stance = 'pending';
}
