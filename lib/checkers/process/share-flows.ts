/** The flows of work that wait for one agent, one for each class and tenant, and what each of them got. */
import type { Priority, ProcessRecord } from '#core/model/record.ts';

/** The weights of the classes in docs/design.md. */
const classWeights: Readonly<Record<Priority, number>> = { high: 16, normal: 4, low: 1 };

/** The work of one tenant in one class. */
export interface Flow {
  readonly priority: Priority;
  readonly tenant: string | null;
  /** The steps of it that wait. */
  readonly waiting: Set<string>;
  /** Those that have a slot and wait for what begins them, and until when they keep it, ms since the epoch. */
  readonly beginning: Map<string, number>;
  /** The steps of the agent that began since the flow waits, and those of them that were its own. */
  begun: number;
  own: number;
  /** The flows with which it has shared since. */
  rivals: Set<Flow>;
}

/** The flows of one agent. */
export type Flows = Map<string, Flow>;

/** The flow of the order, which is made when it is not known. */
export function flowOf(flows: Flows, { priority, tenant }: ProcessRecord): Flow {
  const key = JSON.stringify([priority, tenant]);
  const flow = flows.get(key) ?? newFlow(priority, tenant);
  flows.set(key, flow);
  return flow;
}

const newFlow = (priority: Priority, tenant: string | null): Flow => ({
  priority,
  tenant,
  waiting: new Set(),
  beginning: new Map(),
  begun: 0,
  own: 0,
  rivals: new Set(),
});

/** Counts the share of the flow anew. */
export function countAnew(flow: Flow, flows: Flows): void {
  flow.begun = 0;
  flow.own = 0;
  flow.rivals = new Set([...flows.values()].filter(({ waiting }) => waiting.size > 0));
}

/** The step waits in the flow. */
export function addWaiting(step: string, flow: Flow, flows: Flows): void {
  flow.waiting.add(step);
  if (flow.waiting.size === 1) countAnew(flow, flows);
  for (const other of flows.values()) if (other.waiting.size > 0) other.rivals.add(flow);
}

/** The step has a slot: a flow without another step that waits has no share meanwhile. */
export function giveSlot(step: string, { waiting, beginning }: Flow, until: number): void {
  waiting.delete(step);
  beginning.set(step, until);
}

/** The step, which has a slot, was not begun: its flow goes on with the share that it had. */
export function waitAgain(step: string, flow: Flow, flows: Flows): void {
  if (!flow.beginning.delete(step)) return;
  flow.waiting.add(step);
  for (const other of flows.values()) {
    if (other.waiting.size === 0) continue;
    other.rivals.add(flow);
    flow.rivals.add(other);
  }
}

/** The steps that have lost their slots by now wait for others. */
export function endSlots(flows: Flows, nowMs: number): void {
  for (const flow of flows.values()) {
    for (const [step, until] of flow.beginning) {
      if (until > nowMs) continue;
      flow.beginning.delete(step);
      addWaiting(step, flow, flows);
    }
  }
}

/** Whether the step was known in the flow; it is not any more. */
export const removeStep = (step: string, { waiting, beginning }: Flow): boolean =>
  waiting.delete(step) || beginning.delete(step);

/** Whether the flow has got less than its share, less a constant. */
export const isBehind = (flow: Flow, concurrency: number): boolean =>
  flow.own < flow.begun * shareOf(flow) - slackOf(flow, concurrency);

function shareOf({ priority, rivals }: Flow): number {
  const classes = new Set([...rivals].map((rival) => rival.priority));
  const tenants = [...rivals].filter((rival) => rival.priority === priority).length;
  let weights = 0;
  for (const each of classes) weights += classWeights[each];
  return classWeights[priority] / weights / Math.max(1, tenants);
}

/** A flow is behind its share by one item for each rival, and by those that have a slot and have not begun. */
const slackOf = ({ rivals }: Flow, concurrency: number) => rivals.size + 2 + 2 * concurrency;
