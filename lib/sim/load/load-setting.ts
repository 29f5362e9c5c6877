/** What a deployment under load consists of, and what is offered to it. */
import type { CallLimits, WorkflowRegistry } from '#core/definition/registry.ts';
import type { Priority } from '#core/model/record.ts';

/** The agent that is the bottleneck, in the middle of the workflow `sequence`. */
export const bottleneck = 'payment';

export interface LoadSetting {
  readonly seed: number;
  /** The parameter `concurrency` of the agent that is the bottleneck: batches of ten at once. */
  readonly batches: number;
  /** The parameter `priorities`: how many classes have queues of their own. */
  readonly classes: number;
  /** The duration of a call to the service of that agent, ms, and how far it varies, in parts of it. */
  readonly callMs: number;
  readonly variation: number;
  /** The parameter `backlogMaxSeconds`, ms. */
  readonly backlogMaxMs: number;
  /** How old the counts of queues are, ms. */
  readonly countAgeMs: number;
  /** The limits of agents, by their names. Default: there are none. */
  readonly limits?: ReadonlyMap<string, CallLimits>;
  /** Default: the workflows of the simulated worlds. */
  readonly registry?: WorkflowRegistry;
  /** Instances of the Scheduler at once, at most. Default: as many as there are batches of messages. */
  readonly schedulersMax?: number;
  /** How far the clocks of two instances may differ, ms. Default: not at all. */
  readonly skewMs?: number;
}

/** Whose orders they are. */
export interface Flow {
  readonly priority: Priority;
  readonly tenant: string;
}

/** Orders that come at random, at a rate. */
export interface Offer extends Flow {
  /** Orders per second, in parts of the capacity. */
  readonly part: number;
}

const numbered = (priority: Priority, name: string, count: number, part: number) =>
  Array.from({ length: count }, (_, at) => ({ priority, tenant: `${name}-${at + 1}`, part }));

/**
 * Three times the capacity: 10 % of it in class high, twice the capacity in class normal from eight tenants, one of which
 * floods, and 90 % in class low from four tenants.
 */
export const threefold: readonly Offer[] = [
  ...numbered('high', 'desk', 2, 0.05),
  { priority: 'normal', tenant: 'flood', part: 0.95 },
  ...numbered('normal', 'shop', 7, 0.15),
  ...numbered('low', 'batch', 4, 0.225),
];

export const flowName = ({
  priority,
  tenant,
}: Pick<Offer, 'priority'> & { tenant: string | null }) => `${priority} ${tenant ?? ''}`;
