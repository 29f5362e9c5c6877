/** The embedded Reeve under a flood: whose orders are started next (R24). */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { Priority } from '#core/model/record.ts';
import { type LocalReeve, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const owned = z.object({ owner: z.string() });
const press = defineAgent({
  name: 'press',
  input: owned,
  output: z.object({}),
  undo: 'impossible',
});
const printing = defineWorkflow({ name: 'printing', version: 1, details: owned })
  .step('print', { agent: press, irreversible: true, input: ({ details }) => details })
  .build();

async function printer(tenantWeights: ReadonlyMap<string, number> = new Map()) {
  /** The owners of the orders, in the order in which their calls began. */
  const began: string[] = [];
  const clock = virtualClock();
  const reeve = await startLocalReeve({
    workflows: [printing],
    agents: [
      {
        contract: press,
        // Only Reeve itself is the bottleneck.
        concurrency: 100_000,
        async perform(input) {
          const { owner } = owned.parse(input);
          began.push(owner);
          return {};
        },
      },
    ],
    path: ':memory:',
    clock,
    log: testLog(),
    random: { next: () => 0.5 },
    tenantWeights,
  });
  onTestFinished(() => reeve.close());
  return { reeve, began };
}

function submit(reeve: LocalReeve, count: number, tenant: string, priority: Priority) {
  return Array.from({ length: count }, async () => {
    const outcome = await reeve.submission.submit(
      {
        workflow: 'printing',
        details: { owner: `${priority} ${tenant}` },
        ...{ priority, tenant, replyTo: null, correlationId: null, key: null },
      },
      'ada',
    );
    if (outcome.kind !== 'accepted') throw new Error(outcome.code);
  });
}

/** The places at which calls of an owner's orders began. */
const placesOf = (began: readonly string[], owner: string) =>
  began.flatMap((each, at) => (each === owner ? [at] : []));

test('a flood of low orders of one tenant delays neither high orders nor another tenant', async () => {
  const { reeve, began } = await printer();
  await Promise.all([
    ...submit(reeve, 400, 'flood', 'low'),
    ...submit(reeve, 20, 'flood', 'high'),
    ...submit(reeve, 20, '*', 'low'),
  ]);
  while (began.length < 440) await settled();
  // 16 of 17 calls, then every second one.
  expect(placesOf(began, 'high flood').at(-1)).toBeLessThan(25);
  expect(placesOf(began, 'low *').at(-1)).toBeLessThan(65);
  expect(placesOf(began, 'low *')).toHaveLength(20);
});

test('a tenant gets the share of its weight, which can be changed', async () => {
  const { reeve, began } = await printer(new Map([['inn', 3]]));
  const share = async () => {
    began.length = 0;
    await Promise.all([
      ...submit(reeve, 100, 'bar', 'normal'),
      ...submit(reeve, 100, 'inn', 'normal'),
    ]);
    while (began.length < 200) await settled();
    return placesOf(began.slice(0, 80), 'normal inn').length;
  };
  expect(await share()).toBe(60);
  reeve.setTenantWeight('inn', 1);
  expect(await share()).toBe(40);
});

test('a weight out of range stops the start', async () => {
  await expect(printer(new Map([['inn', 0]]))).rejects.toMatchObject({
    code: 'tenant-weight-range',
  });
});
