/**
 * Two providers of payments back each other up, in one process: calls are lost before and after their effect, each provider
 * is unavailable for a while, and Reeve is restarted. With the failover `undo-first`, the first one answers no charge for
 * long, although half of them take effect, and the orders must not wait for it. Then the ledgers of both are reconciled with
 * the orders.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { definePool, type Failover } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import {
  type AgentImplementation,
  PermanentFault,
  TransientFault,
} from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { Ledger } from '#suppliers/ledger.ts';
import { underFaults } from '#suppliers/under-faults.ts';
import { percentile } from './figures.ts';
import { plainRequest } from './plain-request.ts';
import { silent } from './silent-log.ts';

const names = ['first', 'second'] as const;
type Name = (typeof names)[number];

/** Half of these calls are lost before their effect, half after it. */
const faults = { latencyMs: 20, transientRate: 0.1, hangRate: 0.1, declineRate: 0, down: false };
/** Every so many orders a later step fails, so that the charge is undone. */
const undoneEvery = 10;
const submitEveryMs = 20;
/** The outages of the two providers do not overlap; from and to, ms after the first submission. */
const outages = { first: [1_000, 4_000], second: [6_000, 8_000] } as const;
const restartsAt = [2_000, 5_000];
/** With the failover `undo-first`: when the first provider answers no charge, only refunds. */
const silence = [1_000, 61_000] as const;

const sale = z.strictObject({ sale: z.int() });
const charge = z.strictObject({ provider: z.enum(names) });
const paymentBy = (failover: Failover) =>
  definePool({
    name: 'payment',
    input: sale,
    output: charge,
    undo: 'offered',
    members: { first: {}, second: {} },
    failover,
  });
const packing = defineAgent({ name: 'packing', input: sale, output: sale, undo: 'unneeded' });

const workflowBy = (failover: Failover) =>
  defineWorkflow({ name: 'sale', version: 1, details: sale })
    .step('charge', {
      agent: paymentBy(failover),
      completeWithin: 300,
      retries: 2,
      coolDown: { after: 200, times: 20 },
      // A step in doubt that the circuit of its provider holds for so long has failed a round, and is undone there.
      ...(failover === 'undo-first' && { holdMax: 1_000 }),
      input: ({ details }) => details,
      undo: { retries: 2, coolDown: { after: 200, times: 100 } },
    })
    .step('pack', { agent: packing, after: ['charge'], input: ({ details }) => details })
    .build();

