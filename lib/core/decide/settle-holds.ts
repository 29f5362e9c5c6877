/** The effects of held steps on their order, after the calls of all ready steps were requested. */

import type { Gate } from '#core/model/hold.ts';
import type { AgentName } from '#core/model/ids.ts';
import {
  type Held,
  nextAction,
  type ProcessRecord,
  type StepProgress,
  type StepRecord,
  underWay,
  waitsForAgent,
} from '#core/model/record.ts';
import type { Decision, Transition } from './decide.ts';
import { type Draft, release } from './draft.ts';
import { doubtEndsAt, heldUntil } from './due.ts';
import { heldSince, holdEndsAt, holdNoMore, isForTurn, type NotedHold } from './hold-step.ts';
import { applyVerdicts, countFailure, failuresAtEndOfRound, type Verdict } from './rounds.ts';
import type { OrderContext } from './start-step.ts';
import { inDoubt } from './undo.ts';

/**
 * A hold that has lasted as long as its policy allows counts as a failed round: the order waits for a cool-down, stops or
 * is undone. Returns whether there was one: then nothing else starts in this transition.
 */
export function endHolds(draft: Draft, { holds }: OrderContext): boolean {
  if (holds === undefined) return false;
  const verdicts: Verdict[] = [];
  for (const [at, step] of draft.steps.entries()) {
    const { name, policy, progress } = step;
    const hold: NotedHold | undefined = holds.get(name);
    if (progress.state !== 'Held' || hold === undefined) continue;
    const { since: noted } = hold;
    if (isForTurn(progress) !== isForTurn(hold)) continue;
    const since = noted ?? heldSince(progress, draft.nowMs);
    if (draft.nowMs < holdEndsAt(policy, { gate: progress.gate, since })) continue;
    draft.holds.push({ step: name, ...hold, since });
    holdNoMore(draft, at, step);
    verdicts.push(holdVerdict(draft, at, step, { gate: progress.gate, since }));
  }
  if (verdicts.length === 0) return false;
  applyVerdicts(draft, verdicts, draft.nowMs);
  return true;
}

const minuteMs = 60_000;

