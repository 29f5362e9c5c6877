/** Requests to the agent `paint`, and how long it takes. */
import { agentName, idempotencyKey, orderId, stepName, workflowName } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';
import type { AgentGates } from '#in-process/agent-gates.ts';
import type { VirtualClock } from './virtual-clock.ts';

const calls = new Map<string, Request>();

/** The same object for the same call, as a request is in a process. `sentAt`: ms from the start of the clock. */
export function call(order: string, step = 'east', attempt = 1, sentAt = 0): Request {
  const key = `${order} ${step} ${attempt} ${sentAt}`;
  const known = calls.get(key) ?? newCall(order, step, attempt, Date.UTC(2026, 0, 1) + sentAt);
  calls.set(key, known);
  return known;
}

function newCall(order: string, step: string, attempt: number, sentAt: number): Request {
  const id = orderId(order);
  const key = idempotencyKey(id, stepName(step), 'perform', 1);
  return {
    orderId: id,
    workflow: workflowName('house'),
    step: stepName(step),
    agent: agentName('paint'),
    attempt,
    action: 'perform',
    idempotencyKey: key,
    performKey: key,
    completeBy: sentAt + 1_000,
    completeWithinMs: 1_000,
    endBy: 0,
    input: null,
    output: null,
    priority: 'normal',
    tenant: null,
  };
}

/** The first call of the agent takes a second, so that the next ones are not sent ahead. */
export async function slowDown(gates: AgentGates, clock: VirtualClock): Promise<void> {
  const gate = gates.of('paint');
  const first = call('first');
  await gate.begin(first);
  clock.jump(1_000);
  gate.end(first);
  clock.jump(-1_000);
}
