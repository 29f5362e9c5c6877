/**
 * The waiting orders of one process: those that no Scheduler has claimed, and those with a held step. It learns them from
 * the stored records, and accepts no more than can be begun in the configured time (lib/core/flow/admission-rule.ts).
 *
 * A restart forgets the rates, because it may have changed them: with orders that wait, they are known again after some
 * seconds. The orders themselves are counted when they are recovered.
 */
import { type AgentGroup, isInService } from '#core/definition/agent-group.ts';
import {
  type AdmissionCode,
  type AdmissionRefusal,
  admissionOf,
} from '#core/flow/admission-rule.ts';
import { type WorkflowBacklog, workflowBacklog } from '#core/flow/workflow-backlog.ts';
import { limits } from '#core/model/limits.ts';
import { type Priority, type ProcessRecord, waitsForAgent } from '#core/model/record.ts';
import type { Admission, OfferedOrder } from '#ports/admission.ts';
import type { Clock } from '#ports/clock.ts';
import type { CircuitEvent } from '../circuit-watch.ts';
import type { TenantWeights } from '../tenant-weights.ts';
import { type StuckOrdersOptions, stuckOrders } from './stuck-orders.ts';

/** Options of {@link orderBacklog}. */
export interface OrderBacklogOptions {
  /** How long an accepted order may have to wait, ms. */
  readonly backlogMaxMs: number;
  /** The orders that may wait. Default: {@link limits.backlogOrdersMax}. */
  readonly ordersMax?: number;
  readonly weights: TenantWeights;
  /** The agents that a workflow needs, by its name: of each group one at least. */
  readonly needs: ReadonlyMap<string, readonly AgentGroup[]>;
  /** Whether the agent takes new calls. */
  readonly takes: (agent: string) => boolean;
  /** The agents by the names under which steps wait for several of them. */
  readonly pools: StuckOrdersOptions['pools'];
  readonly clock: Clock;
}

/** The orders that were refused since the start. */
export type Refused = Readonly<Record<AdmissionCode, number>> & {
  readonly byClass: Readonly<Record<Priority, number>>;
  /** The last refusal, ms since the epoch; null: none. */
  readonly lastAt: number | null;
};

/** See {@link orderBacklog}. */
export interface OrderBacklog extends Admission {
  /** Counts a live order; each record once. */
  add(record: ProcessRecord): void;
  /** The record was added, and is replaced. */
  takeOut(record: ProcessRecord): void;
  /** Call it after each durable write. @param before the revision that `record` replaced; null for a new order */
  onRecord(record: ProcessRecord, before: ProcessRecord | null): void;
  /** While no agent of a group is available, the rates of the workflows that need it are those from before. */
  onCircuit(event: Pick<CircuitEvent, 'agent' | 'kind'>): void;
  /** The orders that wait. */
  waiting(): number;
  refused(): Refused;
}

/** A tenant without orders for so long has no share any more, ms. */
const forgetAfterMs = 10_000;

