/** The agents call the services with the idempotency key of the step. Reeve retries, waits and undoes. */
import { implementAgent } from 'reeve';
import { type Bank, memoryBank, memoryWarehouse, type Warehouse } from './services.ts';
import { payment, stock } from './workflow.ts';

export const paymentAgentOf = (bank: Bank) =>
  implementAgent(payment, {
    async perform({ cents }, { idempotencyKey, signal }) {
      const { id } = await bank.charge(idempotencyKey, cents, signal);
      return { chargeId: id };
    },
    undo: ({ performKey }, { signal }) => bank.refund(performKey, signal),
  });

export const stockAgentOf = (warehouse: Warehouse) =>
  implementAgent(stock, {
    perform: ({ article }, { idempotencyKey, signal }) =>
      warehouse.reserve(idempotencyKey, article, signal),
    undo: ({ performKey }, { signal }) => warehouse.release(performKey, signal),
  });

export const paymentAgent = paymentAgentOf(memoryBank());
export const stockAgent = stockAgentOf(memoryWarehouse());
