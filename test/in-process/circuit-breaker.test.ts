/** What one process makes of the circuit of a service: its calls, and how they end. */
import { expect, test } from 'vitest';
import { type CircuitBreaker, circuitBreaker } from '#in-process/circuit-breaker.ts';
import { call } from '../support/agent-requests.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

/** Half-open, with the request as its probe. */
async function probing(): Promise<{ circuit: CircuitBreaker; clock: VirtualClock }> {
  const clock = virtualClock();
  const circuit = circuitBreaker(clock);
  for (const order of ['a', 'b', 'a', 'b', 'a']) circuit.call(call(order))?.failed();
  expect(circuit.state()).toBe('open');
  await clock.advance(1_000);
  expect(circuit.admits(call('a').idempotencyKey)).toBe(true);
  expect(circuit.state()).toBe('half-open');
  return { circuit, clock };
}

test('a request that was delivered twice makes one probe (R27)', async () => {
  const { circuit } = await probing();
  expect(circuit.call(call('a'))).not.toBeNull();
  expect(circuit.call(call('a'))).toBeNull();
});

test('the end of its other delivery lets no other step probe while the probe is in flight (R27)', async () => {
  const { circuit } = await probing();
  const probe = circuit.call(call('a'));
  circuit.ended(call('a').idempotencyKey);
  expect(circuit.admits(call('b').idempotencyKey)).toBe(false);
  probe?.answered();
  expect(circuit.state()).toBe('recovering');
});

test('after a probe that failed, the next one makes a call', async () => {
  const { circuit, clock } = await probing();
  circuit.call(call('a'))?.failed();
  await clock.advance(2_000);
  expect(circuit.admits(call('b').idempotencyKey)).toBe(true);
  expect(circuit.call(call('b'))).not.toBeNull();
});
