/**
 * One text for all states that behave alike: instants count from now and are forgotten once they have
 * passed, messages have no order, and counters and histories that `decide` only writes are left out.
 */
import { dueAt } from '#core/decide/due.ts';
import type { StepRecord } from '#core/model/record.ts';
import type { Call, Reply, WorldState } from './small-world.ts';

export function canonical(state: WorldState): string {
  const { record, nowMs, left } = state;
  const after = (at: number | null) => (at === null ? '' : at < nowMs ? '-' : String(at - nowMs));
  const step = ({ attempt, failures, keyGeneration, doubtUntil, progress }: StepRecord) => {
    const until = 'completeBy' in progress ? after(progress.completeBy) : '';
    const before = 'before' in progress ? progress.before.state : '';
    const fault = 'fault' in progress ? progress.fault.code : '';
    return [
      progress.state,
      attempt,
      failures,
      keyGeneration,
      after(doubtUntil),
      until,
      before,
      fault,
    ];
  };
  const call = ({ step: name, attempt, action, completeBy, performKey }: Call) =>
    [name, attempt, action, after(completeBy), performKey].join(' ');
  const reply = ({ step: name, attempt, action, answer }: Reply) =>
    [name, attempt, action, answer].join(' ');
  const texts = (all: readonly string[]) => [...all].sort().join(',');
  return [
    record.processState,
    record.direction,
    record.fault?.code ?? '',
    after(record.notBefore),
    after(dueAt(record)),
    record.steps.map((one) => step(one).join(' ')).join(','),
    state.nudges,
    texts(state.requests.map(call)),
    texts(state.working.map(call)),
    texts(state.replies.map(reply)),
    texts(Object.entries(state.effects).map(([key, effect]) => `${key} ${effect}`)),
    Object.values(left).join(' '),
  ].join('|');
}
