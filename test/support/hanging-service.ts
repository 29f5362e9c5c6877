/**
 * Orders in one shard of a hanging service, on the real DynamoDB adapters and the shipped roles, with a virtual
 * clock: a tick per minute, and invocations with Lambda's time and throughput.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { submitted } from '#core/decide/submit.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { agentName, type OrderId, orderId, schedulerId, writeId } from '#core/model/ids.ts';
import type { Nudge, Reply, Request } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { scheduler } from '#roles/scheduler.ts';
import { supervisor } from '#roles/supervisor.ts';
import { sweepTick, type TickReport } from '#roles/sweep-tick.ts';
import { transitions } from '#roles/transitions/transitions.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { createTables } from './dynamo-server.ts';
import { type TestLog, testLog } from './log.ts';

export interface HangingService {
  readonly log: TestLog;
  readonly sweeps: Sweeps;
  /** Creates this many orders, dispatched now. */
  submit(orders: number): Promise<void>;
  /** Runs a minute of the schedule, as {@link Minute}; then the time is that of the next one. */
  minute(): Promise<Minute>;
  /** Stops everything for this long, ms. */
  outage(ms: number): void;
  records(): Promise<readonly ProcessRecord[]>;
}

export interface Minute extends Pick<TickReport, 'found' | 'interrupted' | 'lagMs'> {
  /** The number of orders that have not ended. */
  readonly live: number;
  readonly unfinished: boolean;
}

/** The cost of the sweeps, in real time, ms. */
export interface Sweeps {
  recovered: number;
  cpuMs: number;
  wallMs: number;
}

export interface HangingOptions {
  readonly client: DynamoDBClient;
  /** Orders per second that an invocation recovers. */
  readonly perSecond: number;
  /** Attempts in each of two rounds. */
  readonly attempts: number;
  /** The maximum page size of the due index, as where DynamoDB ends a page at a megabyte. */
  readonly pageMax: number;
}

const second = 1_000;
const minuteMs = 60 * second;
/** As lambdas/supervisor.ts: an invocation's time without the reserved time. */
const invocationMs = 50 * second;
const batch = 100;

const bank = defineAgent({
  name: 'bank',
  input: z.object({ orderId: z.string() }),
  output: z.object({ reference: z.string() }),
  undo: 'offered',
});
const input = ({ orderId: id }: { orderId: string }) => ({ orderId: id });
const rounds = 2;
const coolDown = { after: 60_000, times: rounds - 1 };

const workflowOf = (name: string, onExhausted: 'hold' | 'undo', attempts: number) =>
  defineWorkflow({ name, version: 1, details: z.object({}) })
    .step('charge', {
      agent: bank,
      completeWithin: 10_000,
      retries: attempts - 1,
      coolDown,
      onExhausted,
      input,
    })
    .build();

