/** `prove` on functions for keys, of limits and singletons, that throw or return what is no key. */
import { expect, test } from 'vitest';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import { soundAgent } from '#testing/prove/sound-agent.ts';
import { coinOrders, coins, coinWorkflow, mint, soundMint } from './coin.ts';

/** As code without types has it. */
const untyped = (code: () => unknown) => Object(code);

const rejected = () => {
  throw new RangeError('no key');
};

const wrongKeys: readonly (readonly [does: string, code: () => unknown])[] = [
  ['throws RangeError: no key', rejected],
  ['returns 5, which is neither a text nor null', () => 5],
  ['returns undefined, which is neither a text nor null', () => undefined],
  ["returns [ 'a' ], which is neither a text nor null", () => ['a']],
  ['returns a promise, which is neither a text nor null', async () => rejected()],
];

test.each(wrongKeys)('the key of a limit that %s', async (does, code) => {
  const limits = { own: { atOnce: 1, key: untyped(code) } };
  const options = { name: 'mint', input: coins, output: coins, undo: 'offered', limits } as const;
  const agent = defineAgent(options);
  const { mistakes } = await proofReport(
    defineProof({
      ...{ workflows: [coinWorkflow(1, agent)], agents: [soundAgent(agent, (input) => input)] },
      ...{ orders: coinOrders, seeds: 20 },
    }),
  );
  expect(mistakes.map(({ rule }) => rule)).toEqual(['code-throws']);
  const { message } = mistakes[0] ?? { message: '' };
  expect(message).toContain(`The \`key\` of the limit mint/own ${does}. Correct this function`);
});

test.each(wrongKeys)('the key of a singleton that %s', (does, code) => {
  const workflow = defineWorkflow({
    ...{ name: 'coin', version: 1, details: coins },
    singleton: { key: untyped(code), else: 'wait' },
  })
    .step('make', { agent: mint, input: ({ details }) => details })
    .build();
  const make = () =>
    defineProof({ workflows: [workflow], agents: [soundMint], orders: () => ({ coins: 7 }) });
  expect(make).toThrow(
    expect.objectContaining({
      code: 'details-invalid',
      message: expect.stringContaining(`The \`singleton.key\` of coin@1 ${does}`),
    }),
  );
  expect(make).toThrow(/for the details {"coins":7} and the tenant null\. Correct this function/);
  expect(make).not.toThrow(/orders\(/);
});
