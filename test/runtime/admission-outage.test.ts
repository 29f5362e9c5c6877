/** What an unavailable service says of the orders that wait: only of those that need it, in virtual time. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { TransientFault } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const schemas = { input: z.null(), output: z.null(), undo: 'offered' } as const;
const press = definePool({ name: 'press', ...schemas, members: { old: {}, new: {} } });
const post = defineAgent({ name: 'post', ...schemas });
const printing = defineWorkflow({ name: 'printing', version: 1, details: z.null() })
  .step('print', { agent: press, completeWithin: 5_000, input: () => null })
  .build();
const mailing = defineWorkflow({ name: 'mailing', version: 1, details: z.null() })
  .step('mail', { agent: post, completeWithin: 5_000, input: () => null })
  .build();

/** Each press and the post handle 20 orders per second; an order may wait for ten seconds. */
async function shop() {
  const clock = virtualClock();
  const down = new Set<string>();
  const reeve = await startLocalReeve({
    workflows: [printing, mailing],
    agents: [press.member('old'), press.member('new'), post].map((contract) => ({
      contract,
      concurrency: 2,
      async perform() {
        if (down.has(contract.name)) throw new TransientFault('http-503', 'The service is down.');
        await new Promise<void>((resolve) => {
          clock.after(100, resolve);
        });
        return null;
      },
      async undo() {},
    })),
    path: ':memory:',
    clock,
    log: testLog(),
    random: { next: () => 0.5 },
    backlogMaxMs: 10_000,
  });
  onTestFinished(reeve.close);
  const order = { details: null, priority: 'normal', tenant: null, replyTo: null } as const;
  async function offer(workflow: string, count: number) {
    const outcomes = await Promise.all(
      Array.from({ length: count }, () =>
        reeve.submission.submit({ ...order, workflow, correlationId: null, key: null }, 'ada'),
      ),
    );
    return outcomes.filter(({ kind }) => kind === 'overloaded').length;
  }
  return { clock, down, reeve, offer };
}

test('orders are refused by their rate while a service is unavailable that they do not need', async () => {
  const { clock, down, reeve, offer } = await shop();
  down.add('post');
  await offer('mailing', 20);
  await clock.advance(10_000);
  expect(reeve.isCircuitOpen()).toBe(true);
  await offer('printing', 300);
  await clock.advance(5_000);
  // 40 per second: 400 are ten seconds of work.
  expect(await offer('printing', 1_000)).toBeGreaterThan(400);
  expect(await offer('mailing', 300)).toBe(0);
});

test('orders are refused by their rate while one member of their pool is unavailable', async () => {
  const { clock, down, reeve, offer } = await shop();
  down.add('press-old');
  await offer('printing', 20);
  await clock.advance(10_000);
  expect(reeve.isCircuitOpen()).toBe(true);
  await offer('printing', 150);
  await clock.advance(5_000);
  // 20 per second: 200 are ten seconds of work, of which some 50 wait already.
  const refused = await offer('printing', 500);
  expect(refused).toBeGreaterThan(320);
  expect(refused).toBeLessThan(380);
});

test('no order is refused by its rate while all members of its pool are unavailable', async () => {
  const { clock, down, reeve, offer } = await shop();
  await offer('printing', 300);
  await clock.advance(10_000);
  for (const name of ['press-old', 'press-new']) down.add(name);
  await offer('printing', 20);
  await clock.advance(60_000);
  expect(reeve.isCircuitOpen()).toBe(true);
  expect(await offer('printing', 350)).toBe(0);
});