export async function providers(orders: number, failover: Failover) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-providers-'));
  const ledgers = {
    first: new Ledger(join(folder, 'first.db'), systemClock.now),
    second: new Ledger(join(folder, 'second.db'), systemClock.now),
  };
  const beganAt = systemClock.now();
  const agents = [...names.map((name) => provider(name, ledgers[name], failover, beganAt)), packer];
  const begin = () =>
    startLocalReeve({
      workflows: [workflowBy(failover)],
      agents,
      path: join(folder, 'reeve.db'),
      clock: systemClock,
      random: systemRandom,
      log: silent,
    });
  let reeve = await begin();
  try {
    const ids: OrderId[] = [];
    const restarts = [...restartsAt];
    for (let number = 0; number < orders; number += 1) {
      const outcome = await reeve.submission.submit(
        { ...plainRequest, workflow: 'sale', details: { sale: number } },
        'bench',
      );
      if (outcome.kind !== 'accepted') throw new Error(`Order ${number}: ${outcome.kind}.`);
      ids.push(outcome.orderId);
      await sleep(submitEveryMs);
      const [next = Number.POSITIVE_INFINITY] = restarts;
      if (systemClock.now() - beganAt < next) continue;
      restarts.shift();
      reeve.close();
      reeve = await begin();
      await reeve.recovered;
    }
    let records = await reeve.store.records(ids);
    while (![...records.values()].every(isSettled)) {
      await sleep(200);
      records = await reeve.store.records(ids);
    }
    return figuresOf([...records.values()], ledgers, failover);
  } finally {
    reeve.close();
    for (const name of names) ledgers[name].close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function provider(
  name: Name,
  ledger: Ledger,
  failover: Failover,
  beganAt: number,
): AgentImplementation<z.infer<typeof sale>, z.infer<typeof charge>> {
  const [from, to] = outages[name];
  async function call<Answer>(signal: AbortSignal, work: () => Promise<Answer>): Promise<Answer> {
    const at = systemClock.now() - beganAt;
    if (at >= from && at < to) throw new TransientFault('http-503', 'The provider is down.');
    return underFaults(faults, world, signal, work, lost);
  }
  const isSilent = () => {
    const at = systemClock.now() - beganAt;
    return failover === 'undo-first' && name === 'first' && at >= silence[0] && at < silence[1];
  };
  /** No answer to a charge, although half of them take effect. */
  const charged: typeof call = (signal, work) =>
    isSilent()
      ? underFaults({ ...faults, hangRate: 1, transientRate: 0 }, world, signal, work, lost)
      : call(signal, work);
  return {
    contract: paymentBy(failover).member(name),
    perform: ({ sale: amountCents }, { orderId, idempotencyKey: key, signal }) =>
      charged(signal, async () => {
        const job = { orderId, amountCents, output: {} };
        const performed = await ledger.perform(
          { service: 'payment', key, fingerprint: key, job },
          () => ({ kind: 'applied', answer: '' }),
        );
        if (performed.kind === 'applied') return { provider: name };
        throw new PermanentFault(performed.kind, 'The charge was undone before.', 'none');
      }),
    undo: ({ performKey }, { signal }) =>
      call(signal, async () => void (await ledger.undo('payment', performKey))),
  };
}

const lost = (): never => {
  throw new TransientFault('connection-reset', 'The answer was lost.');
};

const world = {
  random: systemRandom.next,
  sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
  closing: new AbortController().signal,
};

const packer: AgentImplementation<z.infer<typeof sale>, z.infer<typeof sale>> = {
  contract: packing,
  async perform(input) {
    if (input.sale % undoneEvery > 0) return input;
    throw new PermanentFault('out-of-stock', 'Nothing is left.', 'none');
  },
};

const isSettled = ({ processState }: ProcessRecord) =>
  processState !== 'Pending' && processState !== 'Processing';

function figuresOf(
  records: readonly ProcessRecord[],
  ledgers: Readonly<Record<Name, Ledger>>,
  failover: Failover,
) {
  const applied = (name: Name) =>
    ledgers[name].entries().filter(({ state }) => state === 'applied').length;
  const chargesOf = ({ orderId }: ProcessRecord) =>
    names.flatMap((name) =>
      ledgers[name].entries(orderId).filter(({ state }) => state === 'applied'),
    ).length;
  const charged = records.map((record) => ({ record, charges: chargesOf(record) }));
  const wrong = charged.filter(
    ({ record, charges }) => charges !== (record.processState === 'Processed' ? 1 : 0),
  );
  const count = (state: ProcessRecord['processState']) =>
    records.filter(({ processState }) => processState === state).length;
  const lengths = records.map(({ submittedAt, updatedAt }) => updatedAt - submittedAt);
  const double = charged.filter(({ charges }) => charges > 1).length;
  const inError = count('Error');
  const failedOver = records.filter(({ steps }) =>
    steps.some(({ undoFirst }) => undoFirst?.isDone === true),
  ).length;
  const undone = count('Undone');
  const p99Ms = percentile(lengths, 0.99);
  // Only packing undoes an order, and none waits until the first provider answers charges again.
  const isOnTime = undone === records.length / undoneEvery && p99Ms < silence[1] / 2;
  return {
    failover,
    orders: records.length,
    processed: count('Processed'),
    undone,
    inError,
    failedOver,
    chargedByFirst: applied('first'),
    chargedBySecond: applied('second'),
    doubleCharges: double,
    otherwiseWrong: wrong.length - double,
    p50Ms: percentile(lengths, 0.5),
    p99Ms,
    isPassed:
      wrong.length === 0 && inError === 0 && (failover === 'wait' || (isOnTime && failedOver > 0)),
  };
}
