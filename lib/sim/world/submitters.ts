/** Submitters of orders: by the API, where they repeat unanswered submissions, or by queue. */

import type { Breach } from '#checkers/violation.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import type { OrderId } from '#core/model/ids.ts';
import { canonicalJson } from '#core/model/json.ts';
import type { SubmissionOutcome } from '#roles/submission.ts';
import type { Keyed, Subject } from '#sim/orders/subject.ts';
import { invoke } from '#sim/ports/deliveries.ts';
import type { SimTable } from '#sim/ports/sim-table.ts';
import type { Chance } from './chance.ts';
import type { Fleet } from './fleet.ts';
import type { SharedInfrastructure } from './shared-infrastructure.ts';

export interface Submitters {
  /** The number of submitters whose orders are not confirmed. */
  waiting(): number;
}

export interface SubmitterOptions {
  readonly shared: SharedInfrastructure;
  readonly fleet: Fleet;
  readonly breach: Breach;
  readonly count: number;
  /** Further orders of one tenant, class and workflow, submitted at once. */
  readonly flood: number;
  /** The period in which all submissions begin, ms. */
  readonly withinMs: number;
  readonly byQueue: boolean;
  /** The workflow of all orders, which share a key; null: any workflow. */
  readonly keyedWorkflow: string | null;
}

export function submitters(options: SubmitterOptions): Submitters {
  const { shared, fleet, breach } = options;
  const { timeline, chance, faults, subject } = shared.around;
  const waiting = new Set<string>();
  const judge = acceptances(shared.table, breach);
  const refusals = refusalsOf(shared, breach);

  const soon = () => timeline.now() + chance.between(0, options.withinMs);

  const requestFor = (number: number) => requestOf(subject, chance, number, options.keyedWorkflow);

  for (let number = 1; number <= options.count; number += 1) submitAt(soon(), requestFor(number));
  if (options.flood > 0) flood(options.flood, soon());

  function submitAt(at: number, request: Keyed): void {
    const byQueue = options.byQueue && chance.hits(0.3);
    waiting.add(request.key);
    timeline.at(at, () => {
      if (byQueue) send(request);
      else ask(request);
    });
  }

  function flood(count: number, at: number): void {
    faults.note('flood');
    const { workflow, priority, tenant } = requestFor(0);
    for (let number = 1; number <= count; number += 1) {
      const request = requestFor(options.count + number);
      submitAt(at, { ...request, workflow, priority, tenant });
    }
  }

  function send(request: Keyed): void {
    shared.queues.submissions.putSafely([submissionCodec.encode(request)]);
    // Senders to a queue learn from the order's status that the submission was accepted.
    const look = () => {
      const taken = shared.queues.submissions.size() === 0 && !fleet.isInOutage();
      if (taken) ask(request);
      else timeline.at(fleet.soon(5_000), look);
    };
    timeline.at(fleet.soon(5_000), look);
  }

  /** Repeats until confirmed: an unanswered submission may have succeeded, and the key makes it one order. */
  function ask(request: Keyed): void {
    if (!waiting.has(request.key)) return;
    timeline.at(fleet.soon(chance.between(3_000, 20_000)), () => ask(request));
    submit(request, (outcome) => {
      if (outcome.kind === 'refused') return breach('R2', `${request.key}: ${outcome.code}`);
      // It is sent again, with its key.
      if (outcome.kind === 'overloaded') return;
      if (!waiting.delete(request.key)) return;
      // Nothing is stored under its idempotency key.
      if (outcome.skipped === true) return;
      if (faults.strike('submitted-twice')) submit(request, () => {});
      if (faults.strike('key-reused')) reuse(request);
    });
  }

  function reuse(request: Keyed): void {
    const details = subject.otherDetails(request, chance);
    if (details === null) return;
    submit({ ...request, details }, (outcome) => {
      if (outcome.kind === 'accepted')
        breach('R2', `${request.key} was accepted for other content`);
    });
  }

  function submit(request: Keyed, then: (outcome: SubmissionOutcome) => void): void {
    const host = fleet.pick('door');
    if (host === null) return;
    const refused = refusals(request);
    const accepted = judge(request);
    invoke(host, shared, async () => {
      const outcome = await host.submission.submit(request, 'ada');
      if (outcome.kind === 'accepted') accepted(outcome);
      refused(outcome.kind === 'overloaded');
      if (!faults.strike('answer-lost')) then(outcome);
    });
  }

  return { waiting: () => waiting.size };
}

function requestOf(
  subject: Subject,
  chance: Chance,
  number: number,
  keyedWorkflow: string | null,
): Keyed {
  const request = subject.request(chance, number);
  if (keyedWorkflow === null) return request;
  // Tenants share no keys.
  return {
    ...request,
    workflow: keyedWorkflow,
    tenant: number % 5 === 0 ? request.tenant : null,
  };
}

/** R1, R2: each accepted submission is stored as it was submitted, and is one order. */
function acceptances(table: SimTable, breach: Breach) {
  const accepted = new Map<string, string>();
  return ({ key, correlationId, tenant }: Keyed) => {
    // One that was sent before the acceptance of another one may have been skipped before it.
    const wasAccepted = accepted.has(key);
    return ({ orderId, skipped }: Extract<SubmissionOutcome, { kind: 'accepted' }>): void => {
      const record = table.record(orderId);
      if (skipped === true) {
        if (record?.turn === undefined) breach('R29', `${key} was skipped for ${orderId}`);
        if (wasAccepted) breach('R2', `${key} was accepted, and then skipped`);
        return;
      }
      if (record === undefined || table.order(orderId) === undefined) {
        breach('R1', `${key} was accepted as ${orderId}, and is not stored`);
      } else {
        if (record.correlationId !== correlationId) breach('R18', `${key} lost its correlation id`);
        if (record.tenant !== tenant) breach('R24', `${key} is of the tenant ${record.tenant}`);
      }
      const before = accepted.get(key);
      accepted.set(key, orderId);
      if (before !== undefined && before !== orderId) {
        breach('R2', `${key} is both ${before} and ${orderId}`);
      }
    };
  };
}

/** R28: a submission that is refused because too much waits leaves nothing, and an accepted one is never refused. */
function refusalsOf({ table, around: { faults } }: SharedInfrastructure, breach: Breach) {
  /** How often each key is being submitted. A process that dies never answers. */
  const open = new Map<string, number>();
  /** Of the stored orders, which never change it. */
  const stored = new Set<string>();
  const known = new Set<OrderId>();
  const isStored = ({ correlationId, details }: Keyed) => {
    for (const orderId of table.orderIds()) {
      const order = known.has(orderId) ? undefined : table.order(orderId);
      if (order === undefined) continue;
      known.add(orderId);
      stored.add(canonicalJson(table.record(orderId)?.correlationId ?? order.details));
    }
    return stored.has(canonicalJson(correlationId ?? details));
  };
  return (request: Keyed): ((isRefused: boolean) => void) => {
    const { key } = request;
    const wasStored = isStored(request);
    const others = open.get(key) ?? 0;
    open.set(key, others + 1);
    return (isRefused) => {
      const isAlone = others === 0 && open.get(key) === 1;
      open.set(key, (open.get(key) ?? 1) - 1);
      if (!isRefused) return;
      faults.note('submission-refused');
      if (wasStored) breach('R28', `${key} was stored, and was refused`);
      if (isAlone && !wasStored && isStored(request)) {
        breach('R28', `${key} was refused, and is stored`);
      }
    };
  };
}
