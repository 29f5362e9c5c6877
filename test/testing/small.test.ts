/** A small workflow is explored as well: every state of one order. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { prove } from '#testing/prove/prove.ts';
import { simulatedService } from '#testing/prove/simulated-service.ts';
import { soundAgent } from '#testing/prove/sound-agent.ts';

const agent = (name: string) =>
  defineAgent({
    name,
    input: z.strictObject({ units: z.int() }),
    output: z.strictObject({ units: z.int() }),
    undo: 'offered',
  });
const [mill, oven, shop] = [agent('mill'), agent('oven'), agent('shop')];

const bread = defineWorkflow({
  name: 'bread',
  version: 1,
  details: z.strictObject({ units: z.int() }),
})
  .step('grind', { agent: mill, input: ({ details }) => details })
  .step('bake', { agent: oven, after: ['grind'], input: ({ outputs: { grind } }) => grind })
  .step('sell', { agent: shop, after: ['bake'], input: ({ outputs: { bake } }) => bake })
  .build();

test('a workflow of three steps is explored completely, and proven', async () => {
  const report = await prove({
    workflows: [bread],
    orders: (draw) => ({ units: draw.between(1, 9) }),
    agents: [mill, oven, shop].map((each) => soundAgent(each, ({ units }) => ({ units }))),
    seeds: 60,
  });
  const [explored] = report.explored;
  expect(explored).toMatchObject({ workflow: 'bread', version: 1, isComplete: true });
  expect(explored?.states).toBeGreaterThan(500);
  expect(report.text).toMatch(
    /^Proven: 60 worlds, .*; all [\d,]+ states of an order of bread@1 explored\.$/,
  );
}, 180_000);

test.each([
  { seeds: 0 },
  { seeds: Number.NaN },
  { firstSeed: -1 },
  { firstSeed: Number.MAX_SAFE_INTEGER },
])('%j is refused', (options) => {
  const proof = {
    workflows: [bread],
    orders: () => ({ units: 1 }),
    agents: [mill, oven, shop].map((each) => soundAgent(each, ({ units }) => ({ units }))),
  };
  expect(() => defineProof({ ...proof, ...options })).toThrow(
    expect.objectContaining({ code: 'seeds-range' }),
  );
});

test.each([
  -1,
  0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  { least: 5, most: 4 },
  { least: Number.NaN, most: 4 },
])('a simulated service that takes %j is refused', (takes) => {
  const refused = expect.objectContaining({ code: 'simulated-service-invalid' });
  expect(() => simulatedService('bakery', () => ({}), { takes })).toThrow(refused);
  expect(() => soundAgent(mill, () => ({ units: 1 }), { takes })).toThrow(refused);
});
