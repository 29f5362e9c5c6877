import { expect, test } from 'vitest';
import { UnavailableError } from '#core/errors.ts';
import { orderId } from '#core/ids.ts';
import type { Submission, SubmissionOutcome } from '#roles/submission.ts';
import { submissionDelivery } from '#roles/submission-delivery.ts';
import { testLog } from '../support/log.ts';

const request = {
  workflow: 'house',
  details: { card: '4111' },
  priority: 'normal',
  tenant: null,
  correlationId: null,
  replyTo: null,
  key: 'k',
} as const;

const answering = (answer: () => Promise<SubmissionOutcome>): Submission => ({ submit: answer });

test('an accepted submission is done', async () => {
  const accepted = async () =>
    ({ kind: 'accepted', orderId: orderId('one'), processState: 'Pending' }) as const;
  const delivery = await submissionDelivery(answering(accepted), request, 'ada', testLog());
  expect(delivery).toEqual({ kind: 'done' });
});

test('a refused one is parked with what was wrong, so that its producer can be told', async () => {
  const refused = async () =>
    ({
      kind: 'refused',
      code: 'details-invalid',
      errors: [{ field: 'details.colour', message: 'expected string' }],
    }) as const;
  const delivery = await submissionDelivery(answering(refused), request, 'ada', testLog());
  expect(delivery).toEqual({ kind: 'park', reason: 'details-invalid: details.colour' });
});

test('one that could not be stored is delivered again, and its details stay out of the log', async () => {
  const log = testLog();
  const away = () => Promise.reject(new UnavailableError('aws-unavailable', 'The store is away.'));
  expect(await submissionDelivery(answering(away), request, 'ada', log)).toEqual({ kind: 'retry' });
  expect(log.lines).toHaveLength(1);
  expect(JSON.stringify(log.lines)).not.toContain('4111');
});
