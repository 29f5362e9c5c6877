/**
 * A queue in memory that is shared fairly: by weight between the priority classes, within a class by weight between the
 * tenants, and first in, first out within one tenant. It keeps R24: no class and no tenant with work is starved.
 * flow-scheduler.ts chooses the class and the tenant.
 *
 * Every operation takes O(log t) for t tenants with work. A tenant without work takes no memory as soon as its last
 * items no longer count (at the latest when its class is empty).
 */
import type { Priority } from '#core/model/record.ts';
import { type Flow, type FlowScheduler, flowScheduler, newFlow } from './flow-scheduler.ts';

/**
 * The shares of the classes while all have work: of 21 items, 16 are high, 4 normal and 1 low. Each class has four times
 * the share of the next one, so that an overload of a lower class hardly delays a higher one, and low still gets 4.7 %.
 */
export const classWeights: Readonly<Record<Priority, number>> = { high: 16, normal: 4, low: 1 };

/** Whose work an item is. */
export interface FlowLabel {
  readonly priority: Priority;
  /** Any text; null and undefined: work without a tenant, a flow of its own. */
  readonly tenant?: string | null | undefined;
}

/** An item in the queue. */
export interface Queued<Key, Item> {
  readonly key: Key;
  readonly item: Item;
}

/** Options of {@link fairQueue}. */
export interface FairQueueOptions {
  /** The weight of a tenant: positive and finite. Default: 1 for each. */
  readonly weightOf?: (tenant: string | null) => number;
}

/** See {@link fairQueue}. */
export interface FairQueue<Key, Item> {
  size(): number;
  /** The items of one class. */
  count(priority: Priority): number;
  /** The tenants that take memory, over all classes. */
  tenants(): number;
  has(key: Key): boolean;
  /**
   * Adds an item at the end of its flow. When the key is already in the queue, its item is replaced: it keeps its
   * position when the flow is the same, and moves to the end of the new flow otherwise.
   */
  add(key: Key, item: Item, label: FlowLabel): void;
  /** Removes an item, which is not charged to its flow; undefined when the key is not in the queue. */
  remove(key: Key): Queued<Key, Item> | undefined;
  /** The next item. It stays next until the queue changes. */
  peek(): Queued<Key, Item> | undefined;
  /** Removes the next item, and counts it as served. */
  take(): Queued<Key, Item> | undefined;
  /** Reads the weight of a tenant again: it applies to items that wait already. */
  reweigh(tenant: string | null): void;
}

interface Entry<Key, Item> extends Queued<Key, Item> {
  item: Item;
  readonly of: Tenant<Key, Item>;
  previous: Entry<Key, Item> | null;
  next: Entry<Key, Item> | null;
}

interface Tenant<Key, Item> extends Flow {
  readonly of: Class<Key, Item>;
  readonly name: string | null;
  first: Entry<Key, Item> | null;
  last: Entry<Key, Item> | null;
}

interface Class<Key, Item> extends Flow {
  count: number;
  readonly tenants: Map<string | null, Tenant<Key, Item>>;
  readonly scheduler: FlowScheduler<Tenant<Key, Item>>;
}

/** Makes an empty queue. */
export function fairQueue<Key, Item>(options: FairQueueOptions = {}): FairQueue<Key, Item> {
  const { weightOf = () => 1 } = options;
  const entries = new Map<Key, Entry<Key, Item>>();
  /** Those that have had work: most queues are empty, or have work of one class. */
  const classes = new Map<Priority, Class<Key, Item>>();
  const scheduler = flowScheduler<Class<Key, Item>>(() => {});

  function classOf(priority: Priority): Class<Key, Item> {
    const known = classes.get(priority);
    if (known !== undefined) return known;
    const own = newClass<Key, Item>(classWeights[priority]);
    classes.set(priority, own);
    return own;
  }

  function tenantOf({ priority, tenant = null }: FlowLabel): Tenant<Key, Item> {
    const of = classOf(priority);
    const known = of.tenants.get(tenant);
    if (known !== undefined) return known;
    const flow = { ...newFlow(weightOf(tenant)), of, name: tenant, first: null, last: null };
    of.tenants.set(tenant, flow);
    return flow;
  }

  function deactivateEmpty(tenant: Tenant<Key, Item>): void {
    if (tenant.first === null) tenant.of.scheduler.deactivate(tenant);
    if (tenant.of.count === 0) scheduler.deactivate(tenant.of);
  }

  function remove(key: Key): Queued<Key, Item> | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    unlink(entry);
    deactivateEmpty(entry.of);
    return entry;
  }

  return {
    size: () => entries.size,
    count: (priority) => classes.get(priority)?.count ?? 0,
    tenants() {
      let sum = 0;
      for (const { tenants } of classes.values()) sum += tenants.size;
      return sum;
    },
    has: (key) => entries.has(key),
    remove,
    add(key, item, label) {
      const known = entries.get(key);
      if (known !== undefined) {
        known.item = item;
        const { name, of } = known.of;
        if (of === classes.get(label.priority) && name === (label.tenant ?? null)) return;
        remove(key);
      }
      const tenant = tenantOf(label);
      entries.set(key, append(key, item, tenant));
      tenant.of.scheduler.activate(tenant);
      scheduler.activate(tenant.of);
    },
    peek: () => scheduler.next()?.scheduler.next()?.first ?? undefined,
    take() {
      const of = scheduler.next();
      const tenant = of?.scheduler.next();
      const entry = tenant?.first ?? undefined;
      if (of === undefined || tenant === undefined || entry === undefined) return undefined;
      entries.delete(entry.key);
      unlink(entry);
      of.scheduler.serve(tenant);
      scheduler.serve(of);
      deactivateEmpty(tenant);
      return entry;
    },
    reweigh(tenant) {
      for (const of of classes.values()) {
        const flow = of.tenants.get(tenant);
        if (flow !== undefined) of.scheduler.reweigh(flow, weightOf(tenant));
      }
    },
  };
}

function append<Key, Item>(key: Key, item: Item, of: Tenant<Key, Item>): Entry<Key, Item> {
  const entry = { key, item, of, previous: of.last, next: null };
  if (of.last === null) of.first = entry;
  else of.last.next = entry;
  of.last = entry;
  of.of.count += 1;
  return entry;
}

/** Removes an entry from its flow; the flow and its class stay active. */
function unlink<Key, Item>(entry: Entry<Key, Item>): void {
  const { of, previous, next } = entry;
  if (previous === null) of.first = next;
  else previous.next = next;
  if (next === null) of.last = previous;
  else next.previous = previous;
  // A caller that keeps the entry must not keep its neighbours in memory.
  entry.previous = null;
  entry.next = null;
  of.of.count -= 1;
}

function newClass<Key, Item>(weight: number): Class<Key, Item> {
  const tenants = new Map<string | null, Tenant<Key, Item>>();
  return {
    ...newFlow(weight),
    count: 0,
    tenants,
    scheduler: flowScheduler(({ name }) => tenants.delete(name)),
  };
}
