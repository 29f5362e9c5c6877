/** Limits of a pool of agents and of its members, in one process and virtual time. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { mostWithin } from '../support/limited-shop.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const input = z.object({ customer: z.string() });

test('a pool has its own limits, and each member its own beside them', async () => {
  const bank = definePool({
    name: 'bank',
    input,
    output: z.null(),
    undo: 'offered',
    limits: { 'per-tenant': { key: ({ tenant }) => tenant, rate: { count: 10, per: 1_000 } } },
    members: {
      east: { limits: { whole: { rate: { count: 4, per: 1_000 } } } },
      west: { limits: { whole: { atOnce: 1 } } },
    },
  });
  const paying = defineWorkflow({ name: 'paying', version: 1, details: input })
    .step('pay', { agent: bank, completeWithin: 5_000, input: ({ details }) => details })
    .build();
  const clock = virtualClock();
  const calls: { member: string; customer: string; tenant: null; from: number; to: number }[] = [];
  let [atWest, mostAtWest] = [0, 0];
  const latest = new Map<string, ProcessRecord>();
  const reeve = await startLocalReeve({
    workflows: [paying],
    agents: (['east', 'west'] as const).map((member) => ({
      contract: bank.member(member),
      async perform() {
        calls.push({ member, customer: '', tenant: null, from: clock.now(), to: 0 });
        if (member === 'west') atWest += 1;
        mostAtWest = Math.max(mostAtWest, atWest);
        await new Promise<void>((resolve) => {
          clock.after(250, resolve);
        });
        if (member === 'west') atWest -= 1;
        return null;
      },
      async undo() {},
    })),
    path: ':memory:',
    random: { next: () => 0.5 },
    log: testLog(),
    sweepPeriodMs: 10_000,
    clock,
  });
  onTestFinished(reeve.close);
  reeve.watch((record) => latest.set(record.orderId, record));
  await clock.advance(2_000);
  const order = {
    workflow: 'paying',
    priority: 'normal',
    correlationId: null,
    replyTo: null,
  } as const;
  for (let count = 0; count < 60; count += 1) {
    const own = { details: { customer: 'ada' }, tenant: 'acme', key: null };
    await reeve.submission.submit({ ...order, ...own }, 'ada');
  }
  await clock.advance(5_000);
  const of = (member: string) => calls.filter((call) => call.member === member);
  expect(mostWithin(of('east'), 1_000)).toBeLessThanOrEqual(5);
  expect(mostAtWest).toBe(1);
  expect(mostWithin(calls, 1_000)).toBeLessThanOrEqual(11);
  // Together they make nearly 4 + 4 calls per second.
  expect(calls.length).toBeGreaterThan(36);
  await clock.advance(5_000);
  const ends = [...latest.values()];
  expect(
    ends.every(
      ({ processState, failureCount }) => processState === 'Processed' && failureCount === 0,
    ),
  ).toBe(true);
});
