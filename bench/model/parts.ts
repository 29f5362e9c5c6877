/** The parts of a deployment that can be full: what each has, what orders take of it, and the rate at which it is full. */
import { invocationMs } from '../bill/prices.ts';
import { constants } from './constants.ts';
import type { Demand } from './demand.ts';
import { type Design, dueUnits } from './design.ts';
import { recoveredPerSecond } from './recovery.ts';

/** CPU and durations, ms, which differ from machine to machine. */
export type Costs = Readonly<
  Record<'recoveryCpuMs' | 'notifyCpuMs' | 'callMs' | 'schedulerBatchMs' | 'serviceMs', number>
>;

export const costs: Costs = {
  recoveryCpuMs: constants.recoveryCpuMs.value,
  notifyCpuMs: constants.notifyCpuMs.value,
  callMs: constants.callMs.value,
  schedulerBatchMs: constants.schedulerBatchMs.value,
  serviceMs: constants.serviceMs.value,
};

/** What a part is limited by: the design, an account's quota, or what AWS raises for no account. */
type Kind = 'partition' | 'design' | 'quota';

export interface Part {
  readonly part: string;
  readonly unit: string;
  readonly kind: Kind;
  readonly limit: number;
  readonly used: number;
  /** Orders per second at which it is full; null: the rate of orders does not matter. */
  readonly fullAt: number | null;
  /** What to raise. */
  readonly remedy: string;
}

export interface Load {
  /** New orders per second. */
  readonly rate: number;
  readonly design: Design;
  readonly demand: Demand;
  readonly costs: Costs;
}

interface Described extends Pick<Part, 'part' | 'unit' | 'kind' | 'remedy'> {
  readonly limit: number;
  readonly perOrder: number;
}

const partOf = (rate: number, { perOrder, ...part }: Described): Part => ({
  ...part,
  used: perOrder * rate,
  fullAt: part.limit / perOrder,
});

/** The records of a batch of the change stream (lib/infra/operations/notifications.ts). */
const batchSize = 100;
const frontDoorSeconds = invocationMs.frontDoor / 1_000;

const shardedIndexes = ['Due', 'Recent'] as const;
const tables = ['Orders', 'Processes'] as const;

/** Of orders that go well. */
export function partsOfOrders(load: Load): readonly Part[] {
  const { rate, demand } = load;
  return [
    ...frontDoorParts(load),
    ...tableParts(load),
    ...queueParts(load),
    notifierPart(load),
    eventPart(demand),
  ].map((part) => partOf(rate, part));
}

function frontDoorParts({ design }: Load): readonly Described[] {
  return [
    {
      part: 'API: its own throttle',
      unit: 'requests/s',
      kind: 'design',
      limit: design.apiRequests,
      perOrder: 1,
      remedy: 'throttle',
    },
    {
      part: 'API: quota of the account',
      unit: 'requests/s',
      kind: 'quota',
      limit: constants.apiRequests.value,
      perOrder: 1,
      remedy: 'API Gateway: Throttle rate',
    },
  ];
}

function tableParts({ design, demand }: Load): readonly Described[] {
  const units = (name: string) => demand.writeUnits[name] ?? 0;
  const partitionsOf = (name: (typeof tables)[number] | (typeof shardedIndexes)[number]) =>
    Math.floor(design.warmWriteUnits[name] / constants.partitionWriteUnits.value);
  return [
    ...shardedIndexes.map(
      (name): Described => ({
        part: `index ${name}: a partition`,
        unit: 'write units/s',
        kind: 'partition',
        limit: constants.partitionWriteUnits.value,
        // Shards that share a partition are notified apart only after DynamoDB has split it.
        perOrder: units(name) / Math.min(design.shards, partitionsOf(name)),
        remedy: 'shards, warmOrdersPerSecond',
      }),
    ),
    ...tables.map(
      (name): Described => ({
        part: `table ${name}: a partition, first day`,
        unit: 'write units/s',
        kind: 'partition',
        limit: constants.partitionWriteUnits.value,
        perOrder: units(name) / partitionsOf(name),
        remedy: 'warmOrdersPerSecond',
      }),
    ),
    ...tables.flatMap((name): readonly Described[] => [
      {
        part: `table ${name}: writes, quota`,
        unit: 'write units/s',
        kind: 'quota',
        limit: constants.tableWriteUnits.value,
        perOrder: units(name),
        remedy: 'DynamoDB: Table-level write throughput limit',
      },
      {
        part: `table ${name}: reads, quota`,
        unit: 'read units/s',
        kind: 'quota',
        limit: constants.tableWriteUnits.value,
        perOrder: demand.readUnits[name] ?? 0,
        remedy: 'DynamoDB: Table-level read throughput limit',
      },
    ]),
  ];
}

