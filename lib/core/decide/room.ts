/**
 * Size limits of a record. An order goes forward only while the record has room for what must remain
 * possible: the replies of running steps, a cancel by an operator, and the undo of every step.
 */

import { isRecordWithin } from '#core/codec/record-size.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { Fault } from '#core/model/fault.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { OrderFault, ProcessRecord } from '#core/model/record.ts';

/** Whether this record is small enough to be the result of the event. */
export function hasRoom(event: RecordEvent, next: ProcessRecord): boolean {
  return isRecordWithin(next, bytesAllowed(event, next));
}

function bytesAllowed({ type }: RecordEvent, { processState, direction }: ProcessRecord): number {
  const isLive = processState === 'Pending' || processState === 'Processing';
  switch (type) {
    case 'claim':
    case 'resume':
    case 'heartbeat':
    case 'resubmit':
      return isLive && direction === 'forward' ? limits.recordBytesToStart : limits.recordBytesMax;
    case 'reprioritise':
      // It must not use what is reserved for the undo.
      return limits.recordBytesToStart;
    case 'stepSucceeded':
      return processState === 'Processing' && direction === 'forward'
        ? limits.recordBytesToStart
        : limits.recordBytesToKeep;
    case 'undoSucceeded':
      // While the order goes forward, the step that was undone starts anew.
      return processState === 'Processing' && direction === 'forward'
        ? limits.recordBytesToStart
        : limits.recordBytesMax;
    case 'stepFailed':
    case 'undoFailed':
    case 'deferred':
    case 'expired':
    case 'interrupted':
    case 'cancel':
      return limits.recordBytesMax;
  }
}

/** The fault of an order whose record is full. `step`: the step whose reply filled it, or null. */
export function recordTooLarge(step: StepName | null): OrderFault {
  return {
    code: 'record-too-large' satisfies FaultCode,
    message:
      'The record of the order has no room left for the way forward, also without older entries of its history. Cancel the order, unless an irreversible step happened, and submit the rest as another one.',
    effect: 'none',
    step,
    action: step === null ? null : 'perform',
  };
}

/** The fault of a step that succeeded with an output for which the record has no room. */
export const outputTooLarge: Fault = {
  code: 'record-too-large' satisfies FaultCode,
  message: "The step succeeded, but the order's record has no room left for its output.",
  effect: 'possible',
};
