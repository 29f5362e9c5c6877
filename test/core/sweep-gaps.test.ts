/** Detection of outages, and of the attempts that they interrupted (R20). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockToleranceMs } from '#core/decide/due.ts';
import {
  type Gap,
  gapsAt,
  gapsLeft,
  interruptedSteps,
  neverReached,
  noMemory,
  type ShardMemory,
} from '#core/decide/sweep-gaps.ts';
import { limits } from '#core/model/limits.ts';
import { beat, claim, epoch, flow, no, ok, play, submit } from './support.ts';

const outageAfterMs = 180;
const at = (aliveAt: number | null, gaps: readonly Gap[] = []): ShardMemory => ({
  ...noMemory,
  aliveAt,
  gaps,
});
const gap = (from: number, until: number): Gap => ({ from, until });

describe('the outages of a sweep are', () => {
  it.each<[string, ShardMemory, number, readonly Gap[]]>([
    ['nothing when none got through before it', at(null), 9_999, []],
    ['nothing when the last one was just in time', at(1_000), 1_180, []],
    ['the time since the last one, when that is too long', at(1_000), 1_181, [gap(1_000, 1_181)]],
    [
      'the time since the calls that the last one left alone were due',
      { ...at(1_000), waitingFrom: 700 },
      1_181,
      [gap(700, 1_181)],
    ],
    [
      'nothing, however long ago they were due, when the last one was just in time',
      { ...at(1_000), waitingFrom: 1 },
      1_180,
      [],
    ],
    ['nothing of a clock that stepped back', at(1_000), 500, []],
    ['what it has not finished', at(1_000, [gap(1, 500)]), 1_100, [gap(1, 500)]],
    ['what it has not finished, never swept', at(null, [gap(1, 500)]), 1_100, [gap(1, 500)]],
    [
      'a second outage and the first, apart',
      at(1_000, [gap(1, 500)]),
      2_000,
      [gap(1, 500), gap(1_000, 2_000)],
    ],
    [
      'an outage that continues as one',
      at(1_000, [gap(1, 500), gap(1_000, 1_200)]),
      2_000,
      [gap(1, 500), gap(1_000, 2_000)],
    ],
    ['nothing until an instant that no right clock saw', at(1_000, [gap(1, 9e9)]), 1_100, []],
    [
      'what a clock saw that is a little ahead',
      at(1_000, [gap(1, 1_100 + clockToleranceMs)]),
      1_100,
      [gap(1, 1_100 + clockToleranceMs)],
    ],
  ])('%s', (_, memory, now, gaps) => {
    expect(gapsAt(memory, now, outageAfterMs)).toEqual(gaps);
  });

  it('as many outages as are remembered, the oldest joined', () => {
    const many = Array.from({ length: limits.gapsMax }, (_, n) => gap(n * 10, n * 10 + 5));
    const gaps = gapsAt(at(1_000, many), 2_000, outageAfterMs);
    expect(gaps).toHaveLength(limits.gapsMax);
    expect(gaps.slice(0, 2)).toEqual([gap(0, 15), gap(20, 25)]);
    expect(gaps.at(-1)).toEqual(gap(1_000, 2_000));
  });

  it('apart from the time before the first sweep of the shard', () => {
    const memory = { ...at(100), waitingFrom: 50, gaps: [gap(neverReached, 90)] };
    expect(gapsAt(memory, 300, outageAfterMs)).toEqual([gap(neverReached, 90), gap(50, 300)]);
  });

  it('the whole time without a successful tick, however many failed ticks divide it', () => {
    const instants = fc.array(fc.nat(3_000), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(instants, fc.integer({ min: 1, max: 3_000 }), (ticks, start) => {
        let memory = at(start);
        const sorted = ticks.filter((tick) => tick >= start).toSorted((a, b) => a - b);
        for (const tick of sorted) {
          memory = { ...memory, gaps: gapsAt(memory, tick, outageAfterMs) };
        }
        const last = sorted.at(-1) ?? start;
        const expected = last - start > outageAfterMs ? [gap(start, last)] : [];
        expect(memory.gaps).toEqual(expected);
      }),
    );
  });
});

it('nothing is interrupted while every tick is completed, however long a shard is unfinished', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: outageAfterMs })), (pauses) => {
      let memory = at(0);
      let now = 0;
      for (const pause of pauses) {
        now += pause;
        const gaps = gapsAt(memory, now, outageAfterMs);
        expect(gaps).toEqual([]);
        memory = { ...memory, aliveAt: now, gaps };
      }
    }),
  );
});

it('an outage is remembered until what it delayed must have been due', () => {
  const gaps = [gap(0, 100), gap(500, 1_000)];
  expect(gapsLeft(gaps, 460, outageAfterMs)).toEqual(gaps);
  expect(gapsLeft(gaps, 461, outageAfterMs)).toEqual([gap(500, 1_000)]);
  expect(gapsLeft(gaps, 1_361, outageAfterMs)).toEqual([]);
});

describe('an attempt', () => {
  /** Begun at 0, due at 1,000. */
  const { record } = play(submit(flow({ a: {}, b: { completeWithin: 5_000 } })), [0, claim()]);
  const interrupted = (from: number, until: number, now = 60_000, minute = 200) =>
    interruptedSteps(record, [gap(epoch + from, epoch + until)], epoch + now, minute).join(' ');

  it.each<[string, string, string]>([
    ['due in the outage', interrupted(900, 2_000), 'a'],
    ['that the last sweep before the outage could not see yet', interrupted(1_200, 2_000), 'a'],
    ['long overdue when the outage began', interrupted(1_201, 2_000), ''],
    ['due soon after the outage', interrupted(100, 801), 'a'],
    ['due later after the outage', interrupted(100, 800), ''],
    ['begun after the outage', interrupted(-900, 0), ''],
    ['begun just before its end', interrupted(-900, 1, 60_000, 1_000), 'a'],
    ['still in time', interrupted(900, 2_000, 1_000), ''],
    ['just late', interrupted(900, 2_000, 1_001), 'a'],
    ['of each step is judged by itself', interrupted(900, 5_000), 'a b'],
  ])('%s', (_, steps, expected) => {
    expect(steps).toBe(expected);
  });

  it('belongs to any of several outages', () => {
    const gaps = [gap(epoch - 900, epoch - 800), gap(epoch + 4_900, epoch + 9_000)];
    expect(interruptedSteps(record, gaps, epoch + 60_000, 200)).toEqual(['b']);
  });

  it('of a heartbeat is as old as its first request', () => {
    const slow = flow({ a: { completeWithin: 1_000, maxDuration: 9_000 } });
    const beating = play(submit(slow), [0, claim()], [900, beat('a')]);
    expect(
      interruptedSteps(beating.record, [gap(epoch + 100, epoch + 1_800)], epoch + 5_000, 200),
    ).toEqual(['a']);
  });

  it('of an undo began when its own policy says, not that of its step', () => {
    const undoPolicy = { completeWithin: 200, maxDuration: 500 };
    const undoing = play(
      submit(flow({ a: { undoPolicy }, b: {} })),
      [0, claim()],
      [10, ok('a')],
      [30, no('b')],
    );
    const interrupted = (until: number) =>
      interruptedSteps(undoing.record, [gap(epoch - 900, epoch + until)], epoch + 60_000, 1_000);
    expect(interrupted(30)).toEqual([]);
    expect(interrupted(31)).toEqual(['a']);
  });
});
