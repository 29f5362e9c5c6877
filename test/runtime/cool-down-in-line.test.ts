/** An order in its cool-down leaves its turn, and its room in limits, to those that may begin. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import type { LimitOptions } from '#core/definition/agent-limit.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { TransientFault } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const input = z.object({ name: z.string(), brittle: z.boolean() });
type Input = z.infer<typeof input>;
type Limits = Readonly<Record<string, LimitOptions<Input>>>;

const paintMs = 5_000;
const coolDownMs = 600_000;

/** Houses of one tenant: their paint and their wall at the same time. The first wall of a brittle one falls. */
async function houses(limits: Limits, concurrency: number) {
  const clock = virtualClock();
  const painted = new Map<string, number>();
  const fallen = new Set<string>();
  const paint = defineAgent({ name: 'paint', input, output: z.null(), undo: 'offered', limits });
  const wall = defineAgent({ name: 'wall', input, output: z.null(), undo: 'offered' });
  const house = defineWorkflow({ name: 'house', version: 1, details: input })
    .step('paint', { agent: paint, completeWithin: 60_000, input: ({ details }) => details })
    .step('wall', {
      agent: wall,
      completeWithin: 2_000,
      retries: 0,
      coolDown: { after: coolDownMs, times: 1 },
      input: ({ details }) => details,
    })
    .build();
  const reeve = await startLocalReeve({
    workflows: [house],
    agents: [
      {
        contract: paint,
        concurrency,
        async perform(given) {
          painted.set(input.parse(given).name, clock.now());
          await new Promise<void>((resolve) => void clock.after(paintMs, resolve));
          return null;
        },
        async undo() {},
      },
      {
        contract: wall,
        async perform(given) {
          const { name, brittle } = input.parse(given);
          if (!brittle || fallen.has(name)) return null;
          fallen.add(name);
          await new Promise<void>((resolve) => void clock.after(3_000, resolve));
          throw new TransientFault('fallen', 'The wall has fallen.');
        },
        async undo() {},
      },
    ],
    path: ':memory:',
    random: { next: () => 0.5 },
    log: testLog(),
    sweepPeriodMs: 10_000,
    clock,
  });
  onTestFinished(reeve.close);
  let ended = 0;
  reeve.watch(({ processState }) => {
    if (processState === 'Processed') ended += 1;
  });
  return {
    ...{ clock, painted },
    ended: () => ended,
    async submit(name: string, brittle: boolean) {
      const details = { name, brittle };
      const sender = { tenant: 'acme', correlationId: null, replyTo: null, key: null };
      const order = { workflow: 'house', details, priority: 'normal', ...sender } as const;
      expect((await reeve.submission.submit(order, 'ada')).kind).toBe('accepted');
      await clock.advance(100);
    },
  };
}

test.each([
  ['a limit', { 'per-tenant': { key: (call) => call.tenant, atOnce: 1 } }, 256],
  ['its agent', {}, 1],
] satisfies [string, Limits, number][])(
  'while an order that waits for %s cools down, the next one has its turn',
  async (_, limits, concurrency) => {
    const { clock, painted, submit, ended } = await houses(limits, concurrency);
    // From then on it is known that the agent is slow, and no request is sent ahead.
    await submit('known', false);
    await clock.advance(paintMs);
    painted.clear();
    const start = clock.now();
    await submit('first', false);
    await submit('brittle', true);
    await submit('third', false);
    await clock.advance(paintMs + 1_000);
    expect([...painted.keys()]).toEqual(['first', 'third']);
    expect(painted.get('third')).toBeLessThan(start + paintMs + 500);
    // It has its turn when it may begin.
    await clock.advance(coolDownMs);
    expect(painted.get('brittle')).toBeLessThan(start + coolDownMs + 3_500);
    await clock.advance(60_000);
    expect(ended()).toBe(4);
  },
);
