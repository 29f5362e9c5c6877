/**
 * The same text for all states with the same behaviour: instants are relative to now, past instants are
 * equal, messages have no order, and the text excludes counters and histories that `decide` only writes.
 */
import { dueAt } from '#core/decide/due.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord, StepRecord } from '#core/model/record.ts';
import type { Budgets, Call, Reply, WorldState } from './small-world.ts';

/** Returns the function that gives the text of a state. It keeps the texts of the latest parts, most of which a move leaves as they are. */
export function canonicalTexts(): (state: WorldState) => string {
  const record = kept(recordText);
  const requests = kept(callsText);
  const working = kept(callsText);
  const replies = kept(repliesText);
  const effects = kept(effectsText);
  const left = kept((budgets: Budgets) => Object.values(budgets).join(' '));
  return (state) => {
    const { nowMs } = state;
    return [
      record(state.record, nowMs),
      state.nudges,
      requests(state.requests, nowMs),
      working(state.working, nowMs),
      replies(state.replies, nowMs),
      effects(state.effects, nowMs),
      left(state.left, nowMs),
    ].join('|');
  };
}

/** The text of a part, which is kept until another part or another instant is asked for. */
function kept<Part>(textOf: (part: Part, nowMs: number) => string) {
  let latest: { readonly part: Part; readonly nowMs: number; readonly text: string } | undefined;
  return (part: Part, nowMs: number): string => {
    if (latest?.part !== part || latest.nowMs !== nowMs) {
      latest = { part, nowMs, text: textOf(part, nowMs) };
    }
    return latest.text;
  };
}

const after = (at: number | null, nowMs: number) =>
  at === null ? '' : at < nowMs ? '-' : String(at - nowMs);

const callsText = (calls: readonly Call[], nowMs: number) =>
  calls
    .map(
      ({ step, agent, attempt, action, completeBy, performKey }) =>
        `${step} ${agent} ${attempt} ${action} ${after(completeBy, nowMs)} ${performKey}`,
    )
    .sort()
    .join(',');

const repliesText = (replies: readonly Reply[]) =>
  replies
    .map(
      ({ step, agent, attempt, action, answer }) =>
        `${step} ${agent} ${attempt} ${action} ${answer}`,
    )
    .sort()
    .join(',');

const effectsText = (effects: WorldState['effects']) =>
  Object.entries(effects)
    .map(([key, effect]) => `${key} ${effect}`)
    .sort()
    .join(',');

function recordText(record: ProcessRecord, nowMs: number): string {
  return [
    record.processState,
    record.direction,
    record.fault?.code ?? '',
    after(record.notBefore, nowMs),
    after(dueAt(record), nowMs),
    after(record.deadline?.lateAt ?? null, nowMs),
    record.steps.map((step) => stepText(step, nowMs)).join(','),
  ].join('|');
}

function stepText(step: StepRecord, nowMs: number): string {
  const { agent, attempt, failures, keyGeneration, doubtUntil, progress, undoFirst } = step;
  const until = 'completeBy' in progress ? after(progress.completeBy, nowMs) : '';
  const before =
    'before' in progress ? `${progress.before.state}${faultText(progress.before)}` : '';
  const fault = faultText(progress);
  const held = heldText(step, nowMs);
  return [
    progress.state,
    agent,
    attempt,
    failures,
    keyGeneration,
    after(doubtUntil, nowMs),
    until,
    before,
    fault,
    held,
    undoFirst === undefined ? '' : Object.values(undoFirst).join('+'),
  ].join(' ');
}

/** What a step has failed with, also one that is being undone: if the undo fails too, the step fails with it again. */
const faultText = (progress: StepRecord['progress']): string =>
  'fault' in progress ? `${progress.fault.code} ${progress.fault.effect}` : '';

/** Why the step is held, for how long at most, and for how long without another look. */
function heldText({ progress, policy }: StepRecord, nowMs: number): string {
  if (progress.state !== 'Held') return '';
  const { gate, since, until } = progress;
  const endsAt = since + (policy.holdMaxMs ?? limits.holdMaxMs);
  return `${gate} ${Math.max(-1, endsAt - nowMs)} ${Math.max(-1, until - nowMs)}`;
}
