/**
 * The bulk submission: orders that come together, each with an outcome of its own. Each one is submitted by the submission
 * role, so that no rule of it exists twice; a fault of one concerns no other.
 *
 * Orders are stored concurrently, except that an order is begun after those before it that have the same idempotency key, or
 * the same workflow with a singleton key: so the sequence in the request decides between them.
 */
import type { WorkflowRegistry } from '#core/definition/registry.ts';
import { limits } from '#core/model/limits.ts';
import type { Clock } from '#ports/clock.ts';
import type { Submission, SubmissionOutcome, SubmissionRequest } from '../submission.ts';

/** The result of one order of a bulk submission. */
export type BatchOutcome =
  | SubmissionOutcome
  /** Whether it is stored is known only with a key. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** Nothing was stored: those before it took too long. */
  | { readonly kind: 'not-begun' };

/** Accepts or refuses orders that come together. */
export interface SubmissionBatch {
  /** Never rejects. Returns one outcome for each request, in the same sequence. @param by who submits them */
  submit(requests: readonly SubmissionRequest[], by: string): Promise<readonly BatchOutcome[]>;
}

/** The ports of {@link submissionBatch}. */
export interface SubmissionBatchPorts {
  readonly submission: Submission;
  readonly registry: Pick<WorkflowRegistry, 'latest'>;
  readonly clock: Clock;
  /** Orders of one request that are stored at the same time. Default: all. */
  readonly atOnce?: number;
}

/** Makes the bulk submission. */
export function submissionBatch(ports: SubmissionBatchPorts): SubmissionBatch {
  const { atOnce = limits.batchOrdersMax } = ports;
  return {
    async submit(requests, by) {
      const endsAt = ports.clock.now() + limits.batchBeginMs;
      const inTurn = inSequence(ports, (request) => outcomeOf(ports, request, by, endsAt));
      const outcomes = new Map<number, BatchOutcome>();
      const waiting = requests.entries();
      const work = async () => {
        for (const [at, request] of waiting) outcomes.set(at, await inTurn(request));
      };
      await Promise.all(Array.from({ length: Math.min(atOnce, requests.length) }, work));
      return requests.map((_, at) => outcomes.get(at) ?? { kind: 'not-begun' });
    },
  };
}

async function outcomeOf(
  { submission, clock }: SubmissionBatchPorts,
  request: SubmissionRequest,
  by: string,
  endsAt: number,
): Promise<BatchOutcome> {
  if (clock.now() > endsAt) return { kind: 'not-begun' };
  try {
    return await submission.submit(request, by);
  } catch (error) {
    return { kind: 'failed', error };
  }
}

type Submit = (request: SubmissionRequest) => Promise<BatchOutcome>;

/** Begins each order when those are done that it comes after. Only earlier ones are waited for, so none waits for ever. */
function inSequence({ registry }: SubmissionBatchPorts, submit: Submit): Submit {
  const latest = new Map<string, Promise<unknown>>();
  return (request) => {
    const { workflow, tenant, key } = request;
    const names: string[] = [];
    if (key !== null) names.push(JSON.stringify(['key', tenant, key]));
    if (registry.latest(workflow)?.singleton !== undefined) {
      names.push(JSON.stringify(['workflow', tenant, workflow]));
    }
    const before = names.flatMap((name) => latest.get(name) ?? []);
    const outcome =
      before.length === 0 ? submit(request) : Promise.all(before).then(() => submit(request));
    for (const name of names) latest.set(name, outcome);
    return outcome;
  };
}
