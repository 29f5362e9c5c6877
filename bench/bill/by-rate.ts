/** The bill at rates of orders: batches as full as Lambda's pollers make them. */
import { chance } from '#sim/world/chance.ts';
import { type ByKind, type Consumption, gbSecondsOf, sumOf } from './consumption.ts';
import { totalDollars } from './dollars.ts';
import { round } from './peers.ts';
import { arrivalsOf, type Polled, polled } from './pollers.ts';
import { invocationMs } from './prices.ts';
import { gathered } from './window-pollers.ts';

/** Orders per second. */
const rates = [1, 10, 100, 1_000] as const;

/** Values of the parameter `batchWindowSeconds`. */
const windows = [0, 1, 5] as const;

const batchMax = 10;
/** Queues of the Scheduler: that of nudges, and the replies of each of three agents. Of the agents: one each. */
const queuesOf = { scheduler: 4, agent: 3 } as const;

/** What orders cost at one rate. */
export interface RateBill {
  readonly ordersPerSecond: number;
  /** How long the queues of the Scheduler gather a batch. */
  readonly windowSeconds: number;
  /** Messages of a batch of the Scheduler, on average. */
  readonly schedulerBatch: number;
  /** Messages of a batch of an agent. */
  readonly agentBatch: number;
  /** How long an order waits for pollers in all, ms. */
  readonly waitMs: number;
  readonly dollarsPerMillionOrders: number;
}

/**
 * Takes the consumption of full batches for what does not depend on them, and counts requests and invocations anew.
 *
 * @param full what orders consume in batches of ten
 * @param single in single messages; its notifications are those of a low rate
 */
export function billsByRate(full: Consumption, single: Consumption): readonly RateBill[] {
  return windows.flatMap((windowSeconds) =>
    rates.map((ordersPerSecond) => billAt({ ordersPerSecond, windowSeconds }, full, single)),
  );
}

type Load = Pick<RateBill, 'ordersPerSecond' | 'windowSeconds'>;

function billAt(load: Load, full: Consumption, single: Consumption): RateBill {
  const { ordersPerSecond: rate, windowSeconds } = load;
  const queueOf = (kind: keyof typeof queuesOf) => {
    const perSecond = (rate * full.messagesBy[kind]) / full.orders / queuesOf[kind];
    return { perSecond, batchMax, handlerMs: invocationMs[kind] };
  };
  const perOrder = (kind: keyof typeof queuesOf, of: Polled) => {
    const messages = full.messagesBy[kind] / full.orders;
    return {
      messagesPerBatch: of.messagesPerBatch,
      batches: messages / of.messagesPerBatch,
      receives: messages * (of.receivesPerMessage + of.emptyPerMessage),
      waits: messages * of.waitMs,
    };
  };
  const independent = (kind: keyof typeof queuesOf) =>
    arrivalsOf(queueOf(kind).perSecond, chance(1).next);
  const ofScheduler =
    windowSeconds === 0
      ? polled(queueOf('scheduler'), independent('scheduler'))
      : gathered(
          { ...queueOf('scheduler'), windowMs: windowSeconds * 1_000 },
          independent('scheduler'),
          chance(2).next,
        );
  // Requests of a batch that was gathered come together, because the Scheduler sends them so.
  const requests =
    windowSeconds === 0
      ? independent('agent')
      : ofScheduler.batches.flatMap(({ endedAt, messages }) => Array(messages).fill(endedAt));
  const scheduler = perOrder('scheduler', ofScheduler);
  const agent = perOrder('agent', polled(queueOf('agent'), requests));
  // The front door sends a nudge; the Scheduler requests for all messages of a batch but the last of an order; an agent replies.
  const steps = full.messagesBy.agent / full.messagesBy.scheduler;
  const sends = 1 + scheduler.batches * steps + agent.batches;
  const deletes = scheduler.batches + agent.batches;
  const receives = scheduler.receives + agent.receives;
  const batched = rate >= notifierBatchesFrom ? full : single;
  const invocationsBy: ByKind = {
    ...full.invocationsBy,
    scheduler: scheduler.batches * full.orders,
    agent: agent.batches * full.orders,
    notifier: (batched.invocationsBy.notifier / batched.orders) * full.orders,
  };
  const used: Consumption = {
    ...full,
    sqsRequests: (sends + receives + deletes) * full.orders,
    invocationsBy,
    invocations: sumOf(invocationsBy),
    gbSeconds: gbSecondsOf(invocationsBy),
    logBytes: batched.logBytes,
  };
  return {
    ...load,
    schedulerBatch: round(scheduler.messagesPerBatch),
    agentBatch: round(agent.messagesPerBatch),
    waitMs: Math.round(scheduler.waits + agent.waits),
    dollarsPerMillionOrders: round(totalDollars(used)),
  };
}

/** The change stream of a table has full batches where several orders end in a second. */
const notifierBatchesFrom = 100;
