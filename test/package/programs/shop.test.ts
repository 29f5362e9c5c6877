import { defineAgent, defineWorkflow } from 'reeve';
import { scriptedAgent, testReeve } from 'reeve/testing';
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

test('an order waits for its service, in virtual time, and is processed', async () => {
  const greet = scriptedAgent(greeter, null);
  await using reeve = await testReeve({ workflows: [hello], agents: [greet] });
  greet.unreachable(45_000);
  const result = await reeve.run(await reeve.submit(hello, {}));
  expect(result.state).toBe('Processed');
});
