/** Outages of one service under load, in one process and virtual time: no order fails because of them. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

const contract = (name: string) =>
  defineAgent({ name, input: z.null(), output: z.null(), undo: 'offered' });
const stock = contract('stock');
const payment = contract('payment');
const policy = { completeWithin: 5_000, retries: 1, onExhausted: 'undo' } as const;
const purchase = defineWorkflow({ name: 'purchase', version: 1, details: z.null() })
  .step('reserve', { agent: stock, ...policy, input: () => null })
  .step('charge', { agent: payment, after: ['reserve'], ...policy, input: () => null })
  .build();

type Service = 'stock' | 'payment';

async function shop() {
  const clock = virtualClock();
  const log = testLog();
  const latest = new Map<string, ProcessRecord>();
  const world = {
    down: null as Service | null,
    /** The payment service declines, and the stock service goes down at the same time. */
    declines: false,
    /** The instants of the calls that a service did not answer. */
    unanswered: [] as number[],
  };
  async function call(service: Service): Promise<null> {
    if (world.down === service) {
      world.unanswered.push(clock.now());
      throw new TransientFault('http-503', 'The service is down.');
    }
    return null;
  }
  const reeve = await startLocalReeve({
    workflows: [purchase],
    agents: [
      {
        contract: stock,
        perform: () => call('stock'),
        async undo() {
          await call('stock');
        },
      },
      {
        contract: payment,
        async perform() {
          if (!world.declines) return call('payment');
          world.down = 'stock';
          throw new PermanentFault('declined', 'The card was declined.', 'none');
        },
        async undo() {
          await call('payment');
        },
      },
    ],
    path: ':memory:',
    random: { next: () => 0.5 },
    log,
    sweepPeriodMs: 10 * secondMs,
    clock,
  });
  onTestFinished(reeve.close);
  reeve.watch((record) => latest.set(record.orderId, record));

  async function submit(): Promise<void> {
    const order = {
      workflow: 'purchase',
      details: null,
      priority: 'normal',
      tenant: null,
    } as const;
    await reeve.submission.submit(
      { ...order, correlationId: null, replyTo: null, key: null },
      'ada',
    );
  }
  /** One order per period, for so long. */
  async function load(ms: number, everyMs = 2 * secondMs): Promise<void> {
    for (let passed = 0; passed < ms; passed += everyMs) {
      await submit();
      await clock.advance(everyMs);
    }
  }
  const records = () => [...latest.values()];
  const count = (state: string) =>
    records().filter(({ processState }) => processState === state).length;
  return { clock, log, world, submit, load, records, count };
}

test.each([
  ['ten minutes', 10 * minuteMs, 2 * secondMs],
  ['three hours', 180 * minuteMs, minuteMs],
])(
  '%s without the payment service: no order fails, and each is processed soon after',
  async (_, lengthMs, everyMs) => {
    const { clock, log, world, load, records, count } = await shop();
    await load(20 * secondMs);
    world.down = 'payment';
    await load(20 * secondMs);
    const from = clock.now();
    await load(lengthMs, everyMs);
    expect(count('Undone') + count('Error')).toBe(0);
    // The circuit is open: at most one call per probe.
    const probes = world.unanswered.filter((at) => at > from).length;
    expect(probes).toBeGreaterThan(0);
    expect(probes).toBeLessThanOrEqual(lengthMs / (4 * secondMs));
    world.down = null;
    await clock.advance(minuteMs);
    expect(count('Processed')).toBe(records().length);
    expect(records().filter(({ failureCount }) => failureCount > 0)).toEqual([]);
    // One line for the condition, and none per order.
    expect(
      log.lines.map(({ event }) => event).filter((event) => event.startsWith('circuit-')),
    ).toEqual([...['circuit-opened', 'circuit-closed']]);
  },
);

test('after a restart during an outage, orders are processed faster than the rate of a new process', async () => {
  const { clock, world, load, records, count } = await shop();
  world.down = 'payment';
  await load(10 * secondMs, 20);
  expect([count('Pending'), records().length]).toEqual([500, 500]);
  world.down = null;
  await clock.advance(30 * secondMs);
  expect(count('Processed')).toBe(500);
  expect(records().filter(({ failureCount }) => failureCount > 0)).toEqual([]);
});

test('orders that are undone when a service goes down end Undone when it is back', async () => {
  const { clock, world, submit, records, count } = await shop();
  world.declines = true;
  await Promise.all(Array.from({ length: 8 }, submit));
  await clock.advance(10 * minuteMs);
  expect(records().map(({ direction }) => direction)).toEqual(records().map(() => 'undo'));
  expect(count('Pending')).toBe(8);
  world.down = null;
  // All of them were probes, and are tried again after an eighth of the time that they have been held.
  await clock.advance(2 * minuteMs);
  expect(count('Undone')).toBe(8);
  expect(records().filter(({ failureCount }) => failureCount > 0)).toEqual([]);
});
