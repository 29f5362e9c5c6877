/** What a proof refuses before it runs, in code without types. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { DefinitionError } from '#core/model/errors.ts';
import { ProofError } from '#testing/prove/orders/proof-error.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { prove } from '#testing/prove/prove.ts';
import { SimulatedServiceError } from '#testing/prove/service-model.ts';
import { simulatedService } from '#testing/prove/simulated-service.ts';
import { soundAgent } from '#testing/prove/sound-agent.ts';
import { tripProof } from './trip.ts';

const call = (code: unknown, ...given: readonly unknown[]) => {
  if (typeof code !== 'function') throw new RangeError('no function');
  return () => Reflect.apply(code, null, given);
};

test('a sound agent without a function says what to write', () => {
  const object = z.object({});
  const payment = defineAgent({ name: 'payment', input: object, output: object, undo: 'unneeded' });
  const make = call(soundAgent, payment, { chargeId: 'c1' });
  expect(make).toThrow(SimulatedServiceError);
  expect(make).toThrow(/payment is no function: .* \(\) => \(\{"chargeId":"c1"\}\)/);
});

test('a simulated service without a function is refused', () => {
  const make = call(simulatedService, 'bank', { charge() {} });
  expect(make).toThrow(SimulatedServiceError);
  expect(make).toThrow(/bank is no function/);
});

test('a proof without orders, and one whose workflows are no list, are refused with what is missing', () => {
  const { orders: _, ...others } = tripProof(null);
  expect(call(defineProof, others)).toThrow(ProofError);
  expect(call(defineProof, others)).toThrow(/`orders` must be a function/);
  const [workflow] = others.workflows;
  const wrong = { ...tripProof(null), workflows: workflow };
  expect(call(defineProof, wrong)).toThrow(DefinitionError);
  expect(call(defineProof, wrong)).toThrow(/^defineProof: .*workflows/);
  expect(call(defineProof, {})).toThrow(DefinitionError);
});

test('a misspelt option of a proof is refused', () => {
  const make = call(defineProof, { ...tripProof(null), seed: 7 });
  expect(make).toThrow(DefinitionError);
  expect(make).toThrow(/^defineProof: .*`seed`/);
});

const good = { to: 'Oslo', nights: 2, spa: false };

test.each<[string, () => unknown, string]>([
  ['an instant', () => ({ ...good, at: new Date(0) }), '`details.at` must be JSON'],
  ['a bigint', () => ({ ...good, nights: 2n }), '`details.nights` must be JSON'],
  ['a promise', async () => good, '`details` must be JSON'],
  ['other details', () => ({ ...good, nights: 0 }), 'does not accept'],
])('orders that return %s are refused with the field', (_, orders, message) => {
  const make = call(defineProof, { ...tripProof(null), orders });
  expect(make).toThrow(expect.objectContaining({ name: 'ProofError', code: 'details-invalid' }));
  expect(make).toThrow(message);
});

/** Right for a time, such as one whose list of names ends. */
const rightFor = (count: number, then: () => unknown) => {
  let calls = 0;
  return () => {
    calls += 1;
    return calls > count ? then() : good;
  };
};

test.each<[string, () => unknown, string, string]>([
  ['returns other details', () => ({ ...good, nights: 0 }), 'details-invalid', 'nights'],
  ['returns a bigint', () => ({ ...good, nights: 2n }), 'details-invalid', 'nights'],
  [
    'throws',
    () => {
      throw new RangeError('no more names');
    },
    'orders-invalid',
    'throws RangeError for workflow trip@1: no more names',
  ],
])(
  'a function `orders` that %s in a world ends the proof: it is no mistake of Reeve',
  async (_, then, code, message) => {
    const proof = { ...tripProof(null), orders: rightFor(25, then), seeds: 3 };
    await expect(prove(Object(proof))).rejects.toMatchObject({
      name: 'ProofError',
      code,
      message: expect.stringContaining(message),
    });
  },
);
