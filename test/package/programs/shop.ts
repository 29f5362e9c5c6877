import { defineAgent, defineWorkflow, implementAgent, PermanentFault } from 'reeve';
import { startLocalReeve } from 'reeve/local';
import * as z from 'zod';

const payment = defineAgent({
  name: 'payment',
  input: z.object({ cents: z.int() }),
  output: z.object({ chargeId: z.string() }),
  undo: 'offered',
});
export const shop = defineWorkflow({
  name: 'shop',
  version: 1,
  details: z.object({ cents: z.int(), currency: z.string().default('EUR') }),
})
  .step('charge', { agent: payment, input: ({ details }) => ({ cents: details.cents }) })
  .build();

const paymentAgent = implementAgent(payment, {
  async perform({ cents }, { idempotencyKey }) {
    if (cents > 1_000) throw new PermanentFault('declined', 'The card is declined.', 'none');
    return { chargeId: `charge of ${idempotencyKey.length > 0 ? cents : 0}` };
  },
  async undo() {},
});

const reeve = await startLocalReeve({ workflows: [shop], agents: [paymentAgent] });
const order = await reeve.submit(shop, { cents: 500 });
const result = await order.result();
if (result.state === 'Processed') console.log(result.state, result.outputs.charge.chargeId);
const declined = await reeve.submit(shop, { cents: 5_000 });
const undone = await declined.result();
if (undone.state === 'Undone') console.log(undone.state, undone.fault?.code);
reeve.close();
