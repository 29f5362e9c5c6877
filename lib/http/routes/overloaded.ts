/** The answer to an order that is not accepted because too many wait. */
import { limits } from '#core/model/limits.ts';
import { problem, Refusal } from '#http/problem.ts';
import type { OfferedOrder } from '#ports/admission.ts';
import type { SubmissionOutcome } from '#roles/submission.ts';

type Overloaded = Extract<SubmissionOutcome, { kind: 'overloaded' }>;

/** 429 when the tenant, or the singleton key, has more than its share, 503 otherwise; both with `Retry-After`. */
export function overloaded(
  { code, retryAfterMs }: Overloaded,
  order: OfferedOrder,
  nowMs: number,
): Refusal {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const document = problem(
    code,
    `${causeOf(code, order)} Nothing was stored. Submit the order again in ${seconds} s.`,
  );
  const retryAt = new Date(nowMs + seconds * 1_000).toISOString();
  return new Refusal({ ...document, class: order.priority, retryAt }, seconds);
}

function causeOf(code: Overloaded['code'], { priority, tenant }: OfferedOrder): string {
  switch (code) {
    case 'tenant-over-share':
      return `The tenant ${tenant ?? '(none)'} has more than its share of the waiting orders of class ${priority}.`;
    case 'overloaded':
      return `More orders of class ${priority} wait than can be begun in time.`;
    case 'singleton-full':
      return `${limits.lineMax} orders with the same singleton key have not ended.`;
  }
}
