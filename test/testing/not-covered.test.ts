/** A proof says what no world came to, and refuses what no world could. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import type { SingletonOptions } from '#core/definition/singleton.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent } from '#ports/agent-implementation.ts';
import { defineProof, type ProofOptions } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import { simulatedService } from '#testing/prove/simulated-service.ts';
import { soundAgent } from '#testing/prove/sound-agent.ts';
import { notCovered } from '#testing/prove/tally/not-covered.ts';
import { tally } from '#testing/prove/tally/tally.ts';
import {
  coinOrders,
  coins,
  coinWorkflow,
  mint,
  press,
  soundMint,
  soundPress,
  withIdleStep,
} from './coin.ts';

const reportOf = (options: Pick<ProofOptions, 'workflows' | 'agents'> & Partial<ProofOptions>) =>
  proofReport(defineProof({ orders: coinOrders, seeds: 20, ...options }));

test('a sound proof has nothing that is not covered', async () => {
  const report = await reportOf({ workflows: [coinWorkflow(1)], agents: [soundMint] });
  expect(report).toMatchObject({ isProven: true, notCovered: [] });
  expect(report.text).not.toContain('Not covered');
});

test('a step that is never performed, and its agent', async () => {
  const report = await reportOf({ workflows: [withIdleStep], agents: [soundMint, soundPress] });
  expect(report.isProven).toBe(true);
  expect(report.notCovered).toEqual([
    'Step stamp of coin@1 was never Completed: let `orders` draw details with which it is performed.',
    'The agent press was never called.',
  ]);
  expect(report.text).toContain('Not covered by these worlds, so nothing is proven of it:\n- Step');
});

/** Two steps, of which the last one is irreversible. */
const irreversible = (first: typeof mint, last: typeof mint) =>
  defineWorkflow({ name: 'coin', version: 1, details: coins })
    .step('make', { agent: first, input: ({ details }) => details })
    .step('ship', {
      agent: last,
      after: ['make'],
      irreversible: true,
      input: ({ details }) => details,
    })
    .build();

test('an agent of irreversible steps alone has no undo that could be called', async () => {
  const agents = [soundMint, soundPress];
  const report = await reportOf({ workflows: [irreversible(mint, press)], agents });
  expect(report.notCovered).toEqual([]);
}, 180_000);

test('an agent of an irreversible step and of another one has an undo that must be called', () => {
  const workflows = [irreversible(press, press)];
  const proof = defineProof({ workflows, agents: [soundPress], orders: coinOrders });
  const ran = tally();
  ran.note('perform', 'press');
  ran.note('effect', 'press');
  expect(notCovered(proof, ran, 1)).toContain('The undo of the agent press was never called.');
});

const silent = simulatedService('silent', () => ({ pay(_key: string) {} }));

test.each([
  ['calls no service', async () => {}],
  ['calls one whose model has no effects', (key: string) => silent.pay(key)],
])('an agent that %s', async (_, pay) => {
  const agent = implementAgent(mint, {
    async perform(input, { idempotencyKey }) {
      await pay(idempotencyKey);
      return input;
    },
    async undo() {},
  });
  const report = await reportOf({ workflows: [coinWorkflow(1)], agents: [agent] });
  expect(report.notCovered).toEqual([expect.stringMatching(/^The agent mint never had an effect/)]);
});

const withSingleton = (singleton: SingletonOptions<{ coins: number }>) =>
  defineWorkflow({ name: 'coin', version: 1, details: coins, singleton })
    .step('make', { agent: mint, input: ({ details }) => details })
    .build();

test('orders whose singleton keys are all different', async () => {
  let last = 0;
  const orders = () => {
    last += 1;
    return { coins: last };
  };
  const workflow = withSingleton({ key: ({ details }) => String(details.coins), else: 'wait' });
  const report = await reportOf({ workflows: [workflow], agents: [soundMint], orders });
  expect(report.notCovered).toEqual([
    'No order of coin@1 met another one with its singleton key: let `orders` draw from few keys.',
  ]);
}, 180_000);

test.each(['wait', 'skip', 'replace'] as const)(
  'orders with one singleton key meet, also where the rule is %s',
  async (rule) => {
    const workflow = withSingleton({ key: () => 'one', else: rule });
    const report = await reportOf({ workflows: [workflow], agents: [soundMint] });
    expect(report.notCovered).toEqual([]);
  },
  60_000,
);

const limited = (key: () => string) => {
  const limits = { own: { atOnce: 1, key } };
  return defineAgent({ name: 'mint', input: coins, output: coins, undo: 'offered', limits });
};

test('keys that depend on more than their argument are a mistake', async () => {
  let last = 0;
  const key = () => {
    last += 1;
    return String(last);
  };
  const agent = limited(key);
  const ofLimit = await reportOf({
    workflows: [coinWorkflow(1, agent)],
    agents: [soundAgent(agent, (input) => input)],
  });
  expect(ofLimit.mistakes.map(({ rule }) => rule)).toEqual(['not-pure']);
  const workflows = [withSingleton({ key, else: 'wait' })];
  const ofSingleton = await reportOf({ workflows, agents: [soundMint] });
  expect(ofSingleton.mistakes.map(({ rule }) => rule)).toEqual(['not-pure']);
  expect(ofSingleton.mistakes[0]?.message).toContain('The `singleton.key` of coin@1 returned');
});

test('details that are too large are refused before anything runs', () => {
  const refused = (message: RegExp) =>
    expect.objectContaining({ code: 'details-invalid', message: expect.stringMatching(message) });
  const details = z.strictObject({ text: z.string() });
  const large = defineWorkflow({ name: 'large', version: 1, details })
    .step('make', { agent: mint, input: () => ({ coins: 1 }) })
    .build();
  const orders = () => ({ text: 'x'.repeat(1_000_000) });
  expect(() => defineProof({ workflows: [large], agents: [soundMint], orders })).toThrow(
    refused(/too large for an order of workflow large@1/),
  );
});

test('a mistake that shows where nothing fails is reported, and its story is that of this world', async () => {
  // The sixth order of a world gets the key of the first one: worlds with faults have fewer orders.
  const shelf = simulatedService('shelf', ({ effects }) => {
    let calls = 0;
    const keys = new Map<string, string>();
    return {
      take(key: string) {
        if (!keys.has(key)) keys.set(key, `place-${calls++ % 5}`);
        const place = keys.get(key) ?? '';
        if (!effects.has(place)) effects.add(place);
      },
      giveBack(key: string) {
        effects.remove(keys.get(key) ?? '');
      },
    };
  });
  const agent = implementAgent(mint, {
    async perform(input, { idempotencyKey, signal }) {
      await shelf.take(idempotencyKey, signal);
      return input;
    },
    undo: ({ performKey }, { signal }) => shelf.giveBack(performKey, signal),
  });
  const report = await reportOf({ workflows: [coinWorkflow(1)], agents: [agent], seeds: 1 });
  expect(report).toMatchObject({ isProven: false, worlds: 0 });
  expect(report.mistakes[0]).toMatchObject({ rule: 'effect-shared', shortest: { faults: [] } });
  expect(report.mistakes[0]?.shortest.story.at(-1)).toContain('BROKEN effect-shared');
}, 180_000);
