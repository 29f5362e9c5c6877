/** The endpoints that one of several instances of an agent has ejected. */
import { expect, test } from 'vitest';
import type { Ejection } from '#core/flow/endpoint-member.ts';
import { sharedEjections } from '#distributed/shared-ejections.ts';
import { ejectionsContract } from '../contracts/ejections.ts';
import { testLog } from '../support/log.ts';
import { memoryEjections } from '../support/memory-ejections.ts';
import { virtualClock } from '../support/virtual-clock.ts';

ejectionsContract('the table of the simulator', async () => memoryEjections());

function scenario() {
  const ejections = memoryEjections();
  const clock = virtualClock();
  const log = testLog();
  const instance = () => sharedEjections({ agent: 'paint', ejections, clock, log });
  const north: Ejection = { url: 'north', until: clock.now() + 5_000, count: 1 };
  return { ejections, clock, log, instance, north };
}

test('an instance learns of what another has ejected at its next failed call', async () => {
  const { instance, north } = scenario();
  const [one, other] = [instance(), instance()];
  one.ejected(north);
  await one.stored();
  const adopted: Ejection[] = [];
  other.failed((others) => adopted.push(...others));
  await other.stored();
  expect(adopted).toEqual([north]);
});

test('failed calls read at most once per second, also after the clock was set back', async () => {
  const { ejections, clock, instance } = scenario();
  const one = instance();
  const fail = async (count: number) => {
    for (let at = 0; at < count; at += 1) one.failed(() => {});
    await one.stored();
    return ejections.counts.reads;
  };
  expect(await fail(5)).toBe(1);
  await clock.advance(999);
  expect(await fail(5)).toBe(1);
  await clock.advance(1);
  expect(await fail(5)).toBe(2);
  clock.jump(-60_000);
  expect(await fail(5)).toBe(3);
});

test('a store that gives no answer is logged, and the next call is made', async () => {
  const { ejections, clock, log, instance, north } = scenario();
  const one = instance();
  ejections.fail(true);
  one.ejected(north);
  one.failed(() => {});
  await one.stored();
  const fields = { agent: 'paint', error: 'UnavailableError' };
  expect(log.lines).toEqual([
    { event: 'ejections-unavailable', fields },
    { event: 'ejections-unavailable', fields },
  ]);
  ejections.fail(false);
  await clock.advance(1_000);
  one.ejected(north);
  const adopted: Ejection[] = [];
  one.failed((others) => adopted.push(...others));
  await one.stored();
  expect(adopted).toEqual([north]);
});
