/**
 * Bulk submission: many orders in one request, each with an outcome of its own. The answer fits that of a function (6 MB, AWS Lambda): a
 * problem has some 4,200 characters that the caller has sent, in its errors and again in its detail, each of at most 8 bytes there, and
 * 1,300 others, which is 35 KB for an order, and 3.5 MB for a hundred.
 */
import type { Principal } from '#core/access/principal.ts';
import { fieldErrors } from '#core/codec/field-errors.ts';
import { isJsonWithin } from '#core/codec/json-size.ts';
import { errorKind } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import type { ApiPorts } from '#http/api-ports.ts';
import { faultProblem, logFault } from '#http/fault-problem.ts';
import { fieldProblem, problem, Refusal, retryAfterSeconds } from '#http/problem.ts';
import type { Problem } from '#http/problem-schema.ts';
import { batchOrderSchema } from '#http/requests/request-schemas.ts';
import type { BatchOutcomeDocument } from '#http/schemas.ts';
import type { Log } from '#ports/log.ts';
import type { BatchOutcome } from '#roles/submission/submission-batch.ts';
import type { SubmissionRequest } from '#roles/submission.ts';
import type { ApiRouter } from './api-router.ts';
import { serve } from './serve.ts';
import { locationOf, refusalOf, requestOf } from './submission-answers.ts';

export function batchRoute(app: ApiRouter, ports: ApiPorts): void {
  serve(app, 'submitOrders', async (context) => {
    if (context.req.header('idempotency-key') !== undefined) throw keyOfAll();
    const principal = context.get('principal');
    const entries = context.req.valid('json').orders.map((order) => entryOf(principal, order));
    const requests = entries.flatMap((entry) => ('request' in entry ? [entry.request] : []));
    const outcomes = (await ports.batch.submit(requests, principal.name)).values();
    const faults = new Map<string, unknown>();
    const orders = entries.map((entry): BatchOutcomeDocument => {
      if ('problem' in entry) return { kind: 'refused', problem: entry.problem };
      const outcome = outcomes.next().value ?? { kind: 'not-begun' };
      if (outcome.kind === 'failed') faults.set(errorKind(outcome.error), outcome.error);
      return documentOf(outcome, entry.request, ports.clock.now());
    });
    for (const error of faults.values()) logFault(ports.log, context.req.routePath, error);
    logNotAccepted(ports.log, principal.name, orders);
    return context.json({ orders }, 200);
  });
}

/** The access log has the status of the request alone, which is that of a success. */
function logNotAccepted(log: Log, by: string, orders: readonly BatchOutcomeDocument[]): void {
  const count = (kind: BatchOutcomeDocument['kind']) =>
    orders.filter((order) => order.kind === kind).length;
  const counts = {
    refused: count('refused'),
    overloaded: count('overloaded'),
    failed: count('failed'),
  };
  if (counts.refused + counts.overloaded + counts.failed === 0) return;
  log.warn('orders-not-accepted', { by, of: orders.length, ...counts });
}

/** Ignored, it would make its sender believe that the request can be repeated. */
const keyOfAll = () =>
  new Refusal(
    fieldProblem('header-invalid', [
      { field: 'Idempotency-Key', message: 'is for a single order: give each order its `key`' },
    ]),
  );

type Entry = { readonly request: SubmissionRequest } | { readonly problem: Problem };

function entryOf(principal: Principal, order: unknown): Entry {
  const { data, error } = batchOrderSchema.safeParse(order);
  if (error !== undefined) {
    return { problem: fieldProblem('body-invalid', fieldErrors(error, { whole: 'order' })) };
  }
  const { key, ...document } = data;
  const { bodyBytesMax } = limits;
  if (!isJsonWithin(document.details, bodyBytesMax)) {
    const detail = `The details of an order may have at most ${bodyBytesMax} bytes.`;
    return { problem: problem('body-too-large', detail) };
  }
  try {
    return { request: requestOf(principal, document, key) };
  } catch (refusal) {
    if (refusal instanceof Refusal) return { problem: refusal.problem };
    throw refusal;
  }
}

function documentOf(
  outcome: BatchOutcome,
  request: SubmissionRequest,
  nowMs: number,
): BatchOutcomeDocument {
  switch (outcome.kind) {
    case 'accepted': {
      const { orderId, processState, skipped, isRepeated } = outcome;
      const stored = isRepeated === true ? 'recognised' : 'accepted';
      const kind = skipped === true ? 'skipped' : stored;
      return { kind, orderId, href: locationOf(orderId), processState };
    }
    case 'refused':
      return { kind: 'refused', problem: refusalOf(outcome, request, nowMs).problem };
    case 'overloaded': {
      const refusal = refusalOf(outcome, request, nowMs);
      const { problem: document, retryAfterSeconds: seconds } = refusal;
      return { kind: 'overloaded', problem: document, retryAfterSeconds: seconds };
    }
    case 'failed':
      return { kind: 'failed', problem: faultProblem(outcome.error), retryAfterSeconds };
    case 'not-begun':
      return { kind: 'failed', problem: problem('unavailable', notBegun), retryAfterSeconds };
  }
}

const notBegun =
  'The orders before it took too long, so that it was not begun. Nothing was stored: submit it again.';
