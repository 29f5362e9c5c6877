/** Cool-downs that grow: their lengths, and what a step and an order make of them (R14, R15). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '#core/model/limits.ts';
import { coolDownAfter } from '#core/model/policy.ts';
import { replay } from '#core/view/replay.ts';
import {
  apply,
  claim,
  effectOf,
  epoch,
  expire,
  flow,
  ok,
  play,
  type Situation,
  submit,
} from './support.ts';

const lengths = (policy: Parameters<typeof coolDownAfter>[0], rounds: number) =>
  Array.from({ length: rounds }, (_, at) => coolDownAfter(policy, at + 1));

describe('the length of a cool-down', () => {
  it.each([
    ['the same without a factor', { coolDownMs: 500 }, [500, 500, 500]],
    ['the same with a factor of 1', { coolDownMs: 500, coolDownFactor: 1 }, [500, 500, 500]],
    ['doubles', { coolDownMs: 500, coolDownFactor: 2 }, [500, 1_000, 2_000, 4_000]],
    ['grows by a fraction, rounded', { coolDownMs: 101, coolDownFactor: 1.5 }, [101, 152, 227]],
    [
      'stays at the maximum',
      { coolDownMs: 500, coolDownFactor: 10, coolDownMaxMs: 6_000 },
      [500, 5_000, 6_000, 6_000],
    ],
    [
      'is the maximum from the first on where both are the same',
      { coolDownMs: 500, coolDownFactor: 3, coolDownMaxMs: 500 },
      [500, 500],
    ],
    [
      'is at most 7 days where the policy says nothing',
      { coolDownMs: 86_400_000, coolDownFactor: 10 },
      [86_400_000, limits.coolDownMaxMs, limits.coolDownMaxMs],
    ],
  ])('%s', (_, policy, expected) => {
    expect(lengths(policy, expected.length)).toEqual(expected);
  });

  it('is a whole number, never shrinks, and never overflows', () => {
    const policies = fc.record({
      coolDownMs: fc.integer({ min: limits.coolDownMinMs, max: limits.coolDownMaxMs }),
      coolDownFactor: fc.double({ min: 1, max: 1e300, noNaN: true }),
      coolDownMaxMs: fc.integer({ min: limits.coolDownMinMs, max: limits.coolDownMaxMs }),
    });
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 1_000 }), (policy, round) => {
        const [length, next] = [coolDownAfter(policy, round), coolDownAfter(policy, round + 1)];
        expect(Number.isSafeInteger(length)).toBe(true);
        expect(length).toBeLessThanOrEqual(next);
        expect(next).toBeLessThanOrEqual(policy.coolDownMaxMs);
      }),
    );
  });
});

/** Every attempt times out; the order is claimed when it may be. Gives the waits before the claims, ms. */
function waitsOf(situation: Situation): readonly number[] {
  const { known } = situation;
  let { record } = situation;
  const waits: number[] = [];
  for (let nowMs = epoch; record.direction === 'forward'; ) {
    record = apply(record, claim(), nowMs, known);
    nowMs = (record.completeBy ?? nowMs) + 1;
    record = apply(record, expire, nowMs, known);
    if (record.direction === 'forward') waits.push(Math.max(0, record.notBefore - nowMs));
    nowMs = Math.max(nowMs, record.notBefore);
  }
  expect(replay(record, known).at(-1)).toEqual(record);
  return waits;
}

describe('a step whose attempts all time out', () => {
  it('waits longer after each round, up to the maximum, and the history replays', () => {
    const coolDown = { after: 1_000, times: 4, factor: 3, max: 10_000 };
    const waits = waitsOf(submit(flow({ a: { retries: 1, coolDown } })));
    expect(waits).toEqual([0, 1_000, 0, 3_000, 0, 9_000, 0, 10_000, 0]);
  });
});

describe('the nudge after a cool-down', () => {
  const { messageDelayMaxMs } = limits;
  const after = (ms: number) => {
    const coolDown = { after: ms, times: 1 };
    return play(submit(flow({ a: { retries: 0, coolDown } })), [0, claim()]);
  };

  it.each([
    ['is delayed until its end', 700, ['Pending from 1701 a:-1!1?1000', 'nudge at 1701']],
    [
      'is delayed by as much as a message can be',
      messageDelayMaxMs,
      [
        `Pending from ${1_001 + messageDelayMaxMs} a:-1!1?1000`,
        `nudge at ${1_001 + messageDelayMaxMs}`,
      ],
    ],
    [
      'is left to a sweep when a message cannot be delayed for so long',
      messageDelayMaxMs + 1,
      [`Pending from ${1_002 + messageDelayMaxMs} a:-1!1?1000`],
    ],
  ])('%s', (_, ms, expected) => {
    expect(effectOf(after(ms), expire, 1_001)).toEqual(expected);
  });

  it('is sent by the first write after which a message can be delayed for so long, and no other one', () => {
    const minuteMs = 60_000;
    const coolDown = { after: 30 * minuteMs, times: 1 };
    const call = { completeWithin: 60 * minuteMs };
    const steps = flow({ a: { retries: 0, coolDown }, b: call, c: call, d: call });
    const cools = play(submit(steps), [0, claim()], [1_001, expire]);
    const nudges = (situation: Situation, minutes: number, step: string) =>
      effectOf(situation, ok(step), minutes * minuteMs).slice(1);
    expect(nudges(cools, 10, 'b')).toEqual([]);
    const later = play(cools, [10 * minuteMs, ok('b')]);
    expect(nudges(later, 20, 'c')).toEqual(['nudge at 1801001']);
    const near = play(later, [20 * minuteMs, ok('c')]);
    expect(nudges(near, 21, 'd')).toEqual([]);
  });
});
