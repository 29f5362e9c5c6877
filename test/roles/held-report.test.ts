/** The log says that orders wait for long: once in a while per agent, however many they are. */
import { expect, test } from 'vitest';
import type { Gate } from '#core/model/hold.ts';
import { heldReport, longHoldMs } from '#roles/recovery/held-report.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const minute = 60_000;

function world() {
  const clock = virtualClock();
  const log = testLog();
  const report = heldReport({ clock, log });
  /** The step `east` of the order, which `paint` performs, has been held since then. */
  const held = (since: number, gate: Gate = 'circuit') => {
    const { record } = newOrder('one', since);
    const hold = { state: 'Held', gate, since, until: since + 1 } as const;
    const steps = record.steps.map((step) =>
      step.name === 'east'
        ? { ...step, progress: { ...hold, before: { state: 'NotStarted' } as const } }
        : step,
    );
    report({ ...record, steps, isHeld: true });
  };
  return { clock, log, report, held };
}

test('a hold is reported from 15 minutes on, once in five minutes for its agent', async () => {
  const { clock, log, held } = world();
  const since = clock.now();
  await clock.advance(longHoldMs - 1);
  held(since);
  expect(log.lines).toEqual([]);
  await clock.advance(1);
  held(since);
  held(since - minute);
  await clock.advance(5 * minute - 1);
  held(since);
  const fields = { agent: 'paint', gate: 'circuit', heldMs: longHoldMs };
  expect(log.lines).toEqual([{ event: 'held-for-long', fields }]);
  await clock.advance(1);
  held(since);
  expect(log.lines).toHaveLength(2);
});

test('an order that waits for nothing is not reported', () => {
  const { log, report, clock } = world();
  report(newOrder('one', clock.now() - longHoldMs).record);
  expect(log.lines).toEqual([]);
});

test('a clock that was set back does not silence the report', async () => {
  const { clock, log, held } = world();
  held(clock.now() - longHoldMs);
  clock.jump(-60 * minute);
  held(clock.now() - longHoldMs);
  expect(log.lines).toHaveLength(2);
});

test('an order that waits for earlier ones of its singleton key says nothing of its agents', () => {
  const { clock, log, held } = world();
  held(clock.now() - longHoldMs, 'turn');
  expect(log.lines).toEqual([]);
});
