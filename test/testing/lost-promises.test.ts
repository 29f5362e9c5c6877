/** Promises that fail while a proof runs, and that no code waits for: those of its agents are its mistakes. */
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent } from '#ports/agent-implementation.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import { simulatedService } from '#testing/prove/simulated-service.ts';
import { coinOrders, coins, coinWorkflow, mint, soundMint } from './coin.ts';

const event = 'unhandledRejection';

/** Takes the place of the listeners of the test runner; without `listen`, there are none. */
function lostByOthers({ listen }: { readonly listen: boolean }): readonly unknown[] {
  const seen: unknown[] = [];
  const others = process.listeners(event);
  process.removeAllListeners(event);
  if (listen) process.on(event, (reason) => seen.push(reason));
  onTestFinished(() => {
    process.removeAllListeners(event);
    for (const other of others) process.on(event, other);
  });
  return seen;
}

const losing = (reason: unknown, work: (key: string) => Promise<unknown> = async () => {}) =>
  implementAgent(mint, {
    async perform(input, { idempotencyKey }) {
      void Promise.reject(reason);
      await work(idempotencyKey);
      return input;
    },
    async undo() {},
  });

const reportOf = (agent: typeof soundMint, workflow = coinWorkflow(1)) =>
  proofReport(
    defineProof({
      ...{ workflows: [workflow], agents: [agent], orders: coinOrders },
      ...{ seeds: 1, firstSeed: 7 },
    }),
  );

test.each([
  [new RangeError('no more coins'), 'no more coins'],
  ['a text', 'a text'],
])(
  'a promise that is lost in the only world is its mistake, with why it failed: %s',
  async (reason, why) => {
    const { mistakes, worlds } = await reportOf(losing(reason));
    expect(worlds).toBe(1);
    expect(mistakes).toEqual([
      {
        ...{
          seed: 7,
          rule: 'not-awaited',
          explanation: expect.stringContaining('Await each call'),
        },
        message: `A promise has failed, and nothing waited for it: ${why}`,
        shortest: { orders: expect.any(Number), faults: [], story: [] },
      },
    ]);
  },
);

test('promises that are lost beside another mistake do not reach the process', async () => {
  const seen = lostByOthers({ listen: true });
  const bank = simulatedService('bank', () => ({ pay(_key: string) {} }), { takes: 20_000 });
  const workflow = defineWorkflow({ name: 'coin', version: 1, details: coins })
    .step('make', { agent: mint, input: ({ details }) => details, completeWithin: 5_000 })
    .build();
  const { mistakes, worlds } = await reportOf(
    losing('lost', (key) => bank.pay(key)),
    workflow,
  );
  expect(mistakes.map(({ rule }) => rule)).toEqual(['deadline-short']);
  expect(worlds).toBe(0);
  // The event loop reports lost promises at the end of its turn.
  await setImmediate();
  expect(seen).toEqual([]);
});

test('a promise that other code loses while no one listens is not lost silently', async () => {
  lostByOthers({ listen: false });
  const running = reportOf(soundMint);
  void Promise.reject(new RangeError('lost by a test'));
  const { mistakes } = await running;
  expect(mistakes.map(({ message }) => message)).toEqual([
    'A promise has failed, and nothing waited for it: lost by a test',
  ]);
});
