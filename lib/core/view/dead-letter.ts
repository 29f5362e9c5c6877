/**
 * What is to become of a dead letter: by the state of its order, and never blindly. Sending a message
 * again is harmless (every role ignores what no longer counts), so the question is only whether it is of
 * any use, and what a person must see.
 */
import type { Action } from '#core/model/ids.ts';
import type { ProcessState, StepState } from '#core/model/record.ts';

export const deadLetterKinds = [
  'nudge',
  'request',
  'reply',
  'submission',
  'change',
  'status',
  'notification',
] as const;
export type DeadLetterKind = (typeof deadLetterKinds)[number];

/** The order as it is now, as far as it matters. */
export interface OrderNow {
  readonly processState: ProcessState;
  readonly steps: Readonly<Record<string, { readonly state: StepState; readonly attempt: number }>>;
}

/** What the letter is about, as far as it can be read. */
export interface DeadLetterSubject {
  readonly orderId: string;
  readonly step?: string;
  readonly attempt?: number;
  readonly action?: Action;
}

export type DeadLetterAction =
  /** Send it back to the queue it came from. */
  | { readonly kind: 'redrive'; readonly why: string }
  /** Delete it: it can have no effect any more. */
  | { readonly kind: 'discard'; readonly why: string }
  /** Leave it: a person must look. */
  | { readonly kind: 'keep'; readonly why: string };

export interface DeadLetterOrigin {
  readonly kind: DeadLetterKind;
  /** Parked by a reader, with a reason; else given up by its queue after too many tries. */
  readonly wasParked: boolean;
  /** Null when it cannot be read, or is about no order yet. */
  readonly subject: DeadLetterSubject | null;
}

/** `order`: null when there is none. */
export function deadLetterAction(
  { kind, wasParked, subject }: DeadLetterOrigin,
  order: OrderNow | null,
): DeadLetterAction {
  switch (kind) {
    case 'change':
      return subject === null
        ? keep('It cannot be read, and its status was not delivered. Check its orders.')
        : redrive('It can be read now, and is delivered to its receivers.');
    case 'status':
    case 'notification':
      return redrive('Its receiver did not take it for days: see that it does now.');
    case 'submission':
      return wasParked
        ? keep('It was refused: inform its producer, or send it again.')
        : redrive('It was never answered, and its key makes it one order.');
    case 'nudge':
    case 'request':
    case 'reply': {
      if (subject === null) return keep('It cannot be read.');
      if (order === null) return keep('There is no such order.');
      const { processState } = order;
      if (processState === 'Processed' || processState === 'Undone') {
        return discard(`The order is ${processState}.`);
      }
      return kind === 'nudge' ? nudgeFate(processState) : callFate(subject, order);
    }
  }
}

function nudgeFate(processState: ProcessState): DeadLetterAction {
  return processState === 'Pending'
    ? redrive('The order waits to be claimed.')
    : discard(`The order is ${processState}: it has been claimed since.`);
}

function callFate(
  { step = '', attempt, action }: DeadLetterSubject,
  { steps }: OrderNow,
): DeadLetterAction {
  const now = steps[step];
  if (now === undefined) return keep(`The order has no step ${step}.`);
  if (now.attempt !== attempt) {
    return discard(`It is of attempt ${attempt}; step ${step} is at attempt ${now.attempt}.`);
  }
  const underWay = action === 'undo' ? 'Undoing' : 'Running';
  return now.state === underWay
    ? redrive(`Step ${step} still waits for attempt ${attempt}.`)
    : discard(`Step ${step} is ${now.state}.`);
}

const redrive = (why: string): DeadLetterAction => ({ kind: 'redrive', why });
const discard = (why: string): DeadLetterAction => ({ kind: 'discard', why });
const keep = (why: string): DeadLetterAction => ({ kind: 'keep', why });
