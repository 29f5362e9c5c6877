/** The function of an agent whose code changes its input: a repeated call has the body of the first one, as its key says (R4). */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { implementAgent, TransientFault } from '#ports/agent-implementation.ts';
import { loadRequest } from '#sim/load/load-request.ts';
import { invokedAgent } from '../support/invoked-agent.ts';

const contract = defineAgent({
  name: 'tax',
  input: z.object({ lines: z.array(z.string()) }),
  output: z.object({}),
  undo: 'unneeded',
});

test('a repeated call has the input of the first one, which its code has changed', async () => {
  const bodies: string[] = [];
  const agent = implementAgent(contract, {
    async perform(input) {
      bodies.push(JSON.stringify(input));
      input.lines.pop();
      if (bodies.length < 3) throw new TransientFault('http-503', 'It is down.');
      return {};
    },
  });
  const of = { workflow: 'sale', step: 'tax', agent: 'tax', input: { lines: ['a', 'b', 'c'] } };
  const request = loadRequest({ ...of, number: 1, completeWithinMs: 60_000 }, Date.now());
  await invokedAgent(agent, [request]);
  expect(bodies).toEqual(Array(3).fill('{"lines":["a","b","c"]}'));
});