export async function hangingService(options: HangingOptions): Promise<HangingService> {
  const workflows = [
    workflowOf('held', 'hold', options.attempts),
    workflowOf('turned-back', 'undo', options.attempts),
  ] as const;
  const live = new Set<OrderId>();
  let now = Math.ceil(Date.UTC(2026, 0, 1) / minuteMs) * minuteMs;
  const clock = {
    now: () => now,
    after(ms: number, work: () => void) {
      now += ms;
      setImmediate(work);
      return () => {};
    },
  };
  const log = testLog();
  const tables = await createTables(options.client);
  const table = dynamoStore({
    client: options.client,
    tables,
    log,
    shards: 1,
    sweepPeriodMs: minuteMs,
    keepEndedMs: minuteMs,
    clock,
    random: systemRandom,
  });
  const store: StateStore = {
    ...table,
    async commit(record, replaced) {
      const outcome = await table.commit(record, replaced);
      const { processState, orderId: id } = record;
      if (outcome === 'committed' && processState !== 'Pending' && processState !== 'Processing') {
        live.delete(id);
      }
      return outcome;
    },
  };
  /** The time of a page in an invocation of that size. */
  const paced: StateStore = {
    ...store,
    async due(query) {
      const page = await store.due({ ...query, limit: Math.min(query.limit, options.pageMax) });
      if (query.limit > 1) now += (page.items.length * second) / options.perSecond;
      return page;
    },
  };
  const coordination = dynamoCoordination(options.client, tables.coordination, {
    clock: systemClock,
    random: systemRandom,
  });
  const nudges: Nudge[] = [];
  const requests: Request[] = [];
  const committed = (name: string) =>
    transitions({
      store,
      clock,
      log,
      ids: systemIds(clock, name),
      random: systemRandom,
      registry: workflowRegistry(workflows),
      channels: {
        nudges: { send: async (sent) => void nudges.push(...sent) },
        requests: { send: async (sent) => void requests.push(...sent) },
      },
    });
  const claims = scheduler({
    id: schedulerId('s'),
    transitions: committed('scheduler'),
    clock,
    log,
  });
  const role = supervisor({
    store: paced,
    clock,
    log,
    outageAfterMs: 3 * minuteMs,
    transitions: committed('supervisor'),
  });
  const ids: OrderId[] = [];
  const sweeps: Sweeps = { recovered: 0, cpuMs: 0, wallMs: 0 };
  let invocations = 0;

  async function measured(work: () => Promise<TickReport>): Promise<TickReport> {
    const [cpu, began] = [process.cpuUsage(), performance.now()];
    const report = await work();
    const used = process.cpuUsage(cpu);
    sweeps.cpuMs += (used.user + used.system) / 1_000;
    sweeps.wallMs += performance.now() - began;
    sweeps.recovered += report.recovered;
    return report;
  }

  function invocation(handOver: (shard: number) => Promise<void>) {
    invocations += 1;
    return sweepTick({
      supervisor: role,
      store: paced,
      coordination,
      clock,
      holder: `sweep-${invocations}`,
      leaseMs: 90 * second,
      lookAhead: async () => {},
      handOver,
    });
  }

  /** The Scheduler and the service, which answers an undo and hangs otherwise. */
  async function deliver(): Promise<void> {
    while (nudges.length + requests.length > 0) {
      await claims.onNudges(nudges.splice(0, batch));
      const replies: Reply[] = requests
        .splice(0)
        .filter(({ action }) => action === 'undo')
        .map(({ orderId: id, step, attempt, action }) => {
          const result = { kind: 'succeeded', output: null } as const;
          return { orderId: id, step, attempt, action, result };
        });
      await claims.onReplies(agentName('bank'), replies);
    }
  }

  async function records(): Promise<readonly ProcessRecord[]> {
    const all: ProcessRecord[] = [];
    for (let at = 0; at < ids.length; at += batch) {
      all.push(...(await store.records(ids.slice(at, at + batch))).values());
    }
    return all;
  }

  return {
    log,
    sweeps,
    records,
    async submit(orders) {
      for (let at = 0; at < orders; at += batch) {
        const some = Array.from({ length: Math.min(batch, orders - at) }, (_, n) => at + n);
        await Promise.all(some.map((n) => create(n)));
        await deliver();
      }
    },
    async minute() {
      const next = now + minuteMs;
      const handedOver: number[] = [];
      const tick = invocation(async (shard) => void handedOver.push(shard));
      const reports = [await measured(() => tick.tick())];
      for (const shard of handedOver) {
        const until = now + invocationMs;
        const own = invocation(async () => {});
        reports.push(await measured(() => own.shard(shard, () => now < until)));
      }
      const { unfinished } = await coordination.recall(1);
      now = Math.max(now, next - second);
      await deliver();
      now = Math.max(now, next);
      return {
        live: live.size,
        unfinished: unfinished.size > 0,
        found: reports.reduce((all, { found }) => all + found, 0),
        interrupted: reports.reduce((all, { interrupted }) => all + interrupted, 0),
        lagMs: Math.max(...reports.map(({ lagMs }) => lagMs)),
      };
    },
    outage(ms) {
      now += ms;
    },
  };

  async function create(n: number): Promise<void> {
    const id = orderId(`order-${n}`);
    const definition = workflows[n % 2 === 0 ? 0 : 1];
    const common = { orderId: id, priority: 'normal', tenant: null } as const;
    const event = {
      type: 'submit',
      by: 'ada',
      ...common,
      replyTo: null,
      correlationId: null,
    } as const;
    const { record, commands } = submitted(event, definition, now, writeId(`${id}.1`));
    const order = { orderId: id, details: {}, digest: `d-${n}`, submittedAt: now };
    await store.create(order, record);
    ids.push(id);
    live.add(id);
    for (const command of commands) if (command.kind === 'nudge') nudges.push(command.nudge);
  }
}

const interruptedIn = ({ history }: ProcessRecord) =>
  history.filter((entry) => entry.type === 'interrupted' && entry.steps.length > 0).length;

/** The distinct ends of the orders as text. */
export function endings(records: readonly ProcessRecord[]): readonly string[] {
  const ends = records.map((record) => {
    const { workflow, processState, failureCount, fault } = record;
    return `${workflow}: ${processState}, ${failureCount} failures, ${interruptedIn(record)} interrupted, ${fault?.code}`;
  });
  return [...new Set(ends)].toSorted();
}

/** The expected ends: every attempt counted, then the policy applied. */
export function expectedEndings(attempts: number, interrupted: number): readonly string[] {
  const counted = `${attempts * rounds} failures, ${interrupted} interrupted, exhausted`;
  return [`held: Error, ${counted}`, `turned-back: Undone, ${counted}`];
}

/** Runs ticks until every order has ended, up to a maximum. */
export async function toTheEnd(world: HangingService, max: number): Promise<readonly Minute[]> {
  const minutes: Minute[] = [];
  do {
    minutes.push(await world.minute());
  } while ((minutes.at(-1)?.live ?? 0) > 0 && minutes.length < max);
  return minutes;
}
