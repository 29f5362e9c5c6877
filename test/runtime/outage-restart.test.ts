/** Restarts, and drained agents, during an outage of a service: no order fails because of them, and none waits for longer than without them. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { CircuitEvent } from '#in-process/circuit-watch.ts';
import { scriptedAgent } from '#testing/kit/scripted-agent.ts';
import { testReeve } from '#testing/kit/test-reeve.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

const contract = (name: string) =>
  defineAgent({ name, input: z.int(), output: z.string(), undo: 'offered' });
const stock = contract('stock');
const pay = contract('pay');
const details = z.strictObject({ n: z.int() });
const input = ({ details: { n } }: { details: { n: number } }) => n;
const sale = defineWorkflow({ name: 'sale', version: 1, details })
  .step('reserve', { agent: stock, input })
  .step('charge', {
    agent: pay,
    after: ['reserve'],
    completeWithin: 2_000,
    onExhausted: 'undo',
    input,
  })
  .build();

async function shop() {
  const payment = scriptedAgent(pay, 'paid');
  const events: CircuitEvent['kind'][] = [];
  const reeve = await testReeve({
    workflows: [sale],
    agents: [scriptedAgent(stock, 'reserved'), payment],
    onCircuit: ({ agent, kind }) => agent === 'pay' && events.push(kind),
  });
  const orders: Awaited<ReturnType<typeof submit>>[] = [];
  const submit = (n: number) => reeve.submit(sale, { n });
  const states = async () => {
    const read = await Promise.all(orders.map((order) => order.read()));
    return Object.fromEntries(
      [...Map.groupBy(read, (one) => one.processState)].map(([state, own]) => [state, own.length]),
    );
  };
  const failures = async () => {
    const read = await Promise.all(orders.map((order) => order.read()));
    return Math.max(...read.map(({ steps }) => steps['charge']?.failures ?? 0));
  };
  return {
    ...{ reeve, payment, events, states, failures },
    async submitAll(count: number): Promise<void> {
      for (let n = 0; n < count; n += 1) orders.push(await submit(n));
    },
    async restart(): Promise<void> {
      await reeve.kill();
      await reeve.restart();
    },
  };
}

test('a service that hangs while Reeve is restarted again and again lets no order fail', async () => {
  const { reeve, payment, states, failures, submitAll, restart } = await shop();
  await using _ = reeve;
  for (let calls = 0; calls < 2_000; calls += 1) payment.hangs();
  await submitAll(300);
  await reeve.advance(minuteMs);
  const before = payment.calls.length;
  for (let restarts = 0; restarts < 5; restarts += 1) {
    await restart();
    await reeve.advance(30 * secondMs);
  }
  expect(await states()).toEqual({ Pending: 300 });
  // One for the calls before the circuit opened, and one for those whose gate was another one then.
  expect(await failures()).toBeLessThanOrEqual(2);
  expect(payment.calls.length - before).toBeLessThan(5 * 30);
});

test('after a restart during an outage, orders go on as soon as without one, and the end of the outage is reported', async () => {
  const { reeve, payment, events, states, submitAll, restart } = await shop();
  await using _ = reeve;
  const begin = reeve.now();
  payment.unreachable(30 * minuteMs);
  await submitAll(100);
  await reeve.advance(29 * minuteMs + 40 * secondMs);
  await restart();
  await reeve.advance(40 * secondMs);
  const probes = payment.calls.map(({ at }) => at - begin).filter((at) => at > 10 * secondMs);
  const gaps = probes.slice(1).map((at, place) => at - (probes[place] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(5 * secondMs);
  expect(await states()).toEqual({ Processed: 100 });
  await reeve.advance(minuteMs);
  expect(events).toEqual(['opened', 'opened', 'closed']);
});

test('a service that is well at the restart is probed at once', async () => {
  const { reeve, payment, events, states, submitAll } = await shop();
  await using _ = reeve;
  payment.unreachable(30 * minuteMs);
  await submitAll(100);
  await reeve.advance(10 * minuteMs);
  await reeve.kill();
  await reeve.advance(25 * minuteMs);
  const before = payment.calls.length;
  await reeve.restart();
  await reeve.advance(1);
  const probes = payment.calls.length - before;
  expect(probes).toBeGreaterThan(0);
  // The first is answered, and the release begins.
  expect(probes).toBeLessThan(5);
  await reeve.advance(minuteMs);
  expect(await states()).toEqual({ Processed: 100 });
  expect(events).toEqual(['opened', 'opened', 'closed']);
});

test('orders that were held for long by an outage go on at once when their agent, which was drained meanwhile, is resumed', async () => {
  const { reeve, payment, states, submitAll } = await shop();
  await using _ = reeve;
  payment.unreachable(60 * minuteMs);
  await submitAll(20);
  await reeve.advance(10 * minuteMs);
  await reeve.local.agents.change('pay', { kind: 'drain' }, 'me');
  await reeve.advance(110 * minuteMs);
  const before = payment.calls.length;
  await reeve.local.agents.change('pay', { kind: 'resume' }, 'me');
  await reeve.advance(secondMs);
  expect(payment.calls.length).toBeGreaterThan(before);
  await reeve.advance(30 * secondMs);
  expect(await states()).toEqual({ Processed: 20 });
});
