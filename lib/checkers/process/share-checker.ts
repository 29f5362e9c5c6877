/**
 * Checks that the steps which wait for an agent of one process begin in their shares (R24). It lives as long as the process,
 * and knows the steps from the records that the process stored.
 */

import type { RecordPair } from '#checkers/transition.ts';
import type { Breach } from '#checkers/violation.ts';
import type { AgentName } from '#core/model/ids.ts';
import {
  findStep,
  type Priority,
  type ProcessRecord,
  type StepRecord,
  waitsForAgent,
} from '#core/model/record.ts';
import { isClaimable } from './claimable.ts';

/** The weights of the classes in docs/design.md. */
const classWeights: Readonly<Record<Priority, number>> = { high: 16, normal: 4, low: 1 };

interface Flow {
  readonly priority: Priority;
  readonly tenant: string | null;
  /** The steps of it that wait. */
  readonly waiting: Set<string>;
  /** The steps of the agent that began since the flow waits, and those of them that were its own. */
  begun: number;
  own: number;
  /** The flows with which it has shared since. */
  rivals: Set<Flow>;
}

/** Options of {@link shareChecker}. */
export interface ShareCheckerOptions {
  /** The calls that the agent, or all members of the pool, make at once. */
  readonly concurrencyOf: (agent: AgentName) => number;
  /** Changes whenever something else than the shares decides who begins: the shares are counted anew. */
  readonly disturbance: (agent: AgentName) => string;
  readonly breach: Breach;
}

/** Returns what takes each write of the process. Tenants have equal weights. */
export function shareChecker({ concurrencyOf, disturbance, breach }: ShareCheckerOptions) {
  const agents = new Map<AgentName, { flows: Map<string, Flow>; disturbed: string }>();

  function flowsOf(agent: AgentName): Map<string, Flow> {
    const disturbed = disturbance(agent);
    const known = agents.get(agent) ?? { flows: new Map<string, Flow>(), disturbed };
    agents.set(agent, known);
    if (known.disturbed !== disturbed) {
      known.disturbed = disturbed;
      for (const flow of known.flows.values()) begin(flow, known.flows);
    }
    return known.flows;
  }

  function begin(flow: Flow, flows: ReadonlyMap<string, Flow>): void {
    flow.begun = 0;
    flow.own = 0;
    flow.rivals = new Set([...flows.values()].filter(({ waiting }) => waiting.size > 0));
  }

  function flowOf(flows: Map<string, Flow>, { priority, tenant }: ProcessRecord): Flow {
    const key = JSON.stringify([priority, tenant]);
    const flow = flows.get(key) ?? newFlow(priority, tenant);
    flows.set(key, flow);
    return flow;
  }

  function waits({ agent, name }: StepRecord, record: ProcessRecord): void {
    const flows = flowsOf(agent);
    const flow = flowOf(flows, record);
    flow.waiting.add(`${record.orderId} ${name}`);
    if (flow.waiting.size === 1) begin(flow, flows);
    for (const other of flows.values()) if (other.waiting.size > 0) other.rivals.add(flow);
  }

  function left({ agent, name }: StepRecord, record: ProcessRecord, hasBegun: boolean): void {
    const flows = flowsOf(agent);
    const flow = flowOf(flows, record);
    // A step that waited for the gates of another process is not known here.
    if (!flow.waiting.delete(`${record.orderId} ${name}`) || !hasBegun) return;
    for (const other of flows.values()) {
      if (other.waiting.size === 0) continue;
      other.begun += 1;
      if (other === flow) other.own += 1;
      const least = other.begun * shareOf(other) - slackOf(other, concurrencyOf(agent));
      if (other.own >= least) continue;
      const { priority, tenant, begun, own } = other;
      breach('R24', `of ${begun} steps of ${agent}, ${own} were of ${priority} ${tenant}`);
      begin(other, flows);
    }
  }

  const isKnown = ({ agent, name }: StepRecord, record: ProcessRecord) =>
    flowOf(flowsOf(agent), record).waiting.has(`${record.orderId} ${name}`);

  return ({ before, after }: RecordPair): void => {
    if (before?.isHeld === undefined && after.isHeld === undefined) return;
    for (const is of after.steps) {
      const was = before === null ? undefined : findStep(before, is.name);
      const didWait = before !== null && waitsIn(before, was);
      const doesWait = waitsIn(after, is);
      // An operator may give an order that waits another class.
      const isSame =
        didWait && doesWait && before.priority === after.priority && was?.agent === is.agent;
      // The former process may have held it: this one knows it from the first write that it sees.
      if (isSame && isKnown(is, after)) continue;
      if (didWait && was !== undefined) left(was, before, is.attempt !== was.attempt);
      if (doesWait) waits(is, after);
    }
  };
}

/** A step of an order that cools down could not begin: it has no share meanwhile. */
const waitsIn = (record: ProcessRecord, step: StepRecord | undefined): boolean =>
  step !== undefined && waitsForAgent(step.progress) && isClaimable(record, record.updatedAt);

const newFlow = (priority: Priority, tenant: string | null): Flow => ({
  priority,
  tenant,
  waiting: new Set(),
  begun: 0,
  own: 0,
  rivals: new Set(),
});

function shareOf({ priority, rivals }: Flow): number {
  const classes = new Set([...rivals].map((rival) => rival.priority));
  const tenants = [...rivals].filter((rival) => rival.priority === priority).length;
  let weights = 0;
  for (const each of classes) weights += classWeights[each];
  return classWeights[priority] / weights / Math.max(1, tenants);
}

/** A flow is behind its share by one item for each rival, and by those that have a slot and have not begun. */
const slackOf = ({ rivals }: Flow, concurrency: number) => rivals.size + 2 + 2 * concurrency;
