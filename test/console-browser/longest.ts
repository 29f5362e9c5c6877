/** What has the longest names and words that Reeve accepts, none of which can be broken between words. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { limits } from '#core/model/limits.ts';
import { type AgentImplementation, PermanentFault } from '#ports/agent-implementation.ts';
import { orderDetailsSchema } from '#workflows/order-details.ts';

/** Hexadecimal digits, as hashes have them. */
const digits = (length: number) => '7f3a9c05'.repeat(length / 8 + 1).slice(0, length);
const nameOf = (what: string) => `${what}-${digits(39 - what.length)}`;

export const longest = {
  workflow: nameOf('workflow'),
  tenant: digits(limits.tenantLengthMax),
  correlationId: digits(limits.correlationIdLengthMax),
  code: digits(limits.faultCodeLengthMax),
  orderId: digits(64),
};

const options = {
  input: z.object({ customer: z.string() }),
  output: z.object({}),
  undo: 'unneeded',
  limits: { [nameOf('limit')]: { rate: { count: 10_000, per: 86_400_000 }, atOnce: 10_000 } },
} as const;
const agent = defineAgent({ name: nameOf('agent'), ...options });
const pool = definePool({
  name: digits(20).replace(/^./, 'p'),
  ...options,
  members: { a: {}, b: {} },
});

export const longestWorkflow = defineWorkflow({
  name: longest.workflow,
  version: 1,
  details: orderDetailsSchema,
})
  .step(nameOf('step'), {
    agent,
    onFault: 'hold',
    input: () => ({ customer: digits(500) }),
  })
  .step(nameOf('other'), {
    agent: pool,
    after: [nameOf('step')],
    onFault: 'hold',
    input: () => ({ customer: digits(500) }),
  })
  .build();

/** Each of them refuses every call. */
export const longestAgents: readonly AgentImplementation[] = [
  agent,
  pool.member('a'),
  pool.member('b'),
].map((contract) => ({
  contract,
  endpoints: [
    { url: `https://${digits(60)}.example/${digits(100)}` },
    { url: 'https://b.example' },
  ],
  async perform() {
    throw new PermanentFault(longest.code, digits(limits.faultMessageLengthMax), 'none');
  },
}));
