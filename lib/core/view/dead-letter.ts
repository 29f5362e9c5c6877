/**
 * The action for a dead letter, which depends on the state of its order. Sending a message again is
 * harmless, because every role ignores outdated messages; the action says whether it is useful.
 */
import type { Action } from '#core/model/ids.ts';
import type { ProcessState, StepState } from '#core/model/record.ts';

/** The kinds of messages that dead-letter queues contain. */
export const deadLetterKinds = [
  'nudge',
  'deadline-check',
  'request',
  'reply',
  'submission',
  'change',
  'status',
  'notification',
] as const;
/** See {@link deadLetterKinds}. */
export type DeadLetterKind = (typeof deadLetterKinds)[number];

/** The current state of the order and its steps. */
export interface OrderNow {
  readonly processState: ProcessState;
  readonly steps: Readonly<Record<string, { readonly state: StepState; readonly attempt: number }>>;
}

/** The order and the call that a dead letter refers to, as far as it can be read. */
export interface DeadLetterSubject {
  readonly orderId: string;
  readonly step?: string;
  readonly attempt?: number;
  readonly action?: Action;
}

/** The action, with a sentence for operators. */
export type DeadLetterAction =
  /** Send it back to its original queue. */
  | { readonly kind: 'redrive'; readonly why: string }
  /** Delete it, because it no longer has an effect. */
  | { readonly kind: 'discard'; readonly why: string }
  /** Leave it for an operator. */
  | { readonly kind: 'keep'; readonly why: string };

/** A dead letter. */
export interface DeadLetterOrigin {
  readonly kind: DeadLetterKind;
  /** Whether a role parked it with a reason; else its queue moved it after too many receives. */
  readonly wasParked: boolean;
  /** Null when it cannot be read, or refers to no order. */
  readonly subject: DeadLetterSubject | null;
}

/** @param order null when it does not exist */
export function deadLetterAction(
  { kind, wasParked, subject }: DeadLetterOrigin,
  order: OrderNow | null,
): DeadLetterAction {
  switch (kind) {
    case 'change':
      return subject === null
        ? keep('It cannot be read, and its status was not delivered. Check its orders.')
        : redrive('It can be read now, and will be delivered to its receivers.');
    case 'status':
    case 'notification':
      return redrive('Its receiver refused it for days: make sure that it accepts it now.');
    case 'submission':
      return wasParked
        ? keep('It was refused: inform its sender, or send it again.')
        : redrive('It was never processed, and its key prevents a second order.');
    case 'nudge':
    case 'deadline-check':
    case 'request':
    case 'reply': {
      if (subject === null) return keep('It cannot be read.');
      if (order === null) return keep('There is no such order.');
      const { processState } = order;
      if (processState === 'Processed' || processState === 'Undone') {
        return discard(`The order is ${processState}.`);
      }
      if (kind === 'deadline-check') {
        return discard('A sweep finds its order as soon as a call is late.');
      }
      return kind === 'nudge' ? nudgeAction(order) : callAction(subject, order);
    }
  }
}

function nudgeAction({ processState, steps }: OrderNow): DeadLetterAction {
  if (processState === 'Pending') return redrive('The order waits to be claimed.');
  if (processState === 'Error') return discard('The order is Error: it waits for an operator.');
  return Object.values(steps).some(({ state }) => state === 'Held')
    ? redrive('The order has a held step, and asks its agent again.')
    : discard(`The order is ${processState}: it has been claimed since.`);
}

function callAction(
  { step = '', attempt, action }: DeadLetterSubject,
  { steps }: OrderNow,
): DeadLetterAction {
  const now = steps[step];
  if (now === undefined) return keep(`The order has no step ${step}.`);
  if (now.attempt !== attempt) {
    return discard(`It belongs to attempt ${attempt}; step ${step} is at attempt ${now.attempt}.`);
  }
  const underWay = action === 'undo' ? 'Undoing' : 'Running';
  return now.state === underWay
    ? redrive(`Step ${step} still waits for attempt ${attempt}.`)
    : discard(`Step ${step} is ${now.state}.`);
}

const redrive = (why: string): DeadLetterAction => ({ kind: 'redrive', why });
const discard = (why: string): DeadLetterAction => ({ kind: 'discard', why });
const keep = (why: string): DeadLetterAction => ({ kind: 'keep', why });
