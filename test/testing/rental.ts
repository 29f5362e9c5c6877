/** A workflow of five steps whose agents are written as users write them, and the mistakes that a test plants in them. */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent, PermanentFault } from '#ports/agent-implementation.ts';
import type { ProofOptions } from '#testing/prove/proof.ts';
import { simulatedService } from '#testing/prove/simulated-service.ts';
import { soundAgent } from '#testing/prove/sound-agent.ts';

/** Each with what the code of the agent `payment` does wrong. */
export const slips = {
  'undo swallows': 'returns from `undo` as if it had succeeded when the bank fails',
  'undo swallows a branch': 'does so for the second of two requests',
  'undo trusts the output': 'undoes nothing when the output is null',
  'undo reads the output': 'fails when the output is null',
  'undo needs an effect': 'fails when there is nothing to undo',
  'undo gives twice': 'refunds again when it is repeated',
  'perform swallows': 'returns an output that it has invented when the bank fails',
  'perform swallows a branch': 'ignores that the second of two requests has failed',
  'effect denied': 'says that there is no effect when no answer came',
  'key of each retry': 'retries by itself, with another key each time',
  'one key for two steps': 'passes the id of the order as the key',
  'state of the module': 'remembers in a variable what it has charged, and undoes nothing else',
  'fault held': 'has a step that stops in Error where the bank refuses for good',
  'key by details': 'passes a key that another order may have as well',
} as const;

export type Slip = keyof typeof slips;

const seconds = (count: number) => count * 1_000;

const garage = defineAgent({
  name: 'garage',
  input: z.strictObject({ car: z.string() }),
  output: z.strictObject({ place: z.string() }),
  undo: 'offered',
});
const payment = defineAgent({
  name: 'payment',
  input: z.strictObject({ cents: z.int() }),
  output: z.strictObject({ charge: z.string() }),
  undo: 'offered',
});
const desk = defineAgent({
  name: 'desk',
  input: z.strictObject({ charge: z.string() }),
  output: z.strictObject({ handover: z.string() }),
  undo: 'offered',
});

const letter = defineAgent({
  name: 'letter',
  input: z.strictObject({ handover: z.string() }),
  output: z.strictObject({ sent: z.boolean() }),
  undo: 'unneeded',
});

const rentalOf = (slip: Slip | null) =>
  defineWorkflow({
    name: 'rental',
    version: 1,
    details: z.strictObject({ car: z.string(), cents: z.int() }),
  })
    .step('reserve', {
      agent: garage,
      input: ({ details: { car } }) => ({ car }),
      completeWithin: seconds(10),
    })
    .step('pay', {
      agent: payment,
      after: ['reserve'],
      input: ({ details: { cents } }) => ({ cents }),
      completeWithin: seconds(10),
      ...(slip === 'fault held' && { onFault: 'hold' }),
    })
    .step('deposit', {
      agent: payment,
      after: ['reserve'],
      input: ({ details: { cents } }) => ({ cents: 2 * cents }),
      completeWithin: seconds(10),
    })
    .step('hand-over', {
      agent: desk,
      after: ['pay', 'deposit'],
      input: ({ outputs: { pay } }) => ({ charge: pay.charge }),
      completeWithin: seconds(10),
    })
    .step('write', {
      agent: letter,
      after: ['hand-over'],
      input: ({ outputs }) => outputs['hand-over'],
      completeWithin: seconds(10),
    })
    .build();

