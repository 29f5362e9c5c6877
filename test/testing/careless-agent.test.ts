/** `prove` on agents whose code would end the process, or never does anything. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { type AgentCode, implementAgent, PermanentFault } from '#ports/agent-implementation.ts';
import { NotProvenError } from '#testing/prove/proof-report.ts';
import { prove } from '#testing/prove/prove.ts';
import { simulatedService } from '#testing/prove/simulated-service.ts';

const input = z.strictObject({ cents: z.int() });
const output = z.strictObject({ charge: z.string() });
const card = defineAgent({ name: 'card', input, output, undo: 'offered' });
const sale = defineWorkflow({ name: 'sale', version: 1, details: input })
  .step('charge', { agent: card, input: ({ details }) => details })
  .build();

const bank = simulatedService('bank', ({ effects }) => ({
  charge(key: string) {
    if (!effects.has(key)) effects.add(key);
    return { charge: `charge-${key}` };
  },
  refund(key: string) {
    effects.remove(key);
  },
}));

type Code = AgentCode<z.infer<typeof input>, z.infer<typeof output>, 'offered'>;

const ruleOf = async (code: Code) => {
  const proof = {
    workflows: [sale],
    orders: () => ({ cents: 5 }),
    agents: [implementAgent(card, code)],
    seeds: 40,
  };
  const error = await prove(proof).catch((reason: unknown) => reason);
  if (!(error instanceof NotProvenError)) throw error;
  return error.report.mistakes.map(({ rule }) => rule);
};

test('a call without `await` is a mistake, and does not end the process', async () => {
  const before = process.listeners('unhandledRejection');
  const rules = await ruleOf({
    perform: (_, { idempotencyKey, signal }) => bank.charge(idempotencyKey, signal),
    async undo({ performKey }, { signal }) {
      void bank.refund(performKey, signal);
    },
  });
  expect(rules).toHaveLength(1);
  expect(['not-awaited', 'effect-left']).toContain(rules[0]);
  expect(process.listeners('unhandledRejection')).toEqual(before);
}, 180_000);

test('orders that always fail prove nothing', async () => {
  const rules = await ruleOf({
    async perform() {
      throw new PermanentFault('no', 'Never.', 'none');
    },
    async undo() {},
  });
  expect(rules).toEqual(['never-processed']);
}, 180_000);
