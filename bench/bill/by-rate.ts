/** The bill at rates of orders: batches as full as Lambda's pollers make them. */
import { chance } from '#sim/world/chance.ts';
import { type ByKind, type Consumption, gbSecondsOf, sumOf } from './consumption.ts';
import { dollars } from './dollars.ts';
import { round } from './peers.ts';
import { polled } from './pollers.ts';
import { invocationMs } from './prices.ts';

/** Orders per second. */
const rates = [1, 10, 100, 1_000] as const;

const batchMax = 10;
/** Queues of the Scheduler: that of nudges, and the replies of each of three agents. Of the agents: one each. */
const queuesOf = { scheduler: 4, agent: 3 } as const;

/** What orders cost at one rate. */
export interface RateBill {
  readonly ordersPerSecond: number;
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
  return rates.map((rate) => billAt(rate, full, single));
}

function billAt(rate: number, full: Consumption, single: Consumption): RateBill {
  const queue = (kind: keyof typeof queuesOf) => {
    const perOrder = full.messagesBy[kind] / full.orders;
    const perSecond = (rate * perOrder) / queuesOf[kind];
    const of = polled({ perSecond, batchMax, handlerMs: invocationMs[kind] }, chance(1).next);
    const batches = perOrder / of.messagesPerBatch;
    return { ...of, batches, empty: perOrder * of.emptyPerMessage, waits: perOrder * of.waitMs };
  };
  const scheduler = queue('scheduler');
  const agent = queue('agent');
  // The front door sends a nudge; the Scheduler requests for all messages of a batch but the last of an order; an agent replies.
  const steps = full.messagesBy.agent / full.messagesBy.scheduler;
  const sends = 1 + scheduler.batches * steps + agent.batches;
  const receives = 2 * (scheduler.batches + agent.batches) + scheduler.empty + agent.empty;
  const batched = rate >= notifierBatchesFrom ? full : single;
  const invocationsBy: ByKind = {
    ...full.invocationsBy,
    scheduler: scheduler.batches * full.orders,
    agent: agent.batches * full.orders,
    notifier: (batched.invocationsBy.notifier / batched.orders) * full.orders,
  };
  const used: Consumption = {
    ...full,
    sqsRequests: (sends + receives) * full.orders,
    invocationsBy,
    invocations: sumOf(invocationsBy),
    gbSeconds: gbSecondsOf(invocationsBy),
    logBytes: batched.logBytes,
  };
  return {
    ordersPerSecond: rate,
    schedulerBatch: round(scheduler.messagesPerBatch),
    agentBatch: round(agent.messagesPerBatch),
    waitMs: Math.round(scheduler.waits + agent.waits),
    dollarsPerMillionOrders: round(Object.values(dollars(used)).reduce((sum, one) => sum + one, 0)),
  };
}

/** The change stream of a table has full batches where several orders end in a second. */
const notifierBatchesFrom = 100;