/** The bank: a charge and a receipt for it, both found by key. */
const bankOf = (slip: Slip | null) =>
  simulatedService('bank', ({ effects, refuses }) => {
    const closed = new Set<string>();
    let credits = 0;
    return {
      charge(key: string, cents: number) {
        if (slip === 'fault held' && cents > 2_000) closed.add(key);
        if (!effects.has(key) && !closed.has(key) && refuses()) closed.add(key);
        if (closed.has(key)) throw new PermanentFault('declined', 'The bank refuses.', 'none');
        if (!effects.has(key)) effects.add(key);
        return { id: `charge of ${key}` };
      },
      file(key: string) {
        if (closed.has(key)) throw new PermanentFault('closed', 'It is withdrawn.', 'possible');
        if (!effects.has(key)) effects.add(key);
      },
      refund(key: string) {
        if (slip === 'undo needs an effect' && !effects.has(key))
          throw new PermanentFault('unknown', 'There is no such charge.', 'none');
        closed.add(key);
        effects.remove(key);
      },
      /** Money for the customer, whatever was charged. */
      credit(key: string) {
        closed.add(key);
        if (effects.has(key)) {
          effects.remove(key);
          return;
        }
        credits += 1;
        effects.add(`credit-${credits}`);
      },
    };
  });

function paymentAgent(slip: Slip | null) {
  const bank = bankOf(slip);
  const charged = new Set<string>();
  const isSlip = (one: Slip) => slip === one;

  async function charge(key: string, cents: number, signal: AbortSignal) {
    const { id } = await bank.charge(key, cents, signal);
    return id;
  }

  async function retried(key: string, cents: number, signal: AbortSignal) {
    try {
      return await charge(`${key}-1`, cents, signal);
    } catch (error) {
      if (error instanceof PermanentFault || signal.aborted) throw error;
      return charge(`${key}-2`, cents, signal);
    }
  }

  return implementAgent(payment, {
    async perform({ cents }, { idempotencyKey, orderId, signal }) {
      let key: string = idempotencyKey;
      if (isSlip('one key for two steps')) key = orderId;
      if (isSlip('key by details')) key = `${idempotencyKey.split('/')[1]}-${cents}`;
      charged.add(key);
      try {
        const id = isSlip('key of each retry')
          ? await retried(key, cents, signal)
          : await charge(key, cents, signal);
        await bank.file(`${key}-receipt`, signal).catch((error: unknown) => {
          if (!isSlip('perform swallows a branch') || error instanceof PermanentFault) throw error;
        });
        return { charge: id };
      } catch (error) {
        const isRefused = error instanceof PermanentFault;
        if (isSlip('perform swallows') && !isRefused) return { charge: 'unknown' };
        if (isSlip('effect denied') && !isRefused)
          throw new PermanentFault('failed', 'The charge has failed.', 'none', error);
        throw error;
      }
    },
    async undo({ performKey, input, output }, { orderId, signal }) {
      let key: string = performKey;
      if (isSlip('one key for two steps')) key = orderId;
      if (isSlip('key by details')) key = `${performKey.split('/')[1]}-${input.cents}`;
      if (isSlip('state of the module') && !charged.has(key)) return;
      if (isSlip('undo trusts the output') && output === null) return;
      if (isSlip('undo reads the output') && output === null)
        throw new TypeError("Cannot read properties of null (reading 'charge')");
      const undone = async () => {
        if (isSlip('undo gives twice')) return bank.credit(key, signal);
        if (isSlip('key of each retry')) {
          await bank.refund(`${key}-1`, signal);
          return bank.refund(`${key}-2`, signal);
        }
        return bank.refund(key, signal);
      };
      const withdrawn = () => bank.refund(`${key}-receipt`, signal);
      await (isSlip('undo swallows') ? undone().catch(() => {}) : undone());
      await (isSlip('undo swallows') || isSlip('undo swallows a branch')
        ? withdrawn().catch(() => {})
        : withdrawn());
    },
  });
}

/** The proof of the workflow, with a slip planted in it; null: without. */
export const rentalProof = (slip: Slip | null): ProofOptions => ({
  workflows: [rentalOf(slip)],
  orders: (draw) => ({ car: draw.pick(['van', 'coupé']), cents: draw.between(1, 3) * 1_000 }),
  agents: [
    soundAgent(garage, ({ car }) => ({ place: car })),
    paymentAgent(slip),
    soundAgent(desk, ({ charge }) => ({ handover: charge })),
    soundAgent(letter, () => ({ sent: true })),
  ],
});