/** Steps are of agents of their own, so each agent has the messages of one step. */
function queueParts(load: Load): readonly Described[] {
  const { demand, costs: used } = load;
  const batches = 1 / constants.entriesPerRequest.value;
  const schedulerSeconds = used.schedulerBatchMs / 1_000;
  const agentSeconds = (used.schedulerBatchMs + used.serviceMs) / 1_000;
  return [
    {
      part: 'pollers of the queue of an agent',
      unit: 'batches at once',
      kind: 'quota',
      limit: constants.pollerBatches.value,
      perOrder: batches * agentSeconds,
      remedy: 'two priority classes, or provisioned pollers',
    },
    {
      part: 'pollers of the ready queue, of replies',
      unit: 'batches at once',
      kind: 'quota',
      limit: constants.pollerBatches.value,
      perOrder: batches * schedulerSeconds,
      remedy: 'two priority classes, or provisioned pollers',
    },
    {
      part: 'a queue: messages in flight',
      unit: 'messages',
      kind: 'quota',
      limit: constants.messagesInFlight.value,
      perOrder: agentSeconds,
      remedy: 'SQS: Messages in flight',
    },
    {
      part: 'Lambda: concurrency of the account',
      unit: 'environments',
      kind: 'quota',
      limit: constants.lambdaConcurrency.value,
      perOrder:
        frontDoorSeconds +
        demand.schedulerMessages * batches * schedulerSeconds +
        demand.agentMessages * batches * agentSeconds +
        demand.notified / notifiedPerSecond(load),
      remedy: 'Lambda: Concurrent executions',
    },
    {
      part: 'Lambda: requests of the front door',
      unit: 'requests/s',
      kind: 'quota',
      limit: constants.lambdaConcurrency.value * constants.lambdaRequestsPerConcurrency.value,
      perOrder: 1,
      remedy: 'Lambda: Concurrent executions',
    },
  ];
}

/** Notified changes per second of one batch after the other, when every order has `replyTo`. */
function notifiedPerSecond({ design, demand, costs: used }: Load): number {
  const notified = (batchSize * demand.notified) / demand.changes;
  const cpuMs = (notified * used.notifyCpuMs * constants.coreMiB.value) / design.notifierMiB;
  return (notified * 1_000) / (cpuMs + constants.notifierRoundTrips.value * used.callMs);
}

function notifierPart(load: Load): Described {
  const { design, demand } = load;
  const shards = Math.floor(design.warmWriteUnits.Processes / constants.partitionWriteUnits.value);
  return {
    part: 'notifier: a shard of the stream, replyTo on all',
    unit: 'changes/s',
    kind: 'design',
    limit: design.parallelizationFactor * notifiedPerSecond(load),
    perOrder: demand.notified / shards,
    remedy: 'warmOrdersPerSecond: each partition is a shard',
  };
}

function eventPart({ notified }: Demand): Described {
  return {
    part: 'events of the notifier: PutEvents, quota',
    unit: 'requests/s',
    kind: 'quota',
    limit: constants.putEventsRequests.value,
    perOrder: notified / constants.entriesPerRequest.value,
    remedy: 'EventBridge: PutEvents throttle limit',
  };
}

/** Of orders that fail or wait, all of them: the worst of a day. */
export function partsOfFailures(load: Load): readonly Part[] {
  const { rate, design, demand } = load;
  const partition = constants.partitionWriteUnits.value;
  const whole = (part: string, remedy: string): Part =>
    partOf(rate, {
      part,
      unit: 'write units/s',
      kind: 'partition',
      limit: partition,
      perOrder: 1,
      remedy,
    });
  const recovering = (at: number) =>
    dueUnits(at, recoveredPerSecond(load, 'outage').whileSweeping, demand) / design.shards;
  const perOrder = (recovering(rate) - recovering(0)) / rate;
  return [
    partOf(rate, {
      part: 'timeouts: every order has one',
      unit: 'recoveries/s',
      kind: 'design',
      limit: recoveredPerSecond(load, 'hang').inAll,
      perOrder: 1,
      remedy: 'shards, recoveryPerSecond',
    }),
    {
      part: 'index Due: a partition, after an outage',
      unit: 'write units/s',
      kind: 'partition',
      limit: partition,
      used: recovering(rate),
      fullAt: (partition - recovering(0)) / perOrder,
      remedy: 'shards, recoveryPerSecond',
    },
    whole('index Attention: all orders stop in Error', 'none: one partition'),
    whole('index Held: all orders wait for one agent', 'none: one partition for agent and class'),
  ];
}
