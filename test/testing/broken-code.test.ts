/** `prove` on agents and workflows whose code always throws: the report says what, and where. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import {
  type AgentImplementation,
  implementAgent,
  PermanentFault,
} from '#ports/agent-implementation.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import { soundAgent } from '#testing/prove/sound-agent.ts';

const input = z.strictObject({ cents: z.int() });
const output = z.strictObject({ charge: z.string() });
const card = defineAgent({ name: 'card', input, output, undo: 'unneeded' });
const flow = (code?: () => void) =>
  defineWorkflow({ name: 'sale', version: 1, details: input })
    .step('charge', {
      agent: card,
      input: ({ details }) => {
        code?.();
        return details;
      },
    })
    .build();

async function mistakeOf(agent: AgentImplementation, workflow = flow()) {
  const report = await proofReport(
    defineProof({
      ...{ workflows: [workflow], agents: [agent], seeds: 10 },
      orders: (draw) => ({ cents: draw.between(1, 99) }),
    }),
  );
  expect(report.mistakes).toHaveLength(1);
  const [mistake] = report.mistakes;
  if (mistake === undefined) throw new RangeError('no mistake');
  expect(mistake.shortest.story).not.toEqual([]);
  return mistake;
}

const throwing = (error: () => unknown) =>
  implementAgent(card, {
    async perform() {
      throw error();
    },
  });

test('a TypeError of an agent is a mistake of its code, with its message and its line', async () => {
  const { rule, message, shortest } = await mistakeOf(
    throwing(() => new TypeError('oops is not a function')),
  );
  expect(rule).toBe('code-throws');
  expect(message).toMatch(
    /The perform of card throws TypeError: oops is not a function, each time, for charge of order-1, though nothing fails\. at .*broken-code\.test\.ts:\d+/,
  );
  expect(shortest.faults).toEqual([]);
}, 180_000);

test.each([
  [
    'an Error',
    () => new Error('no key is configured'),
    /throws Error: no key is configured, each time, .* at .*broken-code\.test\.ts:\d+/,
  ],
  ['what is no Error', () => 'no key', /throws 'no key' \(not an Error\), each time/],
])(
  '%s, thrown each time, is one too',
  async (_, error, text) => {
    const { rule, message } = await mistakeOf(throwing(error));
    expect(rule).toBe('code-throws');
    expect(message).toMatch(text);
  },
  60_000,
);

test('an output that does not match its schema is named with its fields', async () => {
  const agent: AgentImplementation = {
    ...soundAgent(card, () => ({ charge: 'c' })),
    perform: async () => ({ charge: 5 }),
  };
  const { rule, message } = await mistakeOf(agent);
  expect(rule).toBe('never-processed');
  expect(message).toMatch(/order-1 .*step charge: .*output.*charge.* \(output-invalid\)/);
}, 180_000);

test('a permanent fault that is thrown each time is named', async () => {
  const { rule, message } = await mistakeOf(
    throwing(() => new PermanentFault('no', 'Never.', 'none')),
  );
  expect(rule).toBe('never-processed');
  expect(message).toContain('Never. (no)');
}, 180_000);

test('a function of the workflow that throws is named with its message and its line', async () => {
  const { rule, message } = await mistakeOf(
    soundAgent(card, () => ({ charge: 'c' })),
    flow(() => {
      throw new RangeError('no such article');
    }),
  );
  expect(rule).toBe('code-throws');
  expect(message).toMatch(
    /The `input` of the step charge of sale@1 throws RangeError: no such article\. at .*broken-code\.test\.ts:\d+/,
  );
}, 180_000);
