/**
 * The same text for all states with the same behaviour: instants are relative to now, past instants are
 * equal, messages have no order, and the text excludes counters and histories that `decide` only writes.
 */
import { dueAt } from '#core/decide/due.ts';
import { limits } from '#core/model/limits.ts';
import type { StepRecord } from '#core/model/record.ts';
import type { Call, Reply, WorldState } from './small-world.ts';

/** The text of the state. */
export function canonical(state: WorldState): string {
  const { record, nowMs, left } = state;
  const after = (at: number | null) => (at === null ? '' : at < nowMs ? '-' : String(at - nowMs));
  const step = (one: StepRecord) => {
    const { agent, attempt, failures, keyGeneration, doubtUntil, progress, undoFirst } = one;
    const until = 'completeBy' in progress ? after(progress.completeBy) : '';
    const before = 'before' in progress ? progress.before.state : '';
    const fault = 'fault' in progress ? progress.fault.code : '';
    const held = heldText(one, nowMs);
    return [
      progress.state,
      agent,
      attempt,
      failures,
      keyGeneration,
      after(doubtUntil),
      until,
      before,
      fault,
      held,
      undoFirst === undefined ? '' : Object.values(undoFirst).join('+'),
    ];
  };
  const call = ({ step: name, agent, attempt, action, completeBy, performKey }: Call) =>
    [name, agent, attempt, action, after(completeBy), performKey].join(' ');
  const reply = ({ step: name, agent, attempt, action, answer }: Reply) =>
    [name, agent, attempt, action, answer].join(' ');
  const texts = (all: readonly string[]) => [...all].sort().join(',');
  return [
    record.processState,
    record.direction,
    record.fault?.code ?? '',
    after(record.notBefore),
    after(dueAt(record)),
    after(record.deadline?.lateAt ?? null),
    record.steps.map((one) => step(one).join(' ')).join(','),
    state.nudges,
    texts(state.requests.map(call)),
    texts(state.working.map(call)),
    texts(state.replies.map(reply)),
    texts(Object.entries(state.effects).map(([key, effect]) => `${key} ${effect}`)),
    Object.values(left).join(' '),
  ].join('|');
}

/** Why the step is held, for how long at most, and for how long without another look. */
function heldText({ progress, policy }: StepRecord, nowMs: number): string {
  if (progress.state !== 'Held') return '';
  const { gate, since, until } = progress;
  const endsAt = since + (policy.holdMaxMs ?? limits.holdMaxMs);
  return `${gate} ${Math.max(-1, endsAt - nowMs)} ${Math.max(-1, until - nowMs)}`;
}
