/** The order of the bill: three steps in sequence. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';

const contract = <const Name extends string>(name: Name) =>
  defineAgent({
    name,
    input: z.object({ orderId: z.string(), amountCents: z.int() }),
    output: z.object({ reference: z.string() }),
    undo: 'offered',
  });
export const reserve = contract('reserve');
export const charge = contract('charge');
export const ship = contract('ship');

const policy = { completeWithin: 10_000, retries: 2, coolDown: { after: 60_000, times: 2 } };

export const workflows = [
  defineWorkflow({
    name: 'three-steps',
    version: 1,
    details: z.object({ amountCents: z.int(), customer: z.string(), address: z.string() }),
  })
    .step('reserve', {
      agent: reserve,
      ...policy,
      input: ({ orderId, details }) => ({ orderId, amountCents: details.amountCents }),
    })
    .step('charge', {
      agent: charge,
      after: ['reserve'],
      ...policy,
      input: ({ orderId, details }) => ({ orderId, amountCents: details.amountCents }),
    })
    .step('ship', {
      agent: ship,
      after: ['charge'],
      ...policy,
      input: ({ orderId, details }) => ({ orderId, amountCents: details.amountCents }),
    })
    .build(),
];
