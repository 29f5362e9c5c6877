/**
 * Counts of live orders per workflow and agent. Each commit adds its record and subtracts the one that it replaced, so
 * that no order needs to be kept in memory.
 */

import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { agentDemand, progressedAt } from '#core/view/agent-demand.ts';
import type { AliveCounts } from '#http/api-ports.ts';

/** The counts; `oldestAt` is in ms since the epoch, to the second. */
export interface LiveCounts {
  add(record: ProcessRecord): void;
  takeOut(record: ProcessRecord): void;
  workflows(): { name: string; version: number; orders: AliveCounts }[];
  agent(name: string): { inFlight: number; waiting: number; oldestAt: number | null };
}

interface AgentSums {
  inFlight: number;
  waiting: number;
  /** The number of calls by the second in which their order last progressed. */
  readonly bySecond: Map<number, number>;
}

/** Makes the counts, all of them 0. */
export function liveCounts(registry: WorkflowRegistry): LiveCounts {
  const workflows: { name: string; version: number; orders: Counts }[] = [];
  const agents = new Map<string, AgentSums>();
  const sumsOf = (name: string) => {
    let known = agents.get(name);
    if (known === undefined) {
      known = { inFlight: 0, waiting: 0, bySecond: new Map() };
      agents.set(name, known);
    }
    return known;
  };
  const countsOf = ({ workflow: name, workflowVersion: version }: ProcessRecord) => {
    let known = workflows.find((each) => each.version === version && each.name === name);
    if (known === undefined) {
      known = { name, version, orders: none() };
      workflows.push(known);
    }
    return known.orders;
  };
  const count = (record: ProcessRecord, by: 1 | -1) => {
    const { processState } = record;
    if (processState === 'Processed' || processState === 'Undone') return;
    countsOf(record)[processState] += by;
    const demand = agentDemand(record, registry.of(record));
    if (demand.length === 0) return;
    const second = Math.floor(progressedAt(record) / 1_000);
    for (const { agent, kind } of demand) {
      const sums = sumsOf(agent);
      sums[kind] += by;
      const left = (sums.bySecond.get(second) ?? 0) + by;
      if (left === 0) sums.bySecond.delete(second);
      else sums.bySecond.set(second, left);
    }
  };
  for (const { name, version } of registry.all) {
    workflows.push({ name, version, orders: none() });
  }
  return {
    add: (record) => count(record, 1),
    takeOut: (record) => count(record, -1),
    workflows: () => workflows.map((each) => ({ ...each, orders: { ...each.orders } })),
    agent(name) {
      const { inFlight, waiting, bySecond } = sumsOf(name);
      let oldest = Number.POSITIVE_INFINITY;
      for (const second of bySecond.keys()) oldest = Math.min(oldest, second);
      return { inFlight, waiting, oldestAt: bySecond.size === 0 ? null : oldest * 1_000 };
    },
  };
}

type Counts = { -readonly [State in keyof AliveCounts]: number };
const none = (): Counts => ({ Pending: 0, Processing: 0, Error: 0 });
