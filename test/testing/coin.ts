/** Small workflows and agents, of which tests of proofs make what they need. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent } from '#ports/agent-implementation.ts';
import type { Draw } from '#testing/prove/orders/drawn-details.ts';
import { simulatedService } from '#testing/prove/simulated-service.ts';
import { soundAgent } from '#testing/prove/sound-agent.ts';

export const coins = z.strictObject({ coins: z.int() });

const coinAgent = (name: string) =>
  defineAgent({ name, input: coins, output: coins, undo: 'offered' });

export const mint = coinAgent('mint');
export const press = coinAgent('press');

export const soundMint = soundAgent(mint, (input) => input);
export const soundPress = soundAgent(press, (input) => input);

const bank = simulatedService('bank', ({ effects }) => ({
  pay(key: string) {
    if (!effects.has(key)) effects.add(key);
  },
}));

/** Its undo does nothing. */
export const forgetfulPress = implementAgent(press, {
  async perform(input, { idempotencyKey, signal }) {
    await bank.pay(idempotencyKey, signal);
    return input;
  },
  async undo() {},
});

/** One step. */
export const coinWorkflow = (version: number, agent = mint, name = 'coin') =>
  defineWorkflow({ name, version, details: coins })
    .step('make', { agent, input: ({ details }) => details })
    .build();

/** Its second step is never performed: no order has as many coins. */
export const withIdleStep = defineWorkflow({ name: 'coin', version: 1, details: coins })
  .step('make', { agent: mint, input: ({ details }) => details })
  .step('stamp', {
    agent: press,
    after: ['make'],
    when: ({ details }) => details.coins > 9,
    input: ({ details }) => details,
  })
  .build();

export const coinOrders = (draw: Draw) => ({ coins: draw.between(1, 9) });
