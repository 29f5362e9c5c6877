/** A test with the kit says what the code of an agent or a workflow has thrown. */
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent, TransientFault } from '#ports/agent-implementation.ts';
import { testReeve } from '#testing/kit/test-reeve.ts';

const object = z.object({});
const payment = defineAgent({ name: 'payment', input: object, output: object, undo: 'unneeded' });
const flow = (input: () => object) =>
  defineWorkflow({ name: 'shop', version: 1, details: object })
    .step('pay', { agent: payment, input: () => ({ ...input() }), onExhausted: 'hold', retries: 1 })
    .build();
const shop = flow(() => ({}));
const broken = flow(() => {
  throw new RangeError('no such article');
});

async function resultOf(perform: () => Promise<object>, workflow = shop) {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const agent = implementAgent(payment, { perform: async () => ({ ...(await perform()) }) });
  await using reeve = await testReeve({ workflows: [workflow], agents: [agent] });
  const result = await reeve.run(await reeve.submit(workflow, {}));
  const lines = said.mock.calls.map(([line]) => String(line));
  said.mockRestore();
  return { message: result.state === 'Error' ? result.fault?.message : result.state, lines };
}

test('the fault of an exhausted step has the last error, and where it was thrown', async () => {
  const { message, lines } = await resultOf(async () => {
    throw new TypeError('oops is not a function');
  });
  expect(message).toMatch(
    /^Step pay timed out 2 times\. At last, the perform of agent payment in step pay threw TypeError: oops is not a function\n {4}at .*thrown-errors\.test\.ts:\d+/,
  );
  expect(lines).toEqual([
    expect.stringMatching(/^testReeve: the perform of agent payment .* oops is not a function\n/),
  ]);
});

test('so has that of the own code of a workflow', async () => {
  const { message } = await resultOf(async () => ({}), broken);
  expect(message).toMatch(
    /threw RangeError\..* At last, the `input` of step pay of workflow shop threw RangeError: no such article\n/,
  );
});

test('a service that fails as its agent says is no error of the test', async () => {
  const { message, lines } = await resultOf(async () => {
    throw new TransientFault('http-503', 'Not now.');
  });
  expect(message).toBe('Step pay timed out 2 times.');
  expect(lines).toEqual([]);
});

test('a test with a listener of its own gets each error, and nothing is printed', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const errors: unknown[] = [];
  await using reeve = await testReeve({
    workflows: [broken],
    agents: [implementAgent(payment, { perform: async () => ({}) })],
    onCodeError: ({ error }) => errors.push(error),
  });
  await reeve.run(await reeve.submit(broken, {}));
  expect(errors).toEqual([new RangeError('no such article')]);
  expect(said.mock.calls).toEqual([]);
});
