import { expect, test } from 'vitest';
import type { ProcessState, StepState } from '#core/model/record.ts';
import {
  type DeadLetterKind,
  type DeadLetterSubject,
  deadLetterAction,
  type OrderNow,
} from '#core/view/dead-letter.ts';

const order = (
  processState: ProcessState,
  state: StepState = 'Running',
  attempt = 2,
): OrderNow => ({
  processState,
  steps: { charge: { state, attempt } },
});
const about = (attempt: number, action: 'perform' | 'undo' = 'perform') => ({
  orderId: 'o-1',
  step: 'charge',
  attempt,
  action,
});
const nudge = { orderId: 'o-1' };

test.each<[DeadLetterKind, DeadLetterSubject | null, OrderNow | null, string, string]>([
  ['nudge', nudge, order('Pending'), 'redrive', 'waits to be claimed'],
  ['nudge', nudge, order('Processing'), 'discard', 'has been claimed'],
  ['nudge', nudge, order('Processing', 'Held'), 'redrive', 'has a held step'],
  ['nudge', nudge, order('Error'), 'discard', 'waits for an operator'],
  ['nudge', nudge, order('Processed'), 'discard', 'The order is Processed.'],
  ['nudge', nudge, null, 'keep', 'no such order'],
  ['nudge', null, null, 'keep', 'cannot be read'],
  ['request', about(2), order('Processing'), 'redrive', 'still waits for attempt 2'],
  ['request', about(1), order('Processing'), 'discard', 'is at attempt 2'],
  ['request', about(2), order('Processing', 'Completed'), 'discard', 'is Completed'],
  [
    'request',
    about(2, 'undo'),
    order('Processing', 'Undoing'),
    'redrive',
    'still waits for attempt 2',
  ],
  ['request', about(2, 'undo'), order('Processing', 'Running'), 'discard', 'is Running'],
  ['request', { ...about(2), step: 'other' }, order('Processing'), 'keep', 'no step other'],
  ['request', null, null, 'keep', 'cannot be read'],
  ['reply', about(2), order('Processing'), 'redrive', 'still waits for attempt 2'],
  ['reply', about(2), order('Pending'), 'redrive', 'still waits for attempt 2'],
  ['reply', about(3), order('Processing'), 'discard', 'belongs to attempt 3'],
  ['reply', about(2), order('Undone'), 'discard', 'The order is Undone.'],
  ['reply', about(2), null, 'keep', 'no such order'],
  ['submission', null, null, 'keep', 'was refused'],
  ['change', null, null, 'keep', 'was not delivered'],
  ['status', nudge, order('Processed'), 'redrive', 'Its receiver refused it'],
  ['status', nudge, null, 'redrive', 'Its receiver refused it'],
])('a %s about %j, its order being %j: %s', (kind, subject, now, fate, why) => {
  const found = deadLetterAction({ kind, subject, wasParked: true }, now);
  expect(found.kind).toBe(fate);
  expect(found.why).toContain(why);
});

test('an unprocessed submission is redriven; a refused one is kept', () => {
  const letter = { kind: 'submission', subject: null } as const;
  expect(deadLetterAction({ ...letter, wasParked: false }, null)).toEqual({
    kind: 'redrive',
    why: 'It was never processed, and its key prevents a second order.',
  });
  expect(deadLetterAction({ ...letter, wasParked: true }, null).kind).toBe('keep');
});
