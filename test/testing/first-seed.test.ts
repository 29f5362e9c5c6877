/** A world of `prove` is the same for each first seed: the seed of a mistake shows it again. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import { soundAgent } from '#testing/prove/sound-agent.ts';

const input = z.strictObject({ cents: z.int() });
const card = defineAgent({ name: 'card', input, output: input, undo: 'offered' });
const sale = defineWorkflow({ name: 'sale', version: 1, details: input })
  .step('charge', {
    ...{ agent: card, input: ({ details }) => details, completeWithin: 200_000 },
    undo: { completeWithin: 200_000 },
  })
  .build();

const reportOf = (firstSeed: number, seeds: number) =>
  proofReport(
    defineProof({
      ...{ workflows: [sale], firstSeed, seeds },
      agents: [soundAgent(card, (given) => given, { takes: { least: 1_000, most: 100_000 } })],
      orders: (draw) => ({ cents: draw.between(1, 9) }),
    }),
  );

test('the worlds of a proof are those of its seeds, each by itself', async () => {
  const seeds = [1, 2, 3, 4, 5];
  const all = await reportOf(1, seeds.length);
  const each = [];
  for (const seed of seeds) each.push(await reportOf(seed, 1));
  expect(all.isProven).toBe(true);
  expect(each.reduce((sum, { hours }) => sum + hours, 0)).toBeCloseTo(all.hours, 6);
  expect(each.reduce((sum, { orders }) => sum + orders, 0)).toBe(all.orders);
});
