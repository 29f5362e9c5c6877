/** The order of the bill: three steps in sequence, whose agents have limits or none. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import type { LimitAmount } from '#core/definition/agent-limit.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';

type Limits = Readonly<Record<string, LimitAmount>>;

const contract = <const Name extends string>(name: Name, limits: Limits = {}) =>
  defineAgent({
    name,
    input: z.object({ orderId: z.string(), amountCents: z.int() }),
    output: z.object({ reference: z.string() }),
    undo: 'offered',
    limits,
  });
export const reserve = contract('reserve');
export const charge = contract('charge');
export const ship = contract('ship');

const usual = { completeWithin: 20_000, retries: 2, coolDown: { after: 60_000, times: 2 } };

/**
 * @param limits of each of its agents
 * @param changed what differs from the policy of the bill's order, of each step
 */
export const threeSteps = (limits?: Limits, changed: Partial<typeof usual> = {}) => {
  const policy = { ...usual, ...changed };
  return defineWorkflow({
    name: 'three-steps',
    version: 1,
    details: z.object({
      amountCents: z.int(),
      customer: z.string(),
      address: z.string(),
      note: z.string().optional(),
    }),
  })
    .step('reserve', {
      agent: contract('reserve', limits),
      ...policy,
      input: ({ orderId, details }) => ({ orderId, amountCents: details.amountCents }),
    })
    .step('charge', {
      agent: contract('charge', limits),
      after: ['reserve'],
      ...policy,
      input: ({ orderId, details }) => ({ orderId, amountCents: details.amountCents }),
    })
    .step('ship', {
      agent: contract('ship', limits),
      after: ['charge'],
      ...policy,
      input: ({ orderId, details }) => ({ orderId, amountCents: details.amountCents }),
    })
    .build();
};

export const workflows = [threeSteps()];
