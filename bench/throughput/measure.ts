/** Measures one row of the throughput, in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { decide } from '#core/decide/decide.ts';
import { submitted } from '#core/decide/submit.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { orderId, schedulerId, writeId } from '#core/model/ids.ts';
import { type LocalReeve, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { jsonLog } from '#runtime/node/json-log.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { percentile } from '../flow/figures.ts';
import type { Load, Row } from './row.ts';

const contract = (name: string) =>
  defineAgent({
    name,
    input: z.object({ order: z.string() }),
    output: z.object({ id: z.string() }),
    undo: 'offered',
  });
const reserve = contract('reserve');
const charge = contract('charge');
const ship = contract('ship');
/** Of each step, ms. Short, as most are, so that the timers of deadlines are part of what is measured. */
const completeWithin = 10_000;
const workflow = defineWorkflow({
  name: 'bench',
  version: 1,
  details: z.object({ item: z.string() }),
})
  .step('reserve', {
    agent: reserve,
    completeWithin,
    input: ({ orderId: order }) => ({ order }),
  })
  .step('charge', {
    agent: charge,
    after: ['reserve'],
    completeWithin,
    input: ({ outputs }) => ({ order: outputs.reserve.id }),
  })
  .step('ship', {
    agent: ship,
    after: ['charge'],
    completeWithin,
    input: ({ outputs }) => ({ order: outputs.charge.id }),
  })
  .build();

const agents = [reserve, charge, ship].map((agent) => ({
  contract: agent,
  perform: async (input: { order: string }) => ({ id: input.order }),
  undo: async () => {},
}));

/** @returns the figures, after the orders have come to their end */
export async function measure({ liveOrders, orders: total, inFlight }: Load): Promise<Row> {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-bench-'));
  const reeve = await startLocalReeve({
    workflows: [workflow],
    agents,
    path: join(directory, 'reeve.db'),
    clock: systemClock,
    random: systemRandom,
    log: jsonLog(systemClock, 'warn', (line) => process.stderr.write(line)),
    sweepPeriodMs: 1_000,
  });
  try {
    await preload(reeve, liveOrders);
    const finish = finishes(reeve);
    await flow(reeve, finish, 5_000, inFlight);
    const cpuBefore = process.cpuUsage();
    const began = performance.now();
    await flow(reeve, finish, total, inFlight);
    const seconds = (performance.now() - began) / 1_000;
    const cpu = process.cpuUsage(cpuBefore);
    const alone = await oneAtATime(reeve, finish, 1_000);
    return {
      liveOrders,
      ordersPerSecond: Math.round(total / seconds),
      p50Ms: rounded(percentile(alone, 0.5)),
      p99Ms: rounded(percentile(alone, 0.99)),
      cpuMsPerOrder: rounded((cpu.user + cpu.system) / 1_000 / total),
      peakRssMiB: Math.round(process.resourceUsage().maxRSS / 1_024),
      sweepMs: rounded(await sweepTime(reeve)),
    };
  } finally {
    reeve.close();
    rmSync(directory, { recursive: true });
  }
}

/** Stores live orders as another Scheduler leaves them: claimed, with their first step running. */
async function preload(reeve: LocalReeve, count: number): Promise<void> {
  const details = { item: 'waiting' };
  const claim = { type: 'claim', by: schedulerId('elsewhere') } as const;
  const now = systemClock.now();
  for (let begin = 0; begin < count; begin += 1_000) {
    const group = Array.from({ length: Math.min(1_000, count - begin) }, async (_, offset) => {
      const id = orderId(`live-${String(begin + offset).padStart(8, '0')}`);
      const event = {
        type: 'submit',
        by: 'bench',
        orderId: id,
        priority: 'normal',
        tenant: null,
        replyTo: null,
        correlationId: null,
      } as const;
      const { record } = submitted(event, workflow, now, writeId(`w${id}`));
      await reeve.store.create({ orderId: id, details, digest: '', submittedAt: now }, record);
      const decision = decide(record, claim, { definition: workflow, details }, now);
      if (decision.kind === 'transition') {
        await reeve.store.commit({ ...decision.record, writeId: writeId(`c${id}`) });
      }
    });
    await Promise.all(group);
  }
}

type Finish = (orderId: string) => Promise<void>;

/** Resolves for each order when its end is durable. */
function finishes(reeve: LocalReeve): Finish {
  const waiting = new Map<string, () => void>();
  const ended = new Set<string>();
  reeve.watch(({ orderId: id, processState }) => {
    if (processState !== 'Processed') return;
    const resolve = waiting.get(id);
    if (resolve === undefined) ended.add(id);
    else {
      waiting.delete(id);
      resolve();
    }
  });
  return (id) =>
    new Promise((resolve) => {
      if (ended.delete(id)) resolve();
      else waiting.set(id, resolve);
    });
}

async function runOne(reeve: LocalReeve, finish: Finish): Promise<void> {
  const outcome = await reeve.submission.submit(
    {
      workflow: 'bench',
      details: { item: 'book' },
      priority: 'normal',
      tenant: null,
      replyTo: null,
      correlationId: null,
      key: null,
    },
    'bench',
  );
  if (outcome.kind === 'accepted') await finish(outcome.orderId);
}

async function flow(
  reeve: LocalReeve,
  finish: Finish,
  total: number,
  inFlight: number,
): Promise<void> {
  let left = total;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left > 0) {
        left -= 1;
        await runOne(reeve, finish);
      }
    }),
  );
}

async function oneAtATime(reeve: LocalReeve, finish: Finish, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const began = performance.now();
    await runOne(reeve, finish);
    times.push(performance.now() - began);
  }
  return times;
}

/** The median duration of a sweep with no due orders, ms. */
async function sweepTime(reeve: LocalReeve): Promise<number> {
  const times: number[] = [];
  for (let sweep = 0; sweep < 101; sweep += 1) {
    const began = performance.now();
    await reeve.supervisor.sweep(new Map());
    times.push(performance.now() - began);
  }
  return percentile(times, 0.5);
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
