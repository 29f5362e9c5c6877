/** What a proof says whose code keeps its thread busy: it runs in a process of its own, which this test ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { defineProof } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import { coinOrders, coinWorkflow, soundMint } from './coin.ts';

function process(code: string) {
  const start = "import { watchLoops, worldEnded } from '#testing/prove/process/loop-warning.ts';";
  const child = spawn(
    globalThis.process.execPath,
    ['--input-type=module', '--eval', `${start}${code}`],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended };
}

test('code that loops without end is said to, while it loops', async () => {
  const { child } = process('watchLoops(200); worldEnded(); for (;;);');
  let said = '';
  for await (const piece of child.stderr.setEncoding('utf8')) {
    said += piece;
    if (said.includes('awaits.')) break;
  }
  expect(said).toMatch(/^Reeve: no simulated world has ended for 0\.2 s\./);
});

test('a proof that has ended says nothing, and does not keep its process', async () => {
  const { child, ended } = process(`
    watchLoops(1)();
    const until = Date.now() + 300;
    while (Date.now() < until);
  `);
  let said = '';
  for await (const piece of child.stderr.setEncoding('utf8')) said += piece;
  expect(said).toBe('');
  expect(await ended).toEqual([0, null]);
});

test('a proof is watched, until it ends', async () => {
  const exits: Promise<unknown>[] = [];
  const onWorker = (worker: NodeJS.EventEmitter) => exits.push(once(worker, 'exit'));
  globalThis.process.on('worker', onWorker);
  onTestFinished(() => void globalThis.process.off('worker', onWorker));
  await proofReport(
    defineProof({
      ...{ workflows: [coinWorkflow(1)], agents: [soundMint], orders: coinOrders, seeds: 2 },
    }),
  );
  expect(exits).toHaveLength(1);
  await Promise.all(exits);
});
