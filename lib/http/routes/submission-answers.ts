/** What a single submission and a bulk submission have in common: the request to the role, and the answer to what is not accepted. */
import type { Principal } from '#core/access/principal.ts';
import { tenantOf } from '#http/access/access.ts';
import { fieldProblem, Refusal } from '#http/problem.ts';
import type { SubmissionDocument } from '#http/requests/request-schemas.ts';
import type { SubmissionOutcome, SubmissionRequest } from '#roles/submission.ts';
import { overloaded } from './overloaded.ts';

/** @throws {Refusal} `tenant-forbidden` */
export function requestOf(
  principal: Principal,
  document: SubmissionDocument,
  key: string | undefined,
): SubmissionRequest {
  const { workflow, details, priority, replyTo, correlationId, tenant } = document;
  return {
    workflow,
    details,
    priority,
    tenant: tenantOf(principal, tenant),
    replyTo: replyTo ?? null,
    correlationId: correlationId ?? null,
    key: key ?? null,
  };
}

export const locationOf = (orderId: string): string => `/orders/${orderId}`;

export function refusalOf(
  outcome: Exclude<SubmissionOutcome, { kind: 'accepted' }>,
  request: SubmissionRequest,
  nowMs: number,
): Refusal {
  return outcome.kind === 'refused'
    ? new Refusal(fieldProblem(outcome.code, outcome.errors))
    : overloaded(outcome, request, nowMs);
}
