/**
 * The waiting orders of one workflow by class and tenant, and the rates at which they are worked off. A workflow has its
 * own, because another one may need other services. Every operation but `forget` takes constant time.
 */
import { type Priority, priorities } from '#core/model/record.ts';
import type { Load } from './admission-rule.ts';
import { type DrainRate, newDrainRate, noteEnd, pauseRate, rateAt } from './drain-rate.ts';
import { classWeights, type FlowLabel } from './fair-queue.ts';

/** What the load of one workflow says of one order. */
export type WorkflowLoad = Pick<Load, 'priority' | 'waiting' | 'perSecond' | 'shares'>;

/** See {@link workflowBacklog}. */
export interface WorkflowBacklog {
  /** All waiting orders. */
  waiting(): number;
  /** An order of the flow waits, or waits no more. False: no order of the flow waited, so that nothing changes. */
  add(label: FlowLabel, by: 1 | -1, nowMs: number): boolean;
  /**
   * So many of the waiting orders of the flow can begin only when a service is available again; with a negative number, no longer.
   * While no others wait, ends say nothing of the rate.
   */
  stick(label: FlowLabel, by: number, nowMs: number): void;
  /** An order of the flow has ended. */
  ended(label: FlowLabel, nowMs: number): void;
  /** The load as one more order of the flow meets it. */
  load(label: FlowLabel, nowMs: number): WorkflowLoad;
  /** Orders per second of all flows; null: not known. */
  perSecond(nowMs: number): number | null;
  /** Nothing that has ended since the last window counts: a service was unavailable. */
  pause(): void;
  /** Forgets the tenants that have had no order since `beforeMs`, ms since the epoch. */
  forget(beforeMs: number): void;
  /** Reads the weight of a tenant again. */
  reweigh(tenant: string | null): void;
}

interface Flow {
  waiting: number;
  /** See `stick`. */
  stuck: number;
  weight: number;
  /** The last order that came or ended, ms since the epoch. */
  seenAt: number;
  readonly rate: DrainRate;
}

interface Class {
  waiting: number;
  readonly flows: Map<string | null, Flow>;
  /** The weights of the flows that have had an order lately, and of those with waiting orders. */
  weights: number;
  waitingWeights: number;
}

/** Makes an empty backlog. `weightOf`: the weight of a tenant. */
export function workflowBacklog(weightOf: (tenant: string | null) => number): WorkflowBacklog {
  const classes: Readonly<Record<Priority, Class>> = {
    high: newClass(),
    normal: newClass(),
    low: newClass(),
  };
  const rate = newDrainRate();
  let waiting = 0;
  let stuck = 0;

  const flowOf = ({ priority, tenant = null }: FlowLabel, nowMs: number) =>
    flowIn(classes[priority], tenant, weightOf, nowMs);

  function pauseIfStuck(flow: Flow): void {
    if (flow.waiting === flow.stuck) pauseRate(flow.rate);
    if (waiting === stuck) pauseRate(rate);
  }

  return {
    waiting: () => waiting,
    add(label, by, nowMs) {
      const of = classes[label.priority];
      const flow = flowOf(label, nowMs);
      const before = flow.waiting;
      if (before + by < 0) return false;
      flow.waiting += by;
      of.waiting += by;
      waiting += by;
      if (before === 0) of.waitingWeights += flow.weight;
      if (flow.waiting === 0) {
        of.waitingWeights -= flow.weight;
        // The next time it may compete with others.
        flow.rate.perSecond = null;
      }
      pauseIfStuck(flow);
      return true;
    },
    stick(label, by, nowMs) {
      const flow = flowOf(label, nowMs);
      flow.stuck += by;
      stuck += by;
      pauseIfStuck(flow);
    },
    ended(label, nowMs) {
      const flow = flowOf(label, nowMs);
      flow.seenAt = nowMs;
      if (flow.waiting > flow.stuck) noteEnd(flow.rate, nowMs);
      if (waiting > stuck) noteEnd(rate, nowMs);
    },
    load({ priority, tenant = null }, nowMs) {
      const of = classes[priority];
      const flow = of.flows.get(tenant);
      if (flow !== undefined) flow.seenAt = nowMs;
      const ahead = flow?.waiting ?? 0;
      const weight = flow?.weight ?? weightOf(tenant);
      const weights = of.weights + (flow === undefined ? weight : 0);
      const all = rateAt(rate, nowMs);
      const measured = flow === undefined ? null : rateAt(flow.rate, nowMs);
      return {
        priority,
        waiting: ahead,
        perSecond:
          all === null
            ? null
            : (measured ?? all * guaranteedPart(classes, priority, ahead, weight)),
        shares: ((ahead + 1) / (of.waiting + 1)) * (weights / weight),
      };
    },
    perSecond: (nowMs) => rateAt(rate, nowMs),
    pause() {
      pauseRate(rate);
      for (const { flows } of Object.values(classes)) {
        for (const flow of flows.values()) pauseRate(flow.rate);
      }
    },
    forget(beforeMs) {
      for (const of of Object.values(classes)) forgetFlows(of, beforeMs);
    },
    reweigh(tenant) {
      for (const of of Object.values(classes)) {
        const flow = of.flows.get(tenant);
        if (flow !== undefined) setWeight(of, flow, weightOf(tenant));
      }
    },
  };
}

/** The flow of the tenant, which the class has from now on. */
function flowIn(
  of: Class,
  tenant: string | null,
  weightOf: (tenant: string | null) => number,
  nowMs: number,
): Flow {
  const known = of.flows.get(tenant);
  if (known !== undefined) return known;
  const weight = weightOf(tenant);
  const flow = { waiting: 0, stuck: 0, weight, seenAt: nowMs, rate: newDrainRate() };
  of.flows.set(tenant, flow);
  of.weights += weight;
  return flow;
}

/** The part of the rate of the workflow that a flow gets at least, once an order of it waits. */
function guaranteedPart(
  classes: Readonly<Record<Priority, Class>>,
  priority: Priority,
  waiting: number,
  weight: number,
): number {
  let all = 0;
  for (const each of priorities) {
    if (each === priority || classes[each].waiting > 0) all += classWeights[each];
  }
  const others = classes[priority].waitingWeights - (waiting > 0 ? weight : 0);
  return (classWeights[priority] / all) * (weight / (others + weight));
}

function forgetFlows(of: Class, beforeMs: number): void {
  for (const [tenant, flow] of of.flows) {
    if (flow.waiting > 0 || flow.seenAt >= beforeMs) continue;
    of.flows.delete(tenant);
    of.weights -= flow.weight;
  }
  // Exact again after many roundings.
  if (of.flows.size === 0) of.weights = 0;
  if (of.waiting === 0) of.waitingWeights = 0;
}

function setWeight(of: Class, flow: Flow, weight: number): void {
  const change = weight - flow.weight;
  flow.weight = weight;
  of.weights += change;
  if (flow.waiting > 0) of.waitingWeights += change;
}

const newClass = (): Class => ({ waiting: 0, flows: new Map(), weights: 0, waitingWeights: 0 });