const lengthText = (ms: number): string =>
  ms < minuteMs ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / minuteMs)} min`;

const reasons: Readonly<Record<Gate, string>> = {
  concurrency: 'its agent had as many calls as it can begin',
  circuit: 'the circuit breaker of its agent was open',
  limit: 'a limit of its agent had no room for it',
  drained: 'an operator had drained its agent',
  turn: 'an earlier order of its singleton key had not ended',
};

/** Counts the failed round of a hold that has lasted as long as the policy of its step allows. */
export function holdVerdict(
  draft: Draft,
  at: number,
  step: StepRecord,
  { gate, since }: Pick<Held, 'gate' | 'since'>,
): Verdict {
  const action = nextAction(draft, step);
  return countFailure(draft, at, step, {
    action,
    failures: failuresAtEndOfRound(step, action),
    what: `was held for ${lengthText(draft.nowMs - since)} because ${reasons[gate]}`,
    effect: inDoubt(step) ? 'possible' : 'none',
  });
}

/**
 * After the calls of all ready steps were requested: an order that waits only for gates is Pending until the first of
 * them is asked again. No step of a stopped order is held.
 */
export function settleHolds(draft: Draft): void {
  if (!draft.mayHold) return;
  const { processState } = draft.lockState;
  if (processState === 'Error') {
    for (const [at, step] of draft.steps.entries()) holdNoMore(draft, at, step);
    return;
  }
  const until = heldUntil(draft.steps);
  if (processState !== 'Processing' || until === null) return;
  if (!draft.steps.some(({ progress }) => underWay(progress))) release(draft, until);
}

/** Whether a Pending order waits only for gates: then it may be claimed before `notBefore`. */
export function waitsForGates(record: ProcessRecord): boolean {
  const { processState, isHeld, steps, notBefore } = record;
  return isHeld === true && processState === 'Pending' && heldUntil(steps) === notBefore;
}

/**
 * Whether an order that is undone waits until the doubt about a step ends. No gate nudges it at that instant, even if it waits for gates
 * as well.
 */
export function waitsForDoubt({ steps, notBefore }: ProcessRecord): boolean {
  return steps.some((step) => doubtEndsAt(step, notBefore - 1) === notBefore);
}

/**
 * Whether the held steps of the order start as soon as their gates let them. Those of an order that cools down, because
 * another step of it failed, start after the cool-down at the earliest: until then they must take no turn, and no room.
 */
export function mayStartHeld(record: ProcessRecord): boolean {
  const { processState, notBefore, updatedAt } = record;
  if (processState !== 'Pending') return processState === 'Processing';
  return notBefore <= updatedAt || waitsForGates(record);
}

/**
 * An earlier instant is worth a write if it saves so much, ms, and at least half of the wait. So an order is written a few times at
 * most before its gates have to be asked again, however often it is claimed.
 */
const soonerMs = 1_000;

/** Whether its gates open so much earlier than the order knows that it is to ask them then. */
function opensSooner(before: ProcessRecord, after: ProcessRecord, nowMs: number): boolean {
  const [known, next] = [heldUntil(before.steps), heldUntil(after.steps)];
  if (known === null || next === null) return false;
  const savedMs = known - next;
  return savedMs >= soonerMs && savedMs > (known - nowMs) / 2;
}

/**
 * Ignores a claim, or a resume beside calls in flight, that came before its gates had to be asked again, and found that the same gates
 * hold the same steps for as long, or nearly: nothing about it is worth a write. An instant that is much earlier is: the slot of a slow
 * rate is lost if the order does not ask for it then. Not a part of `decide`, because a history that has such claims must replay (R15).
 */
export function unlessStillHeld(
  before: ProcessRecord,
  decision: Decision,
  nowMs: number,
): Decision {
  if (before.isHeld === undefined || decision.kind === 'ignored') return decision;
  const { processState, notBefore } = before;
  const askAt = processState === 'Processing' ? heldUntil(before.steps) : notBefore;
  if (askAt === null || askAt <= nowMs || !isHeldAgain(decision)) return decision;
  const { steps } = decision.record;
  const isSame = before.steps.every(
    ({ progress }, at) => waitOf(progress) === waitOf(steps[at]?.progress ?? progress),
  );
  const isWorthless = isSame && !opensSooner(before, decision.record, nowMs);
  return isWorthless ? { kind: 'ignored', reason: 'still-held' } : decision;
}

/** Whether the gates were asked, and let no step start. */
function isHeldAgain({ record, commands }: Transition): boolean {
  const type = record.history.at(-1)?.type;
  return type === 'held' || (type === 'resume' && commands.every(({ kind }) => kind !== 'request'));
}

const waitOf = (progress: StepProgress) =>
  progress.state === 'Held' ? `${progress.gate} ${progress.queue ?? ''}` : null;

/** A step that waits, and for which agent. */
export interface WaitingStep extends Pick<Held, 'since' | 'queue'> {
  readonly agent: AgentName;
}

/** After one in so many writes, a step whose circuit is open is in the index: it may be the probe by which that closes. */
const probeEvery = 4;

const inTurn = (steps: readonly WaitingStep[], turn: number) => steps[turn % steps.length] ?? null;

/**
 * The step of which an index of waiting orders has one entry for each order: a claim by its turn asks for all held steps, but only this one
 * has its turn, and others are refused while orders wait for their agents (R24). So it is another one after each write, and none whose agent
 * makes no calls at all where one waits for an agent that does: that step may start now, and the other one is next then.
 *
 * @returns null: no step waits for an agent and may start
 */
export function indexedStep(record: ProcessRecord): WaitingStep | null {
  if (record.isHeld === undefined || !mayStartHeld(record)) return null;
  const waiting: (WaitingStep & { readonly gate: Gate })[] = [];
  for (const { agent, progress } of record.steps) {
    if (waitsForAgent(progress)) waiting.push({ ...progress, agent });
  }
  const { revision } = record;
  const served = waiting.filter(({ gate }) => gate !== 'circuit' && gate !== 'drained');
  if (served.length === 0) return inTurn(waiting, revision);
  const probes = waiting.filter(({ gate }) => gate === 'circuit');
  const probed = Math.floor(revision / probeEvery);
  if (probes.length === 0) return inTurn(served, revision);
  return revision % probeEvery === 0 ? inTurn(probes, probed) : inTurn(served, revision - probed);
}
