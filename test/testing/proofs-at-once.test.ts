/** Proofs of one process wait for each other, and leave the process as it was. */
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { implementAgent } from '#ports/agent-implementation.ts';
import { scriptedAgent } from '#testing/kit/scripted-agent.ts';
import { testReeve } from '#testing/kit/test-reeve.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import { coinOrders, coinWorkflow, mint, soundMint } from './coin.ts';

/** What a proof takes the place of. */
const processNow = () => ({
  stackTraceLimit: Error.stackTraceLimit,
  listeners: process.rawListeners('unhandledRejection'),
  fetch: globalThis.fetch,
  connect: Socket.prototype.connect,
  date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  random: Math.random,
  now: performance.now,
  randomUUID: crypto.randomUUID,
  timeout: AbortSignal.timeout,
});

const sound = () =>
  defineProof({
    workflows: [coinWorkflow(1)],
    agents: [soundMint],
    orders: coinOrders,
    seeds: 3,
  });

const careless = () =>
  defineProof({
    workflows: [coinWorkflow(1)],
    agents: [
      implementAgent(mint, {
        async perform(input) {
          void Promise.reject(new RangeError('not awaited'));
          return input;
        },
        async undo() {},
      }),
    ],
    orders: coinOrders,
    seeds: 3,
  });

test('two proofs at once leave the process as it was, and each reports its own mistakes', async () => {
  const before = processNow();
  const [first, second, third] = await Promise.all([
    proofReport(sound()),
    proofReport(careless()),
    proofReport(sound()),
  ]);
  expect([first.mistakes, third.mistakes]).toEqual([[], []]);
  expect(second.mistakes.map(({ rule }) => rule)).toEqual(['not-awaited']);
  expect(processNow()).toEqual(before);
  expect(new Error('with a stack').stack).toContain('proofs-at-once.test.ts');
});

test('a proof that throws midway restores the process, and the next one runs', async () => {
  const before = processNow();
  let calls = 0;
  const orders = () => {
    calls += 1;
    if (calls > 8) throw new RangeError('no more names');
    return { coins: 1 };
  };
  const throwing = proofReport({ ...sound(), orders });
  const next = proofReport(sound());
  await expect(throwing).rejects.toMatchObject({ code: 'orders-invalid' });
  expect(await next).toMatchObject({ isProven: true });
  expect(processNow()).toEqual(before);
});

test('what other code replaced during a proof stays as that code set it', async () => {
  const { fetch } = globalThis;
  onTestFinished(() => {
    globalThis.fetch = fetch;
  });
  const stub = async () => new Response('stub');
  await proofReport({ ...sound(), seeds: 20 }, () => {
    globalThis.fetch = stub;
  });
  expect(globalThis.fetch).toBe(stub);
});

test('a promise that other code lost is no mistake of the proof', async () => {
  const seen: unknown[] = [];
  const others = process.listeners('unhandledRejection');
  const own = (reason: unknown) => {
    seen.push(reason);
  };
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', own);
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection');
    for (const other of others) process.on('unhandledRejection', other);
  });
  const running = proofReport({ ...sound(), seeds: 40 });
  await sleep(1);
  const reason = new RangeError('lost by a test');
  void Promise.reject(reason);
  const report = await running;
  expect(report.mistakes).toEqual([]);
  expect(seen).toEqual([reason]);
});

test('a test with virtual time beside a proof has its own time, and other code the real one', async () => {
  const alone = await proofReport(sound());
  const running = proofReport(sound());
  const agent = scriptedAgent(mint, { coins: 1 });
  await using reeve = await testReeve({
    workflows: [coinWorkflow(1)],
    agents: [agent],
    startAt: 0,
  });
  const began = Date.now();
  await reeve.advance(3_600_000);
  const order = await reeve.submit(coinWorkflow(1), { coins: 1 });
  expect((await reeve.run(order)).state).toBe('Processed');
  expect(reeve.now()).toBeGreaterThanOrEqual(3_600_000);
  expect(reeve.now()).toBeLessThan(3_700_000);
  expect(Date.now() - began).toBeLessThan(600_000);
  const { tookMs: _, text: __, ...beside } = await running;
  expect(alone).toMatchObject(beside);
});
