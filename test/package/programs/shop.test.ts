import { defineAgent, defineWorkflow, implementAgent } from 'reeve';
import { startLocalReeve } from 'reeve/local';
import { expect, test } from 'vitest';
import * as z from 'zod';

const greeter = defineAgent({
  name: 'greeter',
  input: z.null(),
  output: z.null(),
  undo: 'unneeded',
});
const hello = defineWorkflow({ name: 'hello', version: 1, details: z.object({}) })
  .step('greet', { agent: greeter, input: () => null })
  .build();

test('an order is processed', async () => {
  const agents = [implementAgent(greeter, { perform: async () => null })];
  const reeve = await startLocalReeve({ workflows: [hello], agents, path: ':memory:' });
  const order = await reeve.submit(hello, {});
  expect((await order.result()).state).toBe('Processed');
  reeve.close();
});
