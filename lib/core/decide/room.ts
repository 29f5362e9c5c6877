/**
 * What a record has room for. Forward an order may go only while enough is left for everything that must
 * still be possible then: what runs may report, a person may cancel, and all may be undone.
 */

import { isRecordWithin } from '#core/codec/record-size.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { Fault } from '#core/model/fault.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { OrderFault, ProcessRecord } from '#core/model/record.ts';

/** Whether the event may make this record of the order. */
export function hasRoom(event: RecordEvent, next: ProcessRecord): boolean {
  return isRecordWithin(next, bytesAllowed(event, next));
}

function bytesAllowed({ type }: RecordEvent, { processState, direction }: ProcessRecord): number {
  const isLive = processState === 'Pending' || processState === 'Processing';
  switch (type) {
    case 'claim':
    case 'heartbeat':
    case 'resubmit':
      return isLive && direction === 'forward' ? limits.recordBytesToStart : limits.recordBytesMax;
    case 'stepSucceeded':
      return processState === 'Processing' && direction === 'forward'
        ? limits.recordBytesToStart
        : limits.recordBytesToKeep;
    case 'stepFailed':
    case 'undoSucceeded':
    case 'undoFailed':
    case 'expired':
    case 'interrupted':
    case 'cancel':
      return limits.recordBytesMax;
  }
}

/** Why an order stops whose record has no room for more; `step`: whose report filled it. */
export function recordTooLarge(step: StepName | null): OrderFault {
  return {
    code: 'record-too-large',
    message:
      'The record of the order has no room left for the way forward. Resubmit the order, which drops older entries of its history, or cancel it.',
    effect: 'none',
    step,
    action: step === null ? null : 'perform',
  };
}

/** Of a step that was done, whose output cannot be kept. */
export const outputTooLarge: Fault = {
  code: 'record-too-large',
  message: "The step succeeded, but the order's record has no room left for its output.",
  effect: 'possible',
};
