/** The function of an agent: what its instances share is stored before it ends, and which failures raise the alarm on its service. */
import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import type { Request } from '#core/model/message.ts';
import { implementAgent, TransientFault } from '#ports/agent-implementation.ts';
import { loadRequest } from '#sim/load/load-request.ts';
import type { AwsCall } from '../support/answering-aws.ts';
import { invokedAgent } from '../support/invoked-agent.ts';
import { publishedMetrics } from '../support/published-metrics.ts';

const contract = defineAgent({
  ...{ name: 'tax', input: z.strictObject({}), output: z.strictObject({}), undo: 'unneeded' },
});
const requestsAt = (nowMs: number, count: number): readonly Request[] =>
  Array.from({ length: count }, (_, number) =>
    loadRequest(
      { workflow: 'sale', step: 'tax', agent: 'tax', input: {}, number, completeWithinMs: 60_000 },
      nowMs,
    ),
  );

const down = () => new TransientFault('http-503', 'It is down.');
const failing = implementAgent(contract, {
  async perform() {
    throw down();
  },
});

/** A store that is slow: what it was asked, and what it has answered. */
function slowStore(answer: (call: AwsCall) => object = () => ({})) {
  const counts = { asked: 0, answered: 0 };
  return {
    counts,
    async answer(call: AwsCall) {
      if (call.operation !== 'UpdateItem') return answer(call);
      counts.asked += 1;
      await setTimeout(100);
      counts.answered += 1;
      return answer(call);
    },
  };
}

test('a circuit that opens is stored when the function ends, because Lambda suspends it then, raises the alarm, and is an error of the log', async () => {
  const published = publishedMetrics();
  process.env['POWERTOOLS_LOG_LEVEL'] = 'SILENT';
  const error = vi.spyOn((await import('../../lambdas/telemetry.ts')).log, 'error');
  const { counts, answer } = slowStore();
  await invokedAgent(failing, requestsAt(Date.now(), 10), { answer });
  expect(counts.asked).toBeGreaterThan(0);
  expect(counts.answered).toBe(counts.asked);
  expect(published()).toEqual([{ AgentsUnavailable: 1 }]);
  expect(error.mock.calls).toEqual([['circuit-opened', { agent: 'tax' }]]);
});

test('an endpoint that is ejected is stored when the function ends', async () => {
  const { counts, answer } = slowStore();
  const calls: string[] = [];
  const north = Promise.withResolvers<string>();
  const agent = implementAgent(contract, {
    endpoints: [{ url: 'north' }, { url: 'south' }],
    async perform(_, { endpoint }) {
      calls.push(endpoint);
      if (calls.filter((other) => other === endpoint).length === 3) north.resolve(endpoint);
      if ((await north.promise) === endpoint) throw down();
      return {};
    },
  });
  await invokedAgent(agent, requestsAt(Date.now(), 5), { answer });
  expect(counts).toEqual({ asked: 1, answered: 1 });
});

test('a circuit that another instance has opened before raises no second alarm', async () => {
  const published = publishedMetrics();
  const now = Date.now();
  const common = { Name: { S: 'circuit#tax' }, Epoch: { N: '7' }, GoodRate: { N: '1' } };
  const Item = {
    ...{ ...common, State: { S: 'open' }, Since: { N: String(now) }, Probes: { N: '0' } },
    ProbeAt: { N: String(now + 60_000) },
  };
  const { counts, answer } = slowStore(({ operation }) => {
    if (operation === 'UpdateItem') return { __type: 'ConditionalCheckFailedException' };
    // It is stored between the read of this instance and its write.
    return operation === 'GetItem' && counts.asked > 0 ? { Item } : {};
  });
  await invokedAgent(failing, requestsAt(now, 10), { answer });
  expect(counts.asked).toBeGreaterThan(0);
  expect(published()).toEqual([]);
});

test('a request that comes after its deadline has a reply, unless it was received before: then its call may be in flight', async () => {
  const late = requestsAt(Date.now() - 120_000, 1);
  expect(await invokedAgent(failing, late)).toEqual(['SendMessageBatch']);
  expect(await invokedAgent(failing, late, { receives: 2 })).toEqual([]);
});
