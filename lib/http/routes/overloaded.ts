/** The answer to an order that is not accepted because too many wait. */
import type { AdmissionRefusal } from '#core/flow/admission-rule.ts';
import { problem, Refusal } from '#http/problem.ts';
import type { OfferedOrder } from '#ports/admission.ts';

/** 429 when the tenant has more than its share, 503 otherwise; both with `Retry-After`. */
export function overloaded(
  { code, retryAfterMs }: AdmissionRefusal,
  { priority, tenant }: OfferedOrder,
  nowMs: number,
): Refusal {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const cause =
    code === 'tenant-over-share'
      ? `The tenant ${tenant ?? '(none)'} has more than its share of the waiting orders of class ${priority}.`
      : `More orders of class ${priority} wait than can be begun in time.`;
  const document = problem(
    code,
    `${cause} Nothing was stored. Send the same request again in ${seconds} s.`,
  );
  const retryAt = new Date(nowMs + seconds * 1_000).toISOString();
  return new Refusal({ ...document, class: priority, retryAt }, seconds);
}
