/**
 * Counts of live orders per workflow and agent. Each commit adds its record and subtracts the one that it replaced, so
 * that no order needs to be kept in memory.
 */

import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { GateOfAgent } from '#core/model/hold.ts';
import { type ProcessRecord, waitsForAgent } from '#core/model/record.ts';
import { agentDemand, progressedAt } from '#core/view/agent-demand.ts';
import type { AliveCounts, HeldActivity } from '#http/api-ports.ts';

/** The counts; `oldestAt` is in ms since the epoch, to the second. */
export interface LiveCounts {
  add(record: ProcessRecord): void;
  takeOut(record: ProcessRecord): void;
  workflows(): { name: string; version: number; orders: AliveCounts }[];
  agent(name: string): {
    inFlight: number;
    waiting: number;
    oldestAt: number | null;
    held: HeldActivity[];
  };
}

interface AgentSums {
  inFlight: number;
  waiting: number;
  /** The number of calls by the second in which their order last progressed. */
  readonly bySecond: BySecond;
  /** The held steps of each gate, by the second in which their hold began. */
  readonly held: Map<GateOfAgent, BySecond>;
}

/** Numbers by the second, s since the epoch; never 0. */
type BySecond = Map<number, number>;

/** Makes the counts, all of them 0. */
export function liveCounts(registry: WorkflowRegistry): LiveCounts {
  const workflows: { name: string; version: number; orders: Counts }[] = [];
  const agents = new Map<string, AgentSums>();
  const sumsOf = (name: string) => {
    let known = agents.get(name);
    if (known === undefined) {
      known = { inFlight: 0, waiting: 0, bySecond: new Map(), held: new Map() };
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
  const countHeld = ({ steps }: ProcessRecord, by: 1 | -1) => {
    for (const { agent, progress } of steps) {
      if (!waitsForAgent(progress)) continue;
      const { held } = sumsOf(agent);
      const own = held.get(progress.gate) ?? new Map();
      held.set(progress.gate, own);
      addAt(own, progress.since, by);
    }
  };
  const count = (record: ProcessRecord, by: 1 | -1) => {
    const { processState } = record;
    if (processState === 'Processed' || processState === 'Undone') return;
    countsOf(record)[processState] += by;
    if (record.isHeld === true) countHeld(record, by);
    const demand = agentDemand(record, registry.of(record));
    if (demand.length === 0) return;
    const at = progressedAt(record);
    for (const { agent, kind } of demand) {
      const sums = sumsOf(agent);
      sums[kind] += by;
      addAt(sums.bySecond, at, by);
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
      const { inFlight, waiting, bySecond, held } = sumsOf(name);
      return { inFlight, waiting, oldestAt: oldestOf(bySecond), held: [...held].flatMap(heldOf) };
    },
  };
}

function addAt(bySecond: BySecond, ms: number, by: 1 | -1): void {
  const second = Math.floor(ms / 1_000);
  const left = (bySecond.get(second) ?? 0) + by;
  if (left === 0) bySecond.delete(second);
  else bySecond.set(second, left);
}

function oldestOf(bySecond: BySecond): number | null {
  let oldest = Number.POSITIVE_INFINITY;
  for (const second of bySecond.keys()) oldest = Math.min(oldest, second);
  return bySecond.size === 0 ? null : oldest * 1_000;
}

function heldOf([gate, bySecond]: [GateOfAgent, BySecond]): HeldActivity[] {
  const since = oldestOf(bySecond);
  let steps = 0;
  for (const count of bySecond.values()) steps += count;
  return since === null ? [] : [{ gate, steps, since }];
}

type Counts = { -readonly [State in keyof AliveCounts]: number };
const none = (): Counts => ({ Pending: 0, Processing: 0, Error: 0 });
