/** An agent with limits and heartbeats, in one process and virtual time. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { TransientFault } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

test('a call that failed after the first complete-by of its attempt is repeated, if heartbeats have moved it', async () => {
  const clock = virtualClock();
  const start = clock.now();
  const begun: number[] = [];
  const input = z.object({});
  const limits = { whole: { atOnce: 1, rate: { count: 10, per: 1_000 } } };
  const paint = defineAgent({ name: 'paint', input, output: z.null(), undo: 'unneeded', limits });
  const painting = defineWorkflow({ name: 'painting', version: 1, details: input })
    .step('paint', { agent: paint, completeWithin: 2_000, maxDuration: 20_000, input: () => ({}) })
    .build();
  const pause = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const reeve = await startLocalReeve({
    workflows: [painting],
    agents: [
      {
        contract: paint,
        async perform(_, { heartbeat }) {
          begun.push(clock.now() - start);
          if (begun.length > 1) return null;
          for (let beats = 0; beats < 4; beats += 1) {
            await pause(1_000);
            heartbeat();
          }
          throw new TransientFault('http-503', 'Not now.');
        },
      },
    ],
    path: ':memory:',
    random: { next: () => 0.5 },
    log: testLog(),
    sweepPeriodMs: 10_000,
    clock,
  });
  onTestFinished(reeve.close);
  const failures: number[] = [];
  reeve.watch(({ processState, failureCount }) => {
    if (processState === 'Processed') failures.push(failureCount);
  });
  const sender = { tenant: null, correlationId: null, replyTo: null, key: null };
  const order = { workflow: 'painting', details: {}, priority: 'normal', ...sender } as const;
  expect((await reeve.submission.submit(order, 'ada')).kind).toBe('accepted');
  await clock.advance(30_000);
  expect(failures).toEqual([0]);
  expect(begun).toHaveLength(2);
  expect((begun[1] ?? 0) - (begun[0] ?? 0)).toBeLessThan(4_500);
});
