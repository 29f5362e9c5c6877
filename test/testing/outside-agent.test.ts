/** `prove` on agents whose code leaves the simulation: the network, timers and chance of the real process. */
import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { type Call, implementAgent } from '#ports/agent-implementation.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import { simulatedService } from '#testing/prove/simulated-service.ts';

const mail = defineAgent({
  name: 'mail',
  input: z.strictObject({ to: z.string() }),
  output: z.strictObject({ sent: z.string() }),
  undo: 'unneeded',
});
const letter = defineWorkflow({ name: 'letter', version: 1, details: mail.input })
  .step('send', { agent: mail, input: ({ details }) => details })
  .build();

const reportOf = (perform: (call: Call) => Promise<string>, seeds = 20) =>
  proofReport(
    defineProof({
      workflows: [letter],
      orders: () => ({ to: 'ada' }),
      agents: [
        implementAgent(mail, { perform: async (_, call) => ({ sent: await perform(call) }) }),
      ],
      seeds,
    }),
  );

/** An address that counts who connects. */
async function listening() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, connections: () => connections };
}

test('a real fetch is refused, and the report says which agent called what', async () => {
  const { port, connections } = await listening();
  const before = globalThis.fetch;
  const { mistakes, text } = await reportOf(async ({ signal }) => {
    const response = await fetch(`http://127.0.0.1:${port}/mails`, { signal });
    return response.text();
  });
  expect(mistakes.map(({ rule }) => rule)).toEqual(['calls-outside']);
  expect(text).toContain(`The agent mail called fetch('http://127.0.0.1:${port}/mails') for real`);
  expect(text).toContain('give it a `simulatedService` in the proof');
  expect(connections()).toBe(0);
  expect(globalThis.fetch).toBe(before);
}, 180_000);

test('so is any other client of the network', async () => {
  const { port, connections } = await listening();
  const { mistakes } = await reportOf(
    () =>
      new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port }, () => resolve('sent')).on('error', reject);
      }),
  );
  const [first] = mistakes;
  expect(first?.rule).toBe('calls-outside');
  expect(first?.message).toContain(`The agent mail called 127.0.0.1:${port} for real`);
  expect(connections()).toBe(0);
}, 180_000);

test('a timer of node:timers is reported', async () => {
  const { mistakes } = await reportOf(async () => {
    await sleep(1);
    return 'sent';
  });
  expect(mistakes.map(({ rule }) => rule)).toEqual(['waits-outside']);
}, 180_000);

const post = simulatedService('post', () => ({ send: (key: string) => `sent ${key}` }));

test('ids, clocks and the end of a time are virtual: a seed gives the same course of events', async () => {
  const answers: string[] = [];
  const run = async () => {
    answers.length = 0;
    await reportOf(async ({ idempotencyKey, signal }) => {
      const own = AbortSignal.any([signal, AbortSignal.timeout(2_000)]);
      answers.push(
        [randomUUID(), crypto.randomUUID(), performance.now(), Date.now(), Math.random()].join(),
      );
      return post.send(idempotencyKey, own);
    }, 5);
    return answers.join('\n');
  };
  const first = await run();
  expect(await run()).toBe(first);
  expect(new Set(answers).size).toBe(answers.length);
}, 180_000);