/** Makes an empty backlog. */
export function orderBacklog(options: OrderBacklogOptions): OrderBacklog {
  const { weights, needs, takes, clock, ordersMax = limits.backlogOrdersMax } = options;
  const bounds = { backlogMaxMs: options.backlogMaxMs, ordersMax };
  const workflows = new Map<string, WorkflowBacklog>();
  const backlogOf = backlogsIn(workflows, weights);
  const stuck = stuckOrders({
    pools: options.pools,
    onChange: (order, by) => backlogOf(order.workflow).stick(order, by, clock.now()),
  });
  const refusals = refusalCounts();
  let waiting = 0;
  let forgetAt = clock.now() + forgetAfterMs;

  function count(order: OfferedOrder, by: 1 | -1, nowMs: number): void {
    if (backlogOf(order.workflow).add(order, by, nowMs)) waiting += by;
  }

  function forget(nowMs: number): void {
    if (nowMs < forgetAt) return;
    forgetAt = nowMs + forgetAfterMs;
    for (const each of workflows.values()) each.forget(nowMs - forgetAfterMs);
  }

  /** Otherwise the rate says nothing of the time until its orders have begun. */
  const isWorkedOff = (workflow: string) =>
    isInService(needs.get(workflow) ?? [], (agent) => takes(agent) && stuck.isAvailable(agent));

  /** The sum over the workflows whose rate is known; null: of none. */
  function perSecond(nowMs: number): number | null {
    let sum: number | null = null;
    for (const [workflow, each] of workflows) {
      if (!isWorkedOff(workflow)) continue;
      const own = each.waiting() > 0 ? each.perSecond(nowMs) : null;
      if (own !== null) sum = (sum ?? 0) + own;
    }
    return sum;
  }

  function refusalOf(order: OfferedOrder, nowMs: number): AdmissionRefusal | null {
    const load = backlogOf(order.workflow).load(order, nowMs);
    const inAllPerSecond = waiting >= ordersMax / 2 ? perSecond(nowMs) : null;
    return admissionOf({ ...load, waitingInAll: waiting, inAllPerSecond }, bounds);
  }

  return {
    ask(order) {
      const nowMs = clock.now();
      forget(nowMs);
      const refusal = refusalOf(order, nowMs);
      if (refusal === null) {
        // It counts from now on: orders that are offered together would otherwise not see each other.
        count(order, 1, nowMs);
        return null;
      }
      refusals.add(refusal, order, nowMs);
      return refusal;
    },
    settled: (order) => count(order, -1, clock.now()),
    add(record) {
      if (!isWaiting(record)) return;
      count(record, 1, record.updatedAt);
      if (record.isHeld) stuck.count(record, 1);
    },
    takeOut(record) {
      if (!isWaiting(record)) return;
      if (record.isHeld) stuck.count(record, -1);
      count(record, -1, record.updatedAt);
    },
    onRecord(record, before) {
      if (isLive(record) || before === null || !isLive(before)) return;
      if (isWorkedOff(record.workflow)) backlogOf(record.workflow).ended(record, clock.now());
    },
    onCircuit({ agent, kind }) {
      stuck.set(agent, kind === 'closed');
      for (const [workflow, each] of workflows) {
        if (needs.get(workflow)?.some((group) => group.includes(agent))) each.pause();
      }
    },
    waiting: () => waiting,
    refused: refusals.read,
  };
}

/** Each workflow has its backlog from its first order on. */
function backlogsIn(workflows: Map<string, WorkflowBacklog>, weights: TenantWeights) {
  weights.watch((tenant) => {
    for (const each of workflows.values()) each.reweigh(tenant);
  });
  return (workflow: string): WorkflowBacklog => {
    const known = workflows.get(workflow);
    if (known !== undefined) return known;
    const made = workflowBacklog(weights.of);
    workflows.set(workflow, made);
    return made;
  };
}

function refusalCounts() {
  const refused = { 'tenant-over-share': 0, overloaded: 0 };
  const byClass = { high: 0, normal: 0, low: 0 };
  let lastAt: number | null = null;
  return {
    add({ code }: AdmissionRefusal, { priority }: OfferedOrder, nowMs: number) {
      refused[code] += 1;
      byClass[priority] += 1;
      lastAt = nowMs;
    },
    read: (): Refused => ({ ...refused, byClass: { ...byClass }, lastAt }),
  };
}

/**
 * It waits for a claim, or a step of it is held. Calls in flight and cool-downs are not a backlog, and neither are orders that wait
 * for earlier ones of their singleton key: no capacity begins them sooner.
 */
const isWaiting = ({ processState, notBefore, updatedAt, isHeld, steps }: ProcessRecord) =>
  isHeld === true
    ? steps.some(({ progress }) => waitsForAgent(progress))
    : processState === 'Pending' && notBefore <= updatedAt;

const isLive = ({ processState }: ProcessRecord) =>
  processState === 'Pending' || processState === 'Processing';
