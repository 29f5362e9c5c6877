/** A pool with `failover: 'undo-first'` in one process, with virtual time. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { replay } from '#core/view/replay.ts';
import type { AgentImplementation, Call } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const schemas = { input: z.null(), output: z.null() };
const members = ['first', 'second'] as const;
type Member = (typeof members)[number];
const payment = definePool({
  name: 'pay',
  ...schemas,
  undo: 'offered',
  members: { first: {}, second: {} },
  failover: 'undo-first',
});
const sale = defineWorkflow({ name: 'sale', version: 1, details: z.null() })
  .step('charge', {
    agent: payment,
    ...{ completeWithin: 2_000, retries: 0, coolDown: { after: 1_000, times: 3 } },
    undo: { completeWithin: 2_000, retries: 0, coolDown: { after: 1_000, times: 3 } },
    input: () => null,
  })
  .build();

/** The order of a shop whose providers answer so many charges and no more silently; its calls, as `perform o/charge at first`. */
async function ordered(silentCharges: Readonly<Record<Member, number>>) {
  const clock = virtualClock();
  const calls: string[] = [];
  const silent = { ...silentCharges };
  const member = (name: Member): AgentImplementation<null, null> => {
    const called = (action: string, { idempotencyKey, orderId }: Call) =>
      calls.push(`${action} ${idempotencyKey.replace(orderId, 'o')} at ${name}`);
    return {
      contract: payment.member(name),
      async perform(_, call) {
        called('perform', call);
        silent[name] -= 1;
        if (silent[name] >= 0) await new Promise<never>(() => {});
        return null;
      },
      undo: async (_, call) => void called('undo', call),
    };
  };
  const reeve = await startLocalReeve({
    ...{ workflows: [sale], agents: members.map(member), path: ':memory:', clock },
    ...{ log: testLog(), random: { next: () => 0.5 } },
  });
  onTestFinished(() => reeve.close());
  const order = { workflow: 'sale', details: null, priority: 'normal', tenant: null } as const;
  const outcome = await reeve.submission.submit(
    { ...order, correlationId: null, replyTo: null, key: 'k' },
    'ada',
  );
  if (outcome.kind !== 'accepted') throw new Error(outcome.code);
  for (let second = 0; second < 20; second += 1) {
    await clock.advance(1_000);
    await settled();
  }
  const record = (await reeve.store.records([outcome.orderId])).get(outcome.orderId);
  if (record === undefined) throw new Error('the order is stored');
  return { calls, record };
}

test('a silent provider is left for the other one, after the undo of what it may have done', async () => {
  const { calls, record } = await ordered({ first: 99, second: 99 });
  const [at] = calls;
  expect(at).toMatch(/^perform o\/charge at (first|second)$/);
  expect(record.processState).not.toBe('Processed');
  const first = at?.split(' at ')[1];
  const other = first === 'first' ? 'second' : 'first';
  expect(calls).toEqual([
    `perform o/charge at ${first}`,
    `undo o/charge/undo at ${first}`,
    `perform o/charge#2 at ${other}`,
    `undo o/charge#2/undo at ${other}`,
    `perform o/charge#3 at ${first}`,
    `undo o/charge#3/undo at ${first}`,
    `perform o/charge#4 at ${other}`,
    `undo o/charge#4/undo at ${other}`,
  ]);
  expect(record.processState).toBe('Undone');
});

test('the order is Processed at the other provider', async () => {
  const { calls, record } = await ordered({ first: 1, second: 1 });
  expect(record).toMatchObject({
    processState: 'Processed',
    steps: [{ keyGeneration: 3, doubtUntil: null, progress: { state: 'Completed' } }],
  });
  expect(calls.at(-1)).toMatch(/^perform o\/charge#3 at /);
  expect(calls.filter((call) => call.startsWith('undo'))).toHaveLength(2);
  const replayed = replay(record, { definition: sale, details: null }).at(-1);
  expect({ ...replayed, writeId: record.writeId }).toEqual(record);
});
