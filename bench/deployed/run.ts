/** One run: a warm-up, the way to the limit, the load at the limit, and the reconciliation of all of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessRecord } from '#core/model/record.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { amountCents, orderDetailsSchema } from '#workflows/order-details.ts';
import { ledgerEntries } from '../../test/crash/reconcile.ts';
import { exampleOrder } from '../example-order.ts';
import { percentile, rounded } from '../flow/figures.ts';
import type { Deployment } from './deployment.ts';
import { Load } from './load.ts';
import { isDead, type QueueState, queueStates } from './queue-ages.ts';
import { faultsOf } from './reconciliation.ts';
import type { Point, Series } from './series.ts';
import type { Submission } from './submission.ts';

/** Orders that time out are found by the sweep of each minute, and may cool down between their rounds. */
const settleMs = 900_000;
const lookMs = 5_000;

export interface Report {
  readonly seconds: number;
  /** Accepted orders, while they were offered at the limit. */
  readonly perSecond: number;
  readonly offered: number;
  readonly accepted: number;
  readonly refused: number;
  readonly refusals: number;
  readonly ambiguous: number;
  /** Of the whole run, the way to the limit included. */
  readonly orders: Readonly<Record<string, number>>;
  readonly ordersWithFailures: number;
  /** The attempts that timed out, by step. */
  readonly timedOut: Readonly<Record<string, number>>;
  /** The orders in Error, by what stopped them. */
  readonly stoppedBy: Readonly<Record<string, number>>;
  readonly answerMs: { readonly p50: number; readonly p99: number };
  /** Of the orders at the limit, from their submission to their end. */
  readonly orderMs: { readonly p50: number; readonly p99: number };
  /** From the last offer until every order had ended and every queue was empty. */
  readonly settledAfterS: number;
  /** Messages that are sent later, to orders that have ended: a nudge to a held order may have 15 minutes of delay. */
  readonly delayed: number;
  /** The rate, orders per second. */
  readonly rates: readonly Point[];
  /** The age of the oldest message of each queue, s. */
  readonly ages: readonly Series[];
  /** What is not reconciled. */
  readonly faults: readonly string[];
}

export async function run(
  deployment: Deployment,
  seconds: number,
  say: (text: string) => void,
): Promise<Report> {
  // Without a first sweep, the Supervisor takes the time before it for an outage.
  await deployment.reeve.sweep();
  const load = new Load(deployment);
  try {
    await load.warmUp();
    const limit = await load.findLimit();
    say(`messages wait at ${Math.round(limit)} orders/s; the limit is followed for ${seconds} s`);
    const before = load.submissions.length;
    const fromMs = systemClock.now();
    await load.offerFor(seconds);
    const offeredMs = systemClock.now();
    say('waiting for the ends of the orders');
    await load.allAnswered();
    const { orders, queues } = await settled(deployment, load);
    const settledAfterS = rounded((systemClock.now() - offeredMs) / 1_000);
    const { submissions } = load;
    const figures = figuresOf(submissions.slice(before), orders);
    return {
      seconds,
      perSecond: rounded(figures.accepted / seconds),
      ...figures,
      settledAfterS,
      delayed: queues.reduce((sum, { delayed }) => sum + delayed, 0),
      rates: load.ratesSince(fromMs),
      ages: load.agesSince(fromMs),
      faults: faultsOf({
        submissions,
        orders,
        amountCents: amountCents(orderDetailsSchema.parse(exampleOrder.details)),
        entries: await ledgerEntries(deployment.suppliers.url),
        left: new Map(queues.map(({ name, messages }) => [name, messages])),
      }),
    };
  } finally {
    await load.close();
  }
}

interface Settled {
  readonly orders: readonly ProcessRecord[];
  readonly queues: readonly QueueState[];
}

/** What is stored and queued, once all orders have ended and no message waits, or when that takes too long. */
async function settled({ cloud, stored }: Deployment, load: Load): Promise<Settled> {
  const deadline = systemClock.now() + settleMs;
  for (;;) {
    await load.drained(deadline - systemClock.now());
    const orders = await stored.records(exampleOrder.workflow);
    const queues = await queueStates(cloud, systemClock.now);
    const hasEnded = orders.every(
      ({ processState }) => processState !== 'Pending' && processState !== 'Processing',
    );
    const isEmpty = queues.every((queue) => isDead(queue) || queue.messages === 0);
    if ((hasEnded && isEmpty) || systemClock.now() > deadline) return { orders, queues };
    await sleep(lookMs);
  }
}

function figuresOf(submissions: readonly Submission[], orders: readonly ProcessRecord[]) {
  const accepted = new Map(
    submissions.flatMap(({ outcome }) =>
      outcome.kind === 'accepted' ? [[outcome.orderId, outcome.afterMs] as const] : [],
    ),
  );
  const answers = [...accepted.values()];
  const lengths = orders
    .filter(({ orderId }) => accepted.has(orderId))
    .map(({ submittedAt, updatedAt }) => updatedAt - submittedAt);
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const timedOut = orders.flatMap(({ history }) =>
    history.flatMap((entry) => (entry.type === 'expired' ? entry.steps : [])),
  );
  const stoppedBy = orders.flatMap(({ fault }) =>
    fault === null ? [] : [`${fault.step}: ${fault.code}`],
  );
  return {
    offered: submissions.length,
    accepted: accepted.size,
    refused: submissions.filter(({ outcome }) => outcome.kind === 'refused').length,
    refusals: sum(submissions.map(({ refusals }) => refusals.length)),
    ambiguous: sum(submissions.map(({ ambiguous }) => ambiguous)),
    orders: counted(orders.map(({ processState }) => processState)),
    timedOut: counted(timedOut),
    stoppedBy: counted(stoppedBy),
    ordersWithFailures: orders.filter(({ failureCount }) => failureCount > 0).length,
    answerMs: { p50: percentile(answers, 0.5), p99: percentile(answers, 0.99) },
    orderMs: { p50: percentile(lengths, 0.5), p99: percentile(lengths, 0.99) },
  };
}

function counted(names: readonly string[]): Readonly<Record<string, number>> {
  const byName = Map.groupBy(names, (name) => name);
  return Object.fromEntries([...byName].map(([name, those]) => [name, those.length]));
}
