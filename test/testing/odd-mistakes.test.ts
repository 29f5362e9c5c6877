/** `prove` on mistakes that end a process, never end, or are those of the model: it says what is wrong, and goes on. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import {
  type AgentCode,
  type AgentImplementation,
  implementAgent,
} from '#ports/agent-implementation.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import { simulatedService } from '#testing/prove/simulated-service.ts';

const input = z.strictObject({ cents: z.int() });
const output = z.strictObject({ charge: z.string() });
const card = defineAgent({ name: 'card', input, output, undo: 'offered' });
const sale = defineWorkflow({ name: 'sale', version: 1, details: input })
  .step('charge', { agent: card, input: ({ details }) => details })
  .build();
type Code = AgentCode<z.infer<typeof input>, z.infer<typeof output>, 'offered'>;

const mistakeOf = (code: Code) => mistakeBy(implementAgent(card, code));

async function mistakeBy(agent: AgentImplementation) {
  const { mistakes } = await proofReport(
    defineProof({
      ...{
        workflows: [sale],
        agents: [agent],
        seeds: 60,
      },
      orders: () => ({ cents: 5 }),
    }),
  );
  expect(mistakes).toHaveLength(1);
  const [mistake] = mistakes;
  if (mistake === undefined) throw new RangeError('no mistake');
  return mistake;
}

const bank = simulatedService('card bank', ({ effects }) => {
  const closed = new Set<string>();
  return {
    charge(key: string) {
      if (closed.has(key)) throw new Error('closed');
      if (!effects.has(key)) effects.add(key);
      return { charge: `charge-${key}` };
    },
    close(key: string) {
      closed.add(key);
    },
    refund(key: string) {
      closed.add(key);
      effects.remove(key);
    },
  };
});
const usual: Code = {
  perform: (_, { idempotencyKey, signal }) => bank.charge(idempotencyKey, signal),
  undo: ({ performKey }, { signal }) => bank.refund(performKey, signal),
};

test('the callback of a timer that throws is named with its line, and does not end the proof', async () => {
  const { rule, message } = await mistakeOf({
    ...usual,
    async perform(given, call) {
      setTimeout(() => {
        throw new Error('too late');
      }, 10);
      return usual.perform(given, call);
    },
  });
  expect(rule).toBe('code-throws');
  expect(message).toMatch(
    /^A timer of the perform of card for charge of order-1 throws Error: too late: Node ends the process\. at .*odd-mistakes\.test\.ts:\d+/,
  );
}, 180_000);

test.each([0, 1_000])(
  'an agent that tries again without end after its deadline is found, with %d ms between two tries',
  async (waitMs) => {
    const { rule } = await mistakeOf({
      ...usual,
      async perform(_, { idempotencyKey, signal }) {
        for (;;) {
          try {
            return await bank.charge(idempotencyKey, signal);
          } catch {
            if (waitMs > 0)
              await new Promise<void>((resolve) => {
                setTimeout(resolve, waitMs);
              });
          }
        }
      },
    });
    expect(rule).toBe('agent-late');
  },
  60_000,
);

test('the effects at a service are in the story, also where its name has a space', async () => {
  const { rule, shortest } = await mistakeOf({ ...usual, undo: async () => {} });
  expect(rule).toBe('effect-left');
  expect(shortest.story.join('\n')).toContain('card bank takes effect for charge');
}, 180_000);

test.each(['bigint', 'circle'])(
  'an output that is no JSON, a %s, is named as that',
  async (kind) => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const outputs: Readonly<Record<string, unknown>> = { bigint: { charge: 1n }, circle };
    const agent: AgentImplementation = {
      contract: card,
      // @ts-expect-error as a program without types may do
      perform: async () => outputs[kind],
      async undo() {},
    };
    const { rule, message } = await mistakeBy(agent);
    expect(rule).toBe('never-processed');
    expect(message).toContain('not JSON');
  },
  60_000,
);

test.each([
  [
    'an effect before any request',
    () =>
      simulatedService('shop', ({ effects }) => {
        effects.add('first');
        return { charge: (key: string) => ({ charge: key }) };
      }),
    'uses `effects` or `refuses` before any request',
  ],
  [
    'no methods',
    () => {
      const nothing: unknown = undefined;
      // @ts-expect-error as a program without types may do
      const made: { charge(key: string): { charge: string } } = nothing;
      return simulatedService('shop', () => made);
    },
    'returns no object of methods',
  ],
] as const)(
  'a model with %s is named as what is wrong',
  async (_, serviceOf, what) => {
    const service = serviceOf();
    const { message } = await mistakeOf({
      perform: (_, { idempotencyKey, signal }) => service.charge(idempotencyKey, signal),
      async undo() {},
    });
    expect(message).toContain(`The model of shop ${what}`);
  },
  60_000,
);
