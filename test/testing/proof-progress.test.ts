/** What a proof says while it runs, and what its report leaves out beside a mistake. */
import { expect, test } from 'vitest';
import { implementAgent } from '#ports/agent-implementation.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import { coinOrders, coinWorkflow, mint, soundMint, soundPress, withIdleStep } from './coin.ts';

const orders = coinOrders;

/** The worlds of which a proof says that they were simulated. */
async function worldsSaid(agent: typeof soundMint, seeds: number): Promise<readonly number[]> {
  const said: number[] = [];
  const workflows = [coinWorkflow(1)];
  const proof = defineProof({ workflows, agents: [agent], orders, seeds, firstSeed: 5 });
  await proofReport(proof, (worlds) => said.push(worlds));
  return said;
}

const careless = implementAgent(mint, {
  async perform(input) {
    void Promise.reject(new RangeError('not awaited'));
    return input;
  },
  async undo() {},
});

test('a proof says after each twenty worlds how many there were', async () => {
  expect(await worldsSaid(soundMint, 19)).toEqual([]);
  expect(await worldsSaid(soundMint, 45)).toEqual([20, 40]);
});

test('a proof that ends at its first world says nothing of further ones', async () => {
  expect(await worldsSaid(careless, 45)).toEqual([]);
});

test('a mistake is reported without what no world came to, because the worlds after it were not simulated', async () => {
  const notCoveredOf = async (agent: typeof soundMint) => {
    const agents = [agent, soundPress];
    const proof = defineProof({ workflows: [withIdleStep], agents, orders, seeds: 20 });
    const { isProven, notCovered, text } = await proofReport(proof);
    return { isProven, isCovered: notCovered.length === 0, says: text.includes('Not covered') };
  };
  expect(await notCoveredOf(soundMint)).toEqual({ isProven: true, isCovered: false, says: true });
  expect(await notCoveredOf(careless)).toEqual({ isProven: false, isCovered: true, says: false });
});
