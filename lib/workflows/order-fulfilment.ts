/**
 * The shipped workflow: screen and reserve at once, then charge, then ship.
 *
 *     screen ──┐
 *              ├─ charge ── ship
 *     reserve ─┘
 */
import { defineWorkflow } from '#core/definition/workflow.ts';
import { fraud, inventory, payment, shipping } from './order-contracts.ts';
import { amountCents, orderDetailsSchema } from './order-details.ts';

const seconds = (count: number) => count * 1_000;

/** Version 1 of the shipped workflow. */
export const orderFulfilment = defineWorkflow({
  name: 'order-fulfilment',
  version: 1,
  details: orderDetailsSchema,
})
  .step('screen', {
    agent: fraud,
    completeWithin: seconds(3),
    retries: 2,
    coolDown: { after: seconds(5), times: 2 },
    input: ({ orderId, details }) => ({
      orderId,
      customer: details.customer,
      amountCents: amountCents(details),
      currency: details.currency,
    }),
  })
  .step('reserve', {
    agent: inventory,
    completeWithin: seconds(2),
    retries: 1,
    coolDown: { after: seconds(5), times: 1 },
    // When the warehouse does not answer, an operator should call it before customers are refused.
    onExhausted: 'hold',
    input: ({ orderId, details }) => ({
      orderId,
      lines: details.lines.map(({ sku, quantity }) => ({ sku, quantity })),
    }),
  })
  .step('charge', {
    agent: payment,
    after: ['screen', 'reserve'],
    completeWithin: seconds(5),
    retries: 3,
    coolDown: { after: seconds(10), times: 3 },
    input: ({ orderId, details }) => ({
      orderId,
      amountCents: amountCents(details),
      currency: details.currency,
      token: details.payment.token,
    }),
  })
  .step('ship', {
    agent: shipping,
    after: ['reserve', 'charge'],
    completeWithin: seconds(5),
    retries: 5,
    coolDown: { after: seconds(10), times: 5 },
    // The goods are paid for and reserved, so an operator asks the customer for another address.
    onFault: 'hold',
    irreversible: true,
    input: ({ orderId, details, outputs }) => ({
      orderId,
      reservationId: outputs.reserve.reservationId,
      shipTo: details.shipTo,
    }),
  })
  .build();
