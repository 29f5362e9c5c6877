/**
 * The fair queue as simply as possible, with work linear in the number of flows: lists, and a fluid server that serves
 * all flows at once by weight and whose virtual time is advanced step by step. It follows the choices of the queue
 * under test, and throws at one that start-time fair queueing does not allow. Equal tags are equal within `rounding`.
 */
import { classWeights } from '#core/flow/fair-queue.ts';
import { type Priority, priorities } from '#core/model/record.ts';

export const rounding = 1e-6;

interface FluidFlow<Name> {
  readonly name: Name;
  weight: number;
  tag: number;
  hasWork: boolean;
}

interface FluidServer<Name> {
  activate(name: Name, weight: number): void;
  /** Serves one item of the flow, which must have the smallest tag. */
  serve(name: Name): void;
  deactivate(name: Name): void;
  reweigh(name: Name, weight: number): void;
  /** Items that the flow is behind its share. */
  behind(name: Name): number;
  /** The flows that it serves. */
  size(): number;
  /** Of these, the ones that no rounding ends. */
  lasting(): number;
}

function fluidServer<Name>(): FluidServer<Name> {
  let flows: FluidFlow<Name>[] = [];
  let now = 0;
  const find = (name: Name) => flows.find((flow) => flow.name === name);

  function advance(items: number): void {
    let left = items;
    while (flows.some(({ hasWork }) => hasWork)) {
      const weight = flows.reduce((sum, flow) => sum + flow.weight, 0);
      const end = Math.min(...flows.filter(({ hasWork }) => !hasWork).map(({ tag }) => tag));
      const needed = (end - now) * weight;
      if (needed > left) {
        now += left / weight;
        return;
      }
      now = end;
      left -= needed;
      flows = flows.filter(({ hasWork, tag }) => hasWork || tag > now);
    }
    flows = [];
    now = 0;
  }

  return {
    activate(name, weight) {
      const flow = find(name);
      if (flow === undefined) flows.push({ name, weight, tag: now, hasWork: true });
      else flow.hasWork = true;
    },
    serve(name) {
      const flow = find(name);
      if (flow?.hasWork !== true) throw new Error('a flow without work was served');
      for (const { hasWork, tag } of flows) {
        if (hasWork && tag < flow.tag - rounding) throw new Error('another flow was next');
      }
      flow.tag += 1 / flow.weight;
      advance(1);
    },
    deactivate(name) {
      const flow = find(name);
      if (flow === undefined) return;
      flow.hasWork = false;
      if (flow.tag > now) return advance(0);
      // What the fluid server did for items that are gone, it does for the others.
      flows = flows.filter((other) => other !== flow);
      advance(flow.weight * (now - flow.tag));
    },
    reweigh(name, weight) {
      const flow = find(name);
      if (flow === undefined) return;
      flow.tag = now + ((flow.tag - now) * flow.weight) / weight;
      flow.weight = weight;
    },
    behind(name) {
      const flow = find(name);
      return flow === undefined ? 0 : (now - flow.tag) * flow.weight;
    },
    size: () => flows.length,
    lasting: () => flows.filter(({ hasWork, tag }) => hasWork || tag > now + rounding).length,
  };
}

interface ReferenceItem {
  readonly key: string;
  readonly item: number;
  readonly priority: Priority;
  readonly tenant: string | null;
}

export interface Reference {
  add(entry: ReferenceItem): void;
  remove(key: string): void;
  /** The queue under test has served this item. */
  served(key: string): ReferenceItem;
  reweigh(tenant: string | null): void;
  items(): readonly ReferenceItem[];
  /** The items by which the tenants of one class are behind, and the most that is allowed. */
  worst(): readonly { readonly behind: number; readonly allowed: number }[];
  /** The tenants that must be in memory. */
  tenants(): number;
}

export function reference(weightOf: (tenant: string | null) => number): Reference {
  let items: readonly ReferenceItem[] = [];
  const ofClasses = fluidServer<Priority>();
  const ofTenants = {
    high: fluidServer<string | null>(),
    normal: fluidServer<string | null>(),
    low: fluidServer<string | null>(),
  };
  const ofFlow = ({ priority, tenant }: ReferenceItem) =>
    items.filter((other) => other.priority === priority && other.tenant === tenant);

  function drop(item: ReferenceItem): void {
    items = items.filter((other) => other !== item);
    if (ofFlow(item).length === 0) ofTenants[item.priority].deactivate(item.tenant);
    if (!items.some(({ priority }) => priority === item.priority))
      ofClasses.deactivate(item.priority);
  }
  const find = (key: string) => items.find((item) => item.key === key);

  return {
    add(item) {
      const known = find(item.key);
      if (known?.priority === item.priority && known.tenant === item.tenant) {
        items = items.map((other) => (other === known ? item : other));
        return;
      }
      if (known !== undefined) drop(known);
      items = [...items, item];
      ofTenants[item.priority].activate(item.tenant, weightOf(item.tenant));
      ofClasses.activate(item.priority, classWeights[item.priority]);
    },
    remove(key) {
      const item = find(key);
      if (item !== undefined) drop(item);
    },
    served(key) {
      const item = find(key);
      if (item === undefined) throw new Error(`${key} is not in the queue`);
      if (ofFlow(item)[0] !== item) throw new Error(`${key} is not the first of its flow`);
      ofTenants[item.priority].serve(item.tenant);
      ofClasses.serve(item.priority);
      drop(item);
      return item;
    },
    reweigh(tenant) {
      for (const priority of priorities) ofTenants[priority].reweigh(tenant, weightOf(tenant));
    },
    items: () => items,
    worst: () =>
      items.map(({ priority, tenant }) => ({
        behind: ofTenants[priority].behind(tenant),
        allowed: ofTenants[priority].size() - 1,
      })),
    tenants: () => priorities.reduce((sum, each) => sum + ofTenants[each].lasting(), 0),
  };
}
