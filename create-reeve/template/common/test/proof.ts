/** `npm run prove` runs the workflow and the code of the payment agent in simulated worlds with faults. */
import { PermanentFault } from 'reeve';
import { defineProof, simulatedService, soundAgent } from 'reeve/testing';
import { paymentAgentOf } from '../src/agents.ts';
import { shop, stock } from '../src/workflow.ts';

/** The bank, as its documentation describes it. */
const bank = simulatedService('bank', ({ effects, refuses }) => {
  const closed = new Set<string>();
  return {
    charge(key: string, _cents: number) {
      if (!effects.has(key) && refuses()) closed.add(key);
      if (closed.has(key)) throw new PermanentFault('declined', 'The bank refuses.', 'none');
      if (!effects.has(key)) effects.add(key);
      return { id: `charge-${key}` };
    },
    refund(key: string) {
      closed.add(key);
      effects.remove(key);
    },
  };
});

export const proof = defineProof({
  workflows: [shop],
  agents: [paymentAgentOf(bank), soundAgent(stock, () => ({ shelf: '3' }))],
  orders: (draw) => ({ article: draw.pick(['teapot', 'vase']), cents: draw.between(1, 9_999) }),
});
