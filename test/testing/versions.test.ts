/** `prove` with several workflows, and with several versions of one: each has orders. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import {
  coinOrders,
  coinWorkflow,
  forgetfulPress,
  mint,
  press,
  soundMint,
  soundPress,
} from './coin.ts';

test.each([
  ['an earlier version', [coinWorkflow(1, press), coinWorkflow(2)]],
  ['the latest version', [coinWorkflow(2, press), coinWorkflow(1)]],
])(
  'a mistake in %s of a workflow is found',
  async (_, workflows) => {
    const agents = [soundMint, forgetfulPress];
    const report = await proofReport(defineProof({ workflows, agents, orders: coinOrders }));
    expect(report.mistakes.map(({ rule }) => rule)).toEqual(['effect-left']);
    expect(report.mistakes[0]?.shortest.orders).toBe(1);
  },
  60_000,
);

/** The second version has details that the first one refuses, and the other way round. */
const renamed = defineWorkflow({
  name: 'coin',
  version: 2,
  details: z.strictObject({ pieces: z.int() }),
})
  .step('make', { agent: mint, input: ({ details: { pieces } }) => ({ coins: pieces }) })
  .build();

test('each version gets details of its own, and is counted and explored by itself', async () => {
  const report = await proofReport(
    defineProof({
      workflows: [coinWorkflow(1, press), renamed],
      agents: [soundMint, soundPress],
      orders: (draw, _, version) =>
        version === 1 ? { coins: draw.between(1, 9) } : { pieces: draw.between(1, 9) },
      seeds: 60,
    }),
  );
  expect(report).toMatchObject({ isProven: true, notCovered: [] });
  expect(report.workflows.map(({ workflow, version }) => `${workflow}@${version}`)).toEqual([
    'coin@1',
    'coin@2',
  ]);
  for (const { orders, processed, undone } of report.workflows) {
    expect(processed).toBeGreaterThan(10);
    expect(undone).toBeGreaterThan(0);
    expect(processed + undone).toBe(orders);
  }
  expect(report.explored).toMatchObject([
    { workflow: 'coin', version: 1, isComplete: true },
    { workflow: 'coin', version: 2, isComplete: true },
  ]);
  expect(report.text).toMatch(/of an order of coin@1 explored; .* of an order of coin@2 explored/);
}, 180_000);

test('details that one version refuses name it, and how `orders` was called', () => {
  const make = () =>
    defineProof({
      workflows: [coinWorkflow(1), renamed],
      agents: [soundMint],
      orders: coinOrders,
    });
  expect(make).toThrow(
    /which workflow coin@2 does not accept: .*pieces.*orders\(draw, 'coin', 2\)/,
  );
});

test('two definitions of one version are refused', () => {
  const workflows = [coinWorkflow(1), coinWorkflow(1, press)];
  const agents = [soundMint, soundPress];
  expect(() => defineProof({ workflows, agents, orders: coinOrders })).toThrow(
    expect.objectContaining({ code: 'version-twice' }),
  );
});

test('orders that are submitted at once have details of their own workflow', async () => {
  const text = defineWorkflow({
    name: 'text',
    version: 1,
    details: z.strictObject({ text: z.string() }),
  })
    .step('make', { agent: mint, input: () => ({ coins: 1 }) })
    .build();
  const report = await proofReport(
    defineProof({
      workflows: [coinWorkflow(1), text],
      agents: [soundMint],
      orders: (draw, workflow) =>
        workflow === 'coin' ? { coins: draw.between(1, 9) } : { text: 'one' },
      seeds: 60,
    }),
  );
  expect(report.faults.get('flood')).toBeGreaterThan(0);
  expect(report.mistakes).toEqual([]);
}, 180_000);

test('a proof of few worlds has orders of each of many workflows', async () => {
  const names = Array.from({ length: 9 }, (_, at) => `coin-${at}`);
  const workflows = names.map((name) => coinWorkflow(1, mint, name));
  const report = await proofReport(
    defineProof({ workflows, agents: [soundMint], orders: coinOrders, seeds: 1 }),
  );
  expect(report.mistakes).toEqual([]);
  expect(report.explored).toHaveLength(9);
}, 180_000);
