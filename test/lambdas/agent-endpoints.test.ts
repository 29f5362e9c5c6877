/** The function of an agent whose service has several endpoints: which failures raise the alarm on the service. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { implementAgent, TransientFault } from '#ports/agent-implementation.ts';
import { loadRequest } from '#sim/load/load-request.ts';
import { invokedAgent } from '../support/invoked-agent.ts';
import { publishedMetrics } from '../support/published-metrics.ts';

const contract = defineAgent({
  name: 'tax',
  input: z.strictObject({}),
  output: z.strictObject({}),
  undo: 'unneeded',
});
const ofRequest = { workflow: 'sale', step: 'tax', agent: 'tax', input: {} };

const down = () => new TransientFault('http-503', 'It is down.');

/** A batch of requests to a service with two endpoints. Returns the operations of AWS that were called. */
function invoke(count: number, service: (endpoint: string) => Promise<void>) {
  const agent = implementAgent(contract, {
    endpoints: [{ url: 'north' }, { url: 'south' }],
    async perform(_, { endpoint }) {
      await service(endpoint);
      return {};
    },
  });
  const requests = Array.from({ length: count }, (_, number) =>
    loadRequest({ ...ofRequest, number, completeWithinMs: 60_000 }, Date.now()),
  );
  return invokedAgent(agent, requests);
}

test('when an endpoint fails and may not be ejected, the metric of the alarm is published once', async () => {
  const published = publishedMetrics();
  let calls = 0;
  // Each request calls the other endpoint after the first has failed, so that both fail three times.
  await invoke(3, async () => {
    calls += 1;
    if (calls <= 6) throw down();
  });
  expect(published()).toEqual([{ AgentsUnavailable: 1 }]);
});

test('when an endpoint fails and is ejected, no metric is published', async () => {
  const published = publishedMetrics();
  const calls: string[] = [];
  const failing = Promise.withResolvers<string>();
  // Of five calls at once, three go to the same endpoint: that one fails.
  const operations = await invoke(5, async (endpoint) => {
    calls.push(endpoint);
    if (calls.filter((other) => other === endpoint).length === 3) failing.resolve(endpoint);
    if ((await failing.promise) === endpoint) throw down();
  });
  // The ejection was stored.
  expect(operations).toContain('UpdateItem');
  expect(published()).toEqual([]);
});
