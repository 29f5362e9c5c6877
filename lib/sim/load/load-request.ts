/** The first request of a step, as a Scheduler would send it to the agent. */
import { agentName, idempotencyKey, orderId, stepName, workflowName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { Request } from '#core/model/message.ts';

/** What differs between requests. */
export interface LoadRequest {
  /** The number of the order: each has one request. */
  readonly number: number;
  readonly workflow: string;
  readonly step: string;
  readonly agent: string;
  readonly input: JsonValue;
  readonly completeWithinMs: number;
}

/** Sent at `nowMs`. */
export function loadRequest(
  { number, workflow, step, agent, input, completeWithinMs }: LoadRequest,
  nowMs: number,
): Request {
  const ids = { orderId: orderId(`o-${number}`), step: stepName(step) };
  const key = idempotencyKey(ids.orderId, ids.step, 'perform', 1);
  return {
    ...ids,
    workflow: workflowName(workflow),
    agent: agentName(agent),
    attempt: 1,
    action: 'perform',
    idempotencyKey: key,
    performKey: key,
    completeBy: nowMs + completeWithinMs,
    completeWithinMs,
    endBy: nowMs + completeWithinMs,
    input,
    output: null,
    priority: 'normal',
    tenant: null,
  };
}
