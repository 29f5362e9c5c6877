import { expect, test } from 'vitest';
import { UnavailableError } from '#core/model/errors.ts';
import { orderId } from '#core/model/ids.ts';
import { submissionDelivery } from '#roles/submission/submission-delivery.ts';
import type { Submission, SubmissionOutcome } from '#roles/submission.ts';
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

test('a refused submission is parked with its code and fields', async () => {
  const refused = async () =>
    ({
      kind: 'refused',
      code: 'details-invalid',
      errors: [
        { field: 'details.colour', message: 'expected string' },
        { field: 'details.size', message: 'expected number' },
      ],
    }) as const;
  const delivery = await submissionDelivery(answering(refused), request, 'ada', testLog());
  expect(delivery).toEqual({
    kind: 'park',
    reason: 'details-invalid: details.colour, details.size',
  });
});

test('a submission that came too early is delivered again', async () => {
  const full = async () =>
    ({ kind: 'overloaded', code: 'overloaded', retryAfterMs: 5_000 }) as const;
  const delivery = await submissionDelivery(answering(full), request, 'ada', testLog());
  expect(delivery).toEqual({ kind: 'retry' });
});

test.each([
  [new UnavailableError('aws-unavailable', 'card 4111'), 'UnavailableError', 'aws-unavailable'],
  [new TypeError('card 4111'), 'TypeError', null],
])(
  'a submission that could not be stored is delivered again, and the log has none of its details',
  async (...row) => {
    const [failure, error, code] = row;
    const log = testLog();
    const away = answering(() => Promise.reject(failure));
    expect(await submissionDelivery(away, request, 'ada', log)).toEqual({ kind: 'retry' });
    expect(log.lines).toEqual([{ event: 'submission-failed', fields: { error, code } }]);
  },
);
