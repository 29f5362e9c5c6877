/** Since when messages wait, measured on one of them. */
import { expect, test } from 'vitest';
import { waitSample } from '#in-process/channels/wait-sample.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

test('the measured message waits until it is taken, and the next one is measured', async () => {
  const clock = virtualClock();
  const began = clock.now();
  const waits = waitSample<string>(clock);
  expect(waits.since()).toBeNull();
  waits.sent('a');
  await clock.advance(10);
  waits.sent('b');
  expect(waits.since()).toBe(began);
  waits.taken(['c'], false);
  expect(waits.since()).toBe(began);
  waits.taken(['b', 'a'], false);
  expect(waits.since()).toBeNull();
  waits.sent('d');
  expect(waits.since()).toBe(began + 10);
});

test('a message that another one with its key replaced is taken with it', () => {
  const waits = waitSample<{ key: string; number: number }>(virtualClock(), ({ key }) => key);
  waits.sent({ key: 'a', number: 1 });
  waits.taken([{ key: 'a', number: 2 }], false);
  expect(waits.since()).toBeNull();
});

test('nothing waits in an empty queue', () => {
  const waits = waitSample<string>(virtualClock());
  waits.sent('a');
  waits.taken(['b'], true);
  expect(waits.since()).toBeNull();
});
