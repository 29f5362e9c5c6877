/** The index of the orders with a step that waits for an agent, in the order of lib/aws/store/held-key.ts. */
import { indexedStep } from '#core/decide/settle-holds.ts';
import type { FlowCount } from '#core/flow/held-backlog.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Priority, ProcessRecord } from '#core/model/record.ts';
import type { HeldOrder, HeldPlace } from '#ports/held-steps.ts';
import type { Timeline } from '#sim/world/virtual-time.ts';

export interface HeldIndex {
  /** At most `limit` orders of the places after this one; null: of all. */
  after(
    agent: string,
    priority: Priority,
    place: HeldPlace | null,
    limit: number,
  ): readonly HeldOrder[];
  /** The orders by flow; `from`: since when an order has to wait to count as early. */
  counts(agent: string, priority: Priority, from: number | null): readonly FlowCount[];
}

/** The name of a tenant in the index. */
export const simFlowOf = (tenant: string | null) => tenant ?? '';

interface Entry extends HeldOrder {
  readonly agent: string;
  readonly priority: Priority;
  readonly since: number;
}

/** As an order is in the index; null: it waits for no agent. */
function entryOf(record: ProcessRecord): Entry | null {
  const { orderId, priority, tenant } = record;
  const step = indexedStep(record);
  if (step === null) return null;
  const { agent, since, queue = null } = step;
  return { orderId, agent, priority, flow: simFlowOf(tenant), queue, since };
}

const byTurn = (a: Entry, b: Entry) => compare(a, b) || a.since - b.since;

/** By flow, then by queue: those without one first. */
const compare = (a: HeldPlace, b: HeldPlace) =>
  inOrder(a.flow, b.flow) || inOrder(a.queue ?? '', b.queue ?? '');
const inOrder = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
const placeOf = ({ flow, queue }: HeldPlace): HeldPlace => ({ flow, queue });

/** Reads all records for each answer, without any lag: for few orders. */
export function scannedHeld(records: () => readonly ProcessRecord[]): HeldIndex {
  const of = (agent: string, priority: Priority) =>
    records()
      .flatMap((record) => entryOf(record) ?? [])
      .filter((entry) => entry.agent === agent && entry.priority === priority)
      .sort(byTurn);
  return {
    after: (agent, priority, place, limit) =>
      of(agent, priority)
        .filter((entry) => place === null || compare(entry, place) > 0)
        .slice(0, limit)
        .map((entry) => ({ orderId: entry.orderId, ...placeOf(entry) })),
    counts: (agent, priority, from) =>
      [...Map.groupBy(of(agent, priority), ({ flow }) => flow)].map(([flow, own]) =>
        countOf(flow, own, from),
      ),
  };
}

export interface LaggingHeld extends HeldIndex {
  /** Every write of an order must be passed, in sequence. */
  wrote(record: ProcessRecord): void;
}

/** Shows each write after a lag, as an index of DynamoDB does. */
export function laggingHeld(timeline: Timeline, lagMs: () => number): LaggingHeld {
  /** By agent and class, then by place: sorted by time. */
  const partitions = new Map<string, Map<string, Entry[]>>();
  const textOf = ({ flow, queue }: HeldPlace) => JSON.stringify([flow, queue ?? '']);
  const shown = new Map<OrderId, Entry>();
  const visibleAt = new Map<OrderId, number>();
  const keyOf = (agent: string, priority: Priority) => `${agent} ${priority}`;

  function flowsOf({ agent, priority }: Pick<Entry, 'agent' | 'priority'>): Map<string, Entry[]> {
    const flows = partitions.get(keyOf(agent, priority)) ?? new Map<string, Entry[]>();
    partitions.set(keyOf(agent, priority), flows);
    return flows;
  }

  function remove(entry: Entry): void {
    const flows = flowsOf(entry);
    const place = textOf(entry);
    const left = (flows.get(place) ?? []).filter((other) => other !== entry);
    if (left.length === 0) flows.delete(place);
    else flows.set(place, left);
  }

  function add(entry: Entry): void {
    const flows = flowsOf(entry);
    const own = flows.get(textOf(entry)) ?? [];
    const before = own.findLastIndex(({ since }) => since <= entry.since);
    own.splice(before + 1, 0, entry);
    flows.set(textOf(entry), own);
  }

  function show(orderId: OrderId, entry: Entry | null): void {
    const old = shown.get(orderId);
    if (old !== undefined) remove(old);
    shown.delete(orderId);
    if (entry === null) return;
    shown.set(orderId, entry);
    add(entry);
  }

  return {
    wrote(record) {
      const { orderId } = record;
      const entry = entryOf(record);
      const pending = visibleAt.get(orderId);
      if (entry === null && pending === undefined && !shown.has(orderId)) return;
      // The index shows the writes of one item in sequence.
      const at = Math.max(timeline.now() + lagMs(), pending ?? 0);
      visibleAt.set(orderId, at);
      timeline.at(at, () => {
        show(orderId, entry);
        if (entry === null && visibleAt.get(orderId) === at) visibleAt.delete(orderId);
      });
    },
    after(agent, priority, place, limit) {
      const found: HeldOrder[] = [];
      const lists = [...flowsOf({ agent, priority }).values()];
      for (const entries of lists.sort(([a], [b]) => (a && b ? compare(a, b) : 0))) {
        const [first] = entries;
        if (first === undefined || (place !== null && compare(first, place) <= 0)) continue;
        found.push(...entries.slice(0, limit - found.length));
        if (found.length >= limit) break;
      }
      return found;
    },
    counts: (agent, priority, from) =>
      [...Map.groupBy([...flowsOf({ agent, priority }).values()].flat(), ({ flow }) => flow)].map(
        ([flow, own]) => countOf(flow, own, from),
      ),
  };
}

const countOf = (flow: string, own: readonly Entry[], from: number | null): FlowCount => ({
  flow,
  waiting: own.length,
  early: own.filter(({ since }) => from !== null && since <= from).length,
});
