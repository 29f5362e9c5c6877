/** Submitters of orders: by the API, where they repeat unanswered submissions, or by queue. */

import type { Breach } from '#checkers/violation.ts';
import { submissionCodec } from '#core/codec/message-codec.ts';
import { priorities } from '#core/model/record.ts';
import type { SubmissionOutcome, SubmissionRequest } from '#roles/submission.ts';
import { invoke } from '#sim/ports/deliveries.ts';
import type { Fleet } from './fleet.ts';
import { responseChannel } from './host.ts';
import type { SharedInfrastructure } from './shared-infrastructure.ts';
import { workflowNames } from './sim-workflows.ts';

export interface Submitters {
  /** The number of submitters whose orders are not confirmed. */
  waiting(): number;
}

export interface SubmitterOptions {
  readonly shared: SharedInfrastructure;
  readonly fleet: Fleet;
  readonly breach: Breach;
  readonly count: number;
  /** The period in which all submissions begin, ms. */
  readonly withinMs: number;
  readonly byQueue: boolean;
}

type Keyed = SubmissionRequest & { readonly key: string };

export function submitters(options: SubmitterOptions): Submitters {
  const { shared, fleet, breach } = options;
  const { timeline, chance, faults } = shared.around;
  const waiting = new Set<string>();
  const accepted = new Map<string, string>();

  for (let number = 1; number <= options.count; number += 1) {
    const request = requestOf(number);
    const byQueue = options.byQueue && chance.hits(0.3);
    waiting.add(request.key);
    timeline.at(timeline.now() + chance.between(0, options.withinMs), () => {
      if (byQueue) send(request);
      else ask(request);
    });
  }

  function requestOf(number: number): Keyed {
    return {
      workflow: chance.pick(workflowNames),
      details: { units: number, boxes: 1, express: chance.hits(0.5) },
      priority: chance.pick(priorities),
      tenant: null,
      replyTo: chance.hits(0.8) ? responseChannel : null,
      correlationId: number % 2 === 0 ? `correlation-${number}` : null,
      key: `key-${number}`,
    };
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
      if (!waiting.delete(request.key)) return;
      if (faults.strike('submitted-twice')) submit(request, () => {});
      if (faults.strike('key-reused')) reuse(request);
    });
  }

  function reuse(request: Keyed): void {
    const other = { ...request, details: { units: 99, boxes: 1, express: true } };
    submit(other, (outcome) => {
      if (outcome.kind === 'accepted')
        breach('R2', `${request.key} was accepted for other content`);
    });
  }

  function submit(request: Keyed, then: (outcome: SubmissionOutcome) => void): void {
    const host = fleet.pick('door');
    if (host === null) return;
    invoke(host, shared, async () => {
      const outcome = await host.submission.submit(request, 'ada');
      if (outcome.kind === 'accepted') judge(request, outcome);
      if (!faults.strike('answer-lost')) then(outcome);
    });
  }

  function judge(
    { key, correlationId }: Keyed,
    { orderId }: Extract<SubmissionOutcome, { kind: 'accepted' }>,
  ) {
    const { table } = shared;
    const isThere = table.record(orderId) !== undefined && table.order(orderId) !== undefined;
    if (!isThere) breach('R1', `${key} was accepted as ${orderId}, and is not stored`);
    else if (table.record(orderId)?.correlationId !== correlationId) {
      breach('R18', `${key} lost its correlation id`);
    }
    const before = accepted.get(key);
    accepted.set(key, orderId);
    if (before !== undefined && before !== orderId) {
      breach('R2', `${key} is both ${before} and ${orderId}`);
    }
  }

  return { waiting: () => waiting.size };
}
