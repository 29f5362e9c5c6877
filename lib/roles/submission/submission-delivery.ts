/** The delivery of a submission that came from a queue, where no caller waits for the result. */
import { errorFields } from '#core/model/errors.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';
import type { Submission, SubmissionRequest } from '../submission.ts';

/** Parks a refused submission with its code and fields, so that its producer can find and correct it. */
export async function submissionDelivery(
  submission: Submission,
  request: SubmissionRequest,
  by: string,
  log: Log,
): Promise<Delivery> {
  try {
    const outcome = await submission.submit(request, by);
    if (outcome.kind === 'accepted') return { kind: 'done' };
    if (outcome.kind === 'overloaded') return { kind: 'retry' };
    const fields = outcome.errors.map(({ field }) => field).join(', ');
    return { kind: 'park', reason: `${outcome.code}: ${fields}` };
  } catch (error) {
    log.error('submission-failed', errorFields(error));
    return { kind: 'retry' };
  }
}
