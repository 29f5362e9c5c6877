/** Checks an order at its end: the record, the history and the effect ledger of the services. */

import { decodeRecord, encodeRecord } from '#core/codec/record-codec.ts';
import { recordBytes } from '#core/codec/record-size.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { describeError } from '#core/model/errors.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { findStep, type ProcessRecord } from '#core/model/record.ts';
import { isSame, isSameAs, type KnownPairs } from './same-document.ts';
import type { Violation } from './violation.ts';

/** The effect ledger: the state of each key of a perform in the services. */
export type EffectLedger = Iterable<readonly [key: string, effect: string]>;

/** R16: an order ends Processed or Undone. */
export function checkEnded({ orderId, processState }: ProcessRecord): Violation | null {
  return isEnded(processState)
    ? null
    : { rule: 'R16', message: `${orderId} never ended: it is ${processState}` };
}

/**
 * R5, R10: for a Processed order, the ledger has exactly one effect per Completed step; for an Undone order
 * it has no effect that could be undone.
 */
export function checkEffects(
  { orderId, processState, steps }: ProcessRecord,
  definition: WorkflowDefinition,
  effects: EffectLedger,
): Violation | null {
  if (!isEnded(processState)) return null;
  for (const { name, undo } of definition.steps) {
    const units = unitsOf(effects, orderId, name);
    const state = findStep({ steps }, name)?.progress.state;
    const due = processState === 'Processed' && state === 'Completed' ? 1 : 0;
    const isKept = undo === 'unneeded' || (undo === 'impossible' && state !== 'Completed');
    const mayStay = processState === 'Undone' && isKept && units <= 1;
    if (units === due || mayStay) continue;
    const rule = units > due && processState === 'Processed' ? 'R5' : 'R10';
    const message = `${orderId} is ${processState}, and ${name} has ${units} effects in the ledger, not ${due}`;
    return { rule, message };
  }
  return null;
}

/** R23: an order is undone for a cause: a fault, a failure, its deadline, a cancel, a hold that lasted too long; not for waiting. */
export function checkCause({
  orderId,
  processState,
  steps,
  history,
}: ProcessRecord): Violation | null {
  if (processState !== 'Undone') return null;
  const isCaused = history.some((entry) => {
    switch (entry.type) {
      case 'stepFailed':
      case 'cancel':
      case 'shortened':
        return true;
      case 'expired':
        return entry.late === true || entry.steps.length > 0;
      default:
        return false;
    }
  });
  const mayEndHolds = steps.some(({ policy }) => policy.holdMaxMs !== undefined);
  return isCaused || mayEndHolds
    ? null
    : { rule: 'R23', message: `${orderId} was undone without a cause` };
}

const isEnded = (state: ProcessRecord['processState']) =>
  state === 'Processed' || state === 'Undone';

function unitsOf(effects: EffectLedger, orderId: string, step: StepName): number {
  const first = `${orderId}/${step}`;
  const ofStep = [`${first}#`, `${first}/`];
  let units = 0;
  for (const [key, effect] of effects) {
    if (effect !== 'applied' || !key.startsWith(first)) continue;
    if (key === first || ofStep.some((start) => key.startsWith(start))) units += 1;
  }
  return units;
}

/**
 * R15: the history replays to every revision that was written, the stored one last.
 *
 * @param replay returns the revisions of the history; throws when an entry does not apply
 */
export function checkHistory(
  record: ProcessRecord,
  replay: () => readonly ProcessRecord[],
  written: (revision: number) => ProcessRecord | undefined,
): Violation | null {
  // A shortened history does not replay.
  if (record.history.some(({ type }) => type === 'shortened')) return null;
  const { orderId } = record;
  try {
    const revisions = replay();
    if (revisions.at(-1)?.revision !== record.revision) {
      return { rule: 'R15', message: `the history of ${orderId} replays to another end` };
    }
    const known: KnownPairs = new WeakMap();
    for (const replayed of revisions) {
      const stored = written(replayed.revision);
      if (isSameAs({ ...replayed, writeId: stored?.writeId }, stored, known)) continue;
      const message = `the history of ${orderId} replays to another revision ${replayed.revision}`;
      return { rule: 'R15', message };
    }
    return null;
  } catch (error) {
    return { rule: 'R15', message: describeError(error) };
  }
}

/** R15: decoding the stored form results in the same record. */
export function checkStored(record: ProcessRecord): Violation | null {
  const stored: unknown = JSON.parse(JSON.stringify(encodeRecord(record)));
  try {
    if (isSame(decodeRecord(stored), record)) return null;
  } catch (error) {
    // What a mistake stored may be nothing that a store would read: a finding of this check, and not the end of a simulation.
    return {
      rule: 'R15',
      message: `${record.orderId} is stored unreadably: ${describeError(error)}`,
    };
  }
  return { rule: 'R15', message: `${record.orderId} is decoded as another record` };
}

/** R14: no record is larger than its limit. */
export function checkSize(record: ProcessRecord): Violation | null {
  const bytes = recordBytes(record);
  return bytes <= limits.recordBytesMax
    ? null
    : { rule: 'R14', message: `${record.orderId} has ${bytes} bytes` };
}
