import { expect, onTestFinished, test, vi } from 'vitest';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import { cockatielBreaker } from '#runtime/node/cockatiel-breaker.ts';

function fakeDate(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

const fails = async () => {
  throw new TransientFault('http-503', 'down');
};
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof TransientFault ? error.code : 'other'),
  );

/** Fails often enough and long enough to open a circuit breaker. */
async function breakIt(breaker: ReturnType<typeof cockatielBreaker>): Promise<void> {
  for (let at = 0; at < 40; at += 1) {
    await codeOf(breaker.run(fails));
    vi.advanceTimersByTime(200);
  }
}

test('after repeated failures the circuit opens, and later lets one call through', async () => {
  fakeDate();
  const breaker = cockatielBreaker('payment');
  let calls = 0;
  const count = async () => {
    calls += 1;
  };
  expect(breaker.state?.()).toBe('closed');
  await breakIt(breaker);
  while ((await codeOf(breaker.run(fails))) !== 'circuit-open') vi.advanceTimersByTime(50);
  expect(await codeOf(breaker.run(count))).toBe('circuit-open');
  expect(calls).toBe(0);
  expect(breaker.state?.()).toBe('open');
  vi.advanceTimersByTime(1_001);
  expect(await codeOf(breaker.run(count))).toBe('answered');
  expect(await codeOf(breaker.run(count))).toBe('answered');
  expect(calls).toBe(2);
  expect(breaker.state?.()).toBe('closed');
});

test('permanent refusals do not open the circuit, because the service works', async () => {
  fakeDate();
  const breaker = cockatielBreaker('payment');
  const declines = async () => {
    throw new PermanentFault('declined', 'no', 'none');
  };
  for (let at = 0; at < 60; at += 1) {
    await expect(breaker.run(declines)).rejects.toThrow(PermanentFault);
    vi.advanceTimersByTime(100);
  }
  expect(await codeOf(breaker.run(async () => 'well'))).toBe('answered');
});
