/** What a proof refuses before it runs, in code without types. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { DefinitionError } from '#core/model/errors.ts';
import { defineProof, ProofError } from '#testing/prove/proof.ts';
import { SimulatedServiceError, simulatedService } from '#testing/prove/simulated-service.ts';
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
