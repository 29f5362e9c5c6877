/** Orders of two versions of a workflow, of which the later one has a further member of the same pool, in one process with virtual time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { definePool, type MemberOptions } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const schemas = { input: z.null(), output: z.null(), undo: 'offered' } as const;

/** @param members those of the first version besides `old` */
function versions(members: { readonly new?: MemberOptions }) {
  const first = definePool<null, null, string>({
    name: 'pay',
    ...schemas,
    members: { old: {}, ...members },
  });
  const second = definePool({ name: 'pay', ...schemas, members: { old: {}, new: {} } });
  const saleOf = (version: number, agent: typeof first | typeof second) =>
    defineWorkflow({ name: 'sale', version, details: z.null() })
      .step('charge', { agent, completeWithin: 600_000, input: () => null })
      .build();
  return { first, second, sales: [saleOf(1, first), saleOf(2, second)] };
}

test.each([
  ['has not', {}],
  ['has without a weight', { new: { weight: 0 } }],
])('an order whose version %s a member keeps no slot of it from others', async (_, members) => {
  const { second, sales } = versions(members);
  const folder = mkdtempSync(join(tmpdir(), 'reeve-versions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = virtualClock();
  const begun: string[] = [];
  /** Each makes one call at once. Those of `old` never end. */
  const member = (name: 'old' | 'new'): AgentImplementation<null, null> => ({
    contract: second.member(name),
    concurrency: 1,
    async perform(_, { orderId }) {
      begun.push(`${orderId} at ${name}`);
      const { promise, resolve } = Promise.withResolvers<null>();
      if (name === 'new') clock.after(500, () => resolve(null));
      return promise;
    },
    undo: async () => {},
  });
  const start = (workflows: typeof sales) =>
    startLocalReeve({
      ...{ workflows, agents: [member('old'), member('new')], clock, log: testLog() },
      ...{ path: join(folder, 'reeve.db'), random: { next: () => 0.5 } },
    });
  const submit = async (reeve: Awaited<ReturnType<typeof start>>, key: string) => {
    const order = { workflow: 'sale', details: null, priority: 'normal', tenant: null } as const;
    await reeve.submission.submit({ ...order, correlationId: null, replyTo: null, key }, 'ada');
    await settled();
  };
  const before = await start(sales.slice(0, 1));
  for (const key of ['1', '2', '3', '4', '5']) await submit(before, key);
  await before.close();
  begun.length = 0;

  const reeve = await start(sales);
  onTestFinished(() => reeve.close());
  await clock.advance(1_000);
  expect(begun.map((call) => call.split(' at ')[1])).toEqual(['old']);
  for (const key of ['6', '7', '8']) {
    await submit(reeve, key);
    await clock.advance(1_000);
  }
  // Without waiting for the ten seconds for which a slot is kept.
  expect(begun.map((call) => call.split(' at ')[1])).toEqual(['old', 'new', 'new', 'new']);
});
