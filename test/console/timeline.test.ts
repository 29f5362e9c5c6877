/** The bars of a timeline, compared with the records of the core. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Order } from '#console/api/documents.ts';
import { barsShown } from '#console/chart/bar-style.ts';
import { timeline } from '#console/chart/timeline.ts';
import { underWay } from '#core/model/record.ts';
import { type Lived, lived, lives, start } from './scenario.ts';

const drawn = ({ order }: Lived) => timeline(order);

test('for every history, the running bars are the calls in flight of the record', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const world = lived(life);
      const { lanes } = drawn(world);
      for (const { name, progress, attempt, policy } of world.record.steps) {
        const bars = lanes.find(({ step }) => step === name)?.bars ?? [];
        const open = bars.filter(({ to }) => to === null);
        const expected = underWay(progress)
          ? [
              {
                kind: 'running',
                action: progress.state === 'Running' ? 'perform' : 'undo',
                attempt,
                from: progress.endBy - policy.maxDurationMs,
              },
            ]
          : [];
        expect(open).toMatchObject(expected);
        expect(open).toHaveLength(expected.length);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('for every history, each call of the record is drawn once, in sequence', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const world = lived(life);
      const { lanes } = drawn(world);
      for (const { name, attempt } of world.record.steps) {
        const calls = lanes
          .find(({ step }) => step === name)
          ?.bars.filter((bar) => bar.attempt > 0);
        expect(calls?.map((bar) => bar.attempt)).toEqual(
          Array.from({ length: attempt }, (_, at) => at + 1),
        );
        for (const [at, bar] of calls?.entries() ?? []) {
          expect(bar.to ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(bar.from);
          expect(bar.from).toBeGreaterThanOrEqual(calls?.[at - 1]?.to ?? start);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

test('two attempts, a cool-down as long as the policy says, and two more attempts', () => {
  const { order } = lived([
    'claim',
    'expire',
    'claim',
    'expire',
    'claim',
    'expire',
    'claim',
    'expire',
  ]);
  const east = timeline(order).lanes[0];
  expect(east?.bars.map(({ kind }) => kind)).toEqual([
    'timedOut',
    'timedOut',
    'coolDown',
    'timedOut',
    'timedOut',
  ]);
  const wait = east?.bars[2];
  expect((wait?.to ?? 0) - (wait?.from ?? 0)).toBe(60_000);
});

test('a reply that comes while the order waits is marked as late', () => {
  const { order: claimed } = lived(['claim']);
  const from = new Date(start + 1_000).toISOString();
  const to = new Date(start + 9_000).toISOString();
  const call = { step: 'east', action: 'perform', attempt: 1, from, to, fault: null } as const;
  const order: Order = { ...claimed, calls: [{ ...call, end: 'succeeded', isLate: true }] };
  const line = timeline(order);
  expect(line.lanes[0]?.bars).toMatchObject([{ kind: 'succeeded', late: true }]);
  expect(barsShown(line).map(({ word }) => word)).toContain('succeeded, answered late');
});

test('a call with an unknown begin is drawn at its end', () => {
  const { order: claimed } = lived(['claim']);
  const to = new Date(start + 9_000).toISOString();
  const call = {
    step: 'east',
    action: 'perform',
    attempt: 1,
    from: null,
    to,
    fault: null,
  } as const;
  const line = timeline({ ...claimed, calls: [{ ...call, end: 'succeeded', isLate: false }] });
  expect(line.lanes[0]?.bars).toMatchObject([{ from: start + 9_000, to: start + 9_000 }]);
});

test('a resubmit and a cancel are marked with who did it', () => {
  const { order } = lived(['claim', 'cancel']);
  expect(timeline(order).marks).toMatchObject([{ kind: 'cancel', title: 'cancelled by operator' }]);
});
