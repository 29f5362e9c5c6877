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
  /** As `add`, but before the items of its flow that were not added in this way. */
  addFirst(key: Key, item: Item, label: FlowLabel): void;
  /** An item of the flow that was taken is not served: the flow is not charged for it. */
  giveBack(label: FlowLabel): void;
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
  /** The last one of those that were added first. */
  lastOfFirst: Entry<Key, Item> | null;
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
  const flows = fairFlows<Key, Item>(weightOf);

  function remove(key: Key): Queued<Key, Item> | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    unlink(entry);
    flows.removed(entry.of);
    return entry;
  }

  /** @param link puts a new entry into its flow */
  function add(
    link: (entry: Entry<Key, Item>) => void,
    { key, item }: Queued<Key, Item>,
    label: FlowLabel,
  ): void {
    const known = entries.get(key);
    if (known !== undefined) {
      known.item = item;
      if (known.of === flows.known(label)) return;
      remove(key);
    }
    const entry = { key, item, of: flows.of(label), previous: null, next: null };
    entries.set(key, entry);
    link(entry);
    flows.added(entry.of);
  }

  return {
    size: () => entries.size,
    ...{ count: flows.count, tenants: flows.tenants, reweigh: flows.reweigh },
    has: (key) => entries.has(key),
    remove,
    add: (key, item, label) => add(append, { key, item }, label),
    addFirst: (key, item, label) => add(prepend, { key, item }, label),
    giveBack: flows.giveBack,
    peek: () => flows.next()?.first ?? undefined,
    take() {
      const tenant = flows.next();
      const entry = tenant?.first ?? undefined;
      if (tenant === undefined || entry === undefined) return undefined;
      entries.delete(entry.key);
      unlink(entry);
      flows.serve(tenant);
      return entry;
    },
  };
}

/** The classes and tenants with work, and which of them is next. */
function fairFlows<Key, Item>(weightOf: (tenant: string | null) => number) {
  /** Those that have had work: most queues are empty, or have work of one class. */
  const classes = new Map<Priority, Class<Key, Item>>();
  const scheduler = flowScheduler<Class<Key, Item>>(() => {});

  const known = ({ priority, tenant = null }: FlowLabel): Tenant<Key, Item> | undefined =>
    classes.get(priority)?.tenants.get(tenant);

  function classOf(priority: Priority): Class<Key, Item> {
    const own = classes.get(priority) ?? newClass<Key, Item>(classWeights[priority]);
    classes.set(priority, own);
    return own;
  }

  function removed(tenant: Tenant<Key, Item>): void {
    if (tenant.first === null) tenant.of.scheduler.deactivate(tenant);
    if (tenant.of.count === 0) scheduler.deactivate(tenant.of);
  }

  return {
    known,
    removed,
    of({ priority, tenant = null }: FlowLabel): Tenant<Key, Item> {
      const of = classOf(priority);
      const own = of.tenants.get(tenant) ?? newTenant(weightOf(tenant), of, tenant);
      of.tenants.set(tenant, own);
      return own;
    },
    added(tenant: Tenant<Key, Item>): void {
      tenant.of.scheduler.activate(tenant);
      scheduler.activate(tenant.of);
    },
    next: () => scheduler.next()?.scheduler.next(),
    serve(tenant: Tenant<Key, Item>): void {
      tenant.of.scheduler.serve(tenant);
      scheduler.serve(tenant.of);
      removed(tenant);
    },
    /** A flow that was forgotten since has nothing to get back. */
    giveBack(label: FlowLabel): void {
      const tenant = known(label);
      if (tenant === undefined) return;
      tenant.of.scheduler.giveBack(tenant);
      scheduler.giveBack(tenant.of);
    },
    count: (priority: Priority) => classes.get(priority)?.count ?? 0,
    tenants() {
      let sum = 0;
      for (const { tenants } of classes.values()) sum += tenants.size;
      return sum;
    },
    reweigh(tenant: string | null): void {
      for (const of of classes.values()) {
        const flow = of.tenants.get(tenant);
        if (flow !== undefined) of.scheduler.reweigh(flow, weightOf(tenant));
      }
    },
  };
}

const newTenant = <Key, Item>(
  weight: number,
  of: Class<Key, Item>,
  name: string | null,
): Tenant<Key, Item> => ({
  ...newFlow(weight),
  of,
  name,
  first: null,
  last: null,
  lastOfFirst: null,
});

function append<Key, Item>(entry: Entry<Key, Item>): void {
  linkBehind(entry, entry.of.last);
}

function prepend<Key, Item>(entry: Entry<Key, Item>): void {
  linkBehind(entry, entry.of.lastOfFirst);
  entry.of.lastOfFirst = entry;
}

/** @param before null: the entry becomes the first one */
function linkBehind<Key, Item>(entry: Entry<Key, Item>, before: Entry<Key, Item> | null): void {
  const { of } = entry;
  const after = before === null ? of.first : before.next;
  entry.previous = before;
  entry.next = after;
  if (before === null) of.first = entry;
  else before.next = entry;
  if (after === null) of.last = entry;
  else after.previous = entry;
  of.of.count += 1;
}

/** Removes an entry from its flow; the flow and its class stay active. */
function unlink<Key, Item>(entry: Entry<Key, Item>): void {
  const { of, previous, next } = entry;
  if (previous === null) of.first = next;
  else previous.next = next;
  if (next === null) of.last = previous;
  else next.previous = previous;
  if (of.lastOfFirst === entry) of.lastOfFirst = previous;
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
