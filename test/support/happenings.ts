/** Events that may happen to an order of the small workflow, in any state. */
import { decide, type Transition } from '#core/decide/decide.ts';
import { dueAt } from '#core/decide/due.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { schedulerId, writeId } from '#core/model/ids.ts';
import {
  type Priority,
  type ProcessRecord,
  type StepRecord,
  underWay,
} from '#core/model/record.ts';
import { details, house } from './orders.ts';

export const happenings = [
  'claim',
  'succeed',
  'expire',
  'beat',
  'resubmit',
  'fail',
  'cancel',
  'park',
  'interrupt',
  'reprioritise',
] as const;
export type Happening = (typeof happenings)[number];

/**
 * The next revision, at `now` or when the order is due: by what is wished, or else by the first of
 * `happenings` that counts, so that an order comes on. Null at its end.
 */
export function happened(
  record: ProcessRecord,
  wished: Happening,
  now: number,
  write: string,
): ProcessRecord | null {
  return transitionOf(record, wished, now, write)?.record ?? null;
}

/** As `happened`, with the commands that follow the write. */
export function transitionOf(
  record: ProcessRecord,
  wished: Happening,
  now: number,
  write: string,
): Transition | null {
  for (const happening of [wished, ...happenings]) {
    const event = eventOf(record, happening);
    if (event === null) continue;
    const at = Math.max(now, earliest(record, happening));
    const known = happening === 'park' ? null : { definition: house, details };
    const decision = decide(record, event, known, at);
    if (decision.kind === 'transition') {
      return { ...decision, record: { ...decision.record, writeId: writeId(write) } };
    }
  }
  return null;
}

function earliest(record: ProcessRecord, happening: Happening): number {
  if (happening === 'claim' || happening === 'park') return record.notBefore;
  return happening === 'expire' ? (dueAt(record) ?? 0) : 0;
}

/** Null when there is no step that it could happen to. */
function eventOf(record: ProcessRecord, happening: Happening): RecordEvent | null {
  const step = record.steps.find(({ progress }) => underWay(progress));
  switch (happening) {
    case 'cancel':
    case 'resubmit':
      return { type: happening, by: 'operator' };
    case 'reprioritise':
      return { type: happening, by: 'operator', priority: otherThan(record.priority) };
    case 'claim':
    case 'park':
      return { type: 'claim', by: schedulerId('scheduler') };
    case 'expire':
      return { type: 'expired' };
    case 'interrupt':
      return { type: 'interrupted', reason: 'restart', notBefore: record.updatedAt + 2_000 };
    case 'fail':
    case 'succeed':
    case 'beat':
      return step === undefined ? null : replyOf(step, happening);
  }
}

const otherThan = (priority: Priority): Priority => (priority === 'high' ? 'low' : 'high');

function replyOf(
  { name, attempt, agent, progress: { state } }: StepRecord,
  happening: 'fail' | 'succeed' | 'beat',
): RecordEvent {
  const from = { step: name, attempt, agent };
  const fault = { code: 'refused', message: 'No.', effect: 'none' } as const;
  switch (happening) {
    case 'beat':
      return { type: 'heartbeat', ...from };
    case 'fail':
      return { type: state === 'Undoing' ? 'undoFailed' : 'stepFailed', ...from, fault };
    case 'succeed':
      return state === 'Undoing'
        ? { type: 'undoSucceeded', ...from }
        : { type: 'stepSucceeded', ...from, output: { litres: 3 } };
  }
}
