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

test('a circuit that was open in the former process has a probe at once, and is reported as open since then', async () => {
  const clock = virtualClock();
  let changes = 0;
  const circuit = circuitBreaker(clock, () => {
    changes += 1;
  });
  const since = clock.now() - 60_000;
  circuit.call(call('a'))?.failed();
  circuit.inherit(since);
  circuit.inherit(since - 1);
  expect([circuit.state(), circuit.openSince(), changes]).toEqual(['open', since, 1]);
  expect(circuit.admitsAt()).toBe(clock.now());
  expect(circuit.admits(call('b').idempotencyKey)).toBe(true);
  expect(circuit.admits(call('c').idempotencyKey)).toBe(false);
  circuit.call(call('b'))?.answered();
  expect(circuit.state()).toBe('recovering');
});

test('a circuit is not inherited by a process whose calls are answered, and never opens in the future', () => {
  const clock = virtualClock();
  const answered = circuitBreaker(clock);
  answered.call(call('a'))?.answered();
  answered.inherit(clock.now());
  expect(answered.state()).toBe('closed');
  const circuit = circuitBreaker(clock);
  circuit.inherit(clock.now() + 60_000);
  expect(circuit.openSince()).toBe(clock.now());
});

test('a step was a failed probe once, and not in the next outage', async () => {
  const { circuit, clock } = await probing();
  const [a, b] = [call('a').idempotencyKey, call('b').idempotencyKey];
  circuit.call(call('a'))?.failed();
  expect([circuit.takeFailedProbe(b), circuit.takeFailedProbe(a)]).toEqual([false, true]);
  expect(circuit.takeFailedProbe(a)).toBe(false);
  await clock.advance(2_000);
  circuit.admits(b);
  circuit.ended(b);
  circuit.admits(a);
  circuit.call(call('a'))?.answered();
  expect(circuit.takeFailedProbe(b)).toBe(false);
});
