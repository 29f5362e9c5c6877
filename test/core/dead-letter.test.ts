import { expect, test } from 'vitest';
import {
  type LetterKind,
  type LetterSubject,
  letterFate,
  type OrderNow,
} from '#core/dead-letter.ts';
import type { ProcessState, StepState } from '#core/record.ts';

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

test.each<[LetterKind, LetterSubject | null, OrderNow | null, string]>([
  ['nudge', nudge, order('Pending'), 'redrive'],
  ['nudge', nudge, order('Processing'), 'discard'],
  ['nudge', nudge, order('Error'), 'discard'],
  ['nudge', nudge, order('Processed'), 'discard'],
  ['nudge', nudge, null, 'keep'],
  ['nudge', null, null, 'keep'],
  ['request', about(2), order('Processing'), 'redrive'],
  ['request', about(1), order('Processing'), 'discard'],
  ['request', about(2), order('Processing', 'Completed'), 'discard'],
  ['request', about(2, 'undo'), order('Processing', 'Undoing'), 'redrive'],
  ['request', about(2, 'undo'), order('Processing', 'Running'), 'discard'],
  ['request', { ...about(2), step: 'other' }, order('Processing'), 'keep'],
  ['request', null, null, 'keep'],
  ['reply', about(2), order('Processing'), 'redrive'],
  ['reply', about(2), order('Pending'), 'redrive'],
  ['reply', about(3), order('Processing'), 'discard'],
  ['reply', about(2), order('Undone'), 'discard'],
  ['reply', about(2), null, 'keep'],
  ['submission', null, null, 'keep'],
  ['change', null, null, 'keep'],
])('a %s about %j, its order being %j: %s', (kind, subject, now, fate) => {
  const found = letterFate({ kind, subject, wasParked: true }, now);
  expect(found.kind).toBe(fate);
  expect(found.why).toMatch(/\.$/);
});

test('a submission that nobody answered is sent back; one that was refused is kept', () => {
  const letter = { kind: 'submission', subject: null } as const;
  expect(letterFate({ ...letter, wasParked: false }, null).kind).toBe('redrive');
  expect(letterFate({ ...letter, wasParked: true }, null).kind).toBe('keep');
});
