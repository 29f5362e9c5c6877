/** What one instance has read or noted is old when its clock is set back by an hour, and not new until the clock has caught up. */
import { expect, test } from 'vitest';
import { workflowRegistry } from '#core/definition/registry.ts';
import { orderId } from '#core/model/ids.ts';
import { circuitCopy } from '#distributed/circuit-copy.ts';
import { nextHeld } from '#distributed/next-held.ts';
import { isOlder } from '#distributed/read-age.ts';
import { requestFlow } from '#distributed/request-flow.ts';
import { sharedAdmission } from '#distributed/shared-admission.ts';
import { testLog } from '../support/log.ts';
import { memoryCircuits } from '../support/memory-circuits.ts';
import { house } from '../support/orders.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const second = 1_000;
const hour = 3_600 * second;

test('the backlog is read again', async () => {
  const clock = virtualClock();
  let reads = 0;
  const door = sharedAdmission({
    report: {
      async read() {
        reads += 1;
        return null;
      },
      async store() {},
    },
    ...{ flowOf: () => '-', sweepPeriodMs: 60 * second, backlogMaxMs: 120 * second },
    ...{ clock, log: testLog(), registry: workflowRegistry([house]) },
  });
  const ask = () => door.ask({ workflow: 'house', priority: 'normal', tenant: null });
  for (let asked = 0; asked < 20; asked += 1) await ask();
  const before = reads;
  clock.jump(-hour);
  for (let asked = 0; asked < 20; asked += 1) await ask();
  expect(reads).toBe(before + 1);
});

test('so are the circuit and the number of requests that wait', async () => {
  const clock = virtualClock();
  const of = { agent: 'paint', clock, log: testLog() };
  const copy = circuitCopy({ ...of, instance: 'one', circuits: memoryCircuits() });
  const flow = requestFlow({ ...of, backlog: { of: async () => ({ waiting: 3, inFlight: 3 }) } });
  await copy.read();
  await flow.read();
  expect([copy.isStale(), flow.isStale()]).toEqual([false, false]);
  clock.jump(-hour);
  expect([copy.isStale(), flow.isStale()]).toEqual([true, true]);
});

test('an order that was taken is next again', async () => {
  const clock = virtualClock();
  const waiting = { orderId: orderId('one'), flow: '-', queue: null };
  const next = nextHeld({
    index: {
      waiting: async (_, priority, __, after) =>
        priority === 'normal' && after === null ? [waiting] : [],
    },
    clock,
  });
  expect((await next.of('paint', 1)).orders).toHaveLength(1);
  expect((await next.of('paint', 1)).orders).toHaveLength(0);
  clock.jump(-hour);
  expect((await next.of('paint', 1)).orders).toHaveLength(1);
});

const start = virtualClock().now();
test.each([
  [start, false],
  [start + second - 1, false],
  [start + second, true],
  [start - 1, true],
  [start - hour, true],
])('what was read at %#', (nowMs, isOld) => {
  expect(isOlder(start, second, nowMs)).toBe(isOld);
});
