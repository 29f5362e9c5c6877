/** The policy of an undo: its own where the workflow states one, else one that lasts for a day (R14, R15). */
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord } from '#core/codec/record-codec.ts';
import { limits } from '#core/model/limits.ts';
import { attemptsAllowed, callPolicy, usualUndoPolicy } from '#core/model/policy.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { replay } from '#core/view/replay.ts';
import {
  apply,
  beat,
  claim,
  epoch,
  expire,
  flow,
  gated,
  no,
  ok,
  play,
  type Situation,
  type StepSpec,
  submit,
  transitions,
} from './support.ts';

const HOUR = 3_600_000;

/** a is done, b was refused: the undo of a is in flight. */
const undoing = (spec: StepSpec) =>
  play(submit(flow({ a: spec, b: { after: ['a'] } })), [0, claim()], [10, ok('a')], [30, no('b')]);

/** Every undo times out, and is tried again as soon as it may be: the stopped order, and its waits, ms. */
function exhausted(situation: Situation): { record: ProcessRecord; waits: readonly number[] } {
  const { known } = situation;
  let { record } = situation;
  let nowMs = record.updatedAt;
  const waits: number[] = [];
  for (;;) {
    nowMs = (record.completeBy ?? nowMs) + 1;
    record = apply(record, expire, nowMs, known);
    if (record.processState === 'Error') return { record, waits };
    waits.push(Math.max(0, record.notBefore - nowMs));
    nowMs = Math.max(nowMs, record.notBefore);
    record = apply(record, claim(), nowMs, known);
  }
}

describe('an undo without a policy of its own', () => {
  const { record, waits } = exhausted(undoing({ completeWithin: 5_000 }));
  const pauses = waits.filter((wait) => wait > 0);
  const SECOND = 1_000;

  it('waits 10 s, then twice as long each time, up to 15 minutes', () => {
    const growing = [10, 20, 40, 80, 160, 320, 640, 900, 900].map((wait) => wait * SECOND);
    expect(pauses.slice(0, 9)).toEqual(growing);
    expect(new Set(pauses.slice(7))).toEqual(new Set([900 * SECOND]));
  });

  it('is tried for 24 h 6 min 10 s, twice a round, before an operator is asked', () => {
    const total = pauses.reduce((sum, wait) => sum + wait, 0);
    expect(total).toBe(24 * HOUR + 370 * SECOND);
    expect(waits.filter((wait) => wait === 0)).toHaveLength(pauses.length + 1);
    expect(record.updatedAt - epoch).toBe(30 + 206 * 5_001 + total);
    expect(record.fault).toMatchObject({ code: 'undo-stuck', step: 'a', action: 'undo' });
    expect(record.fault?.message).toBe('Undo of step a timed out 206 times.');
  });

  it('replays, and is read back as it was stored', () => {
    const { known } = undoing({ completeWithin: 5_000 });
    expect(replay(record, known).at(-1)).toEqual(record);
    expect(decodeRecord(encodeRecord(record))).toEqual(record);
  });

  it.each([
    [0, 0],
    [1, 1],
    [20, 1],
  ])('has the deadlines of its step, which has %i retries, and %i of its own', (retries, own) => {
    const [step] = flow({ a: { completeWithin: 700, maxDuration: 900, retries } }).steps;
    if (step === undefined) throw new Error('the workflow has a step');
    expect(callPolicy(step.policy, 'undo')).toEqual({
      ...{ completeWithinMs: 700, maxDurationMs: 900, retries: own },
      coolDownMs: limits.undoCoolDownMs,
      coolDownFactor: limits.undoCoolDownFactor,
      coolDownMaxMs: limits.undoCoolDownMaxMs,
      coolDownTimes: limits.undoCoolDownTimes,
    });
    expect(callPolicy(step.policy, 'perform')).toBe(step.policy);
  });

  it('has at most 206 attempts', () => {
    const most = { completeWithinMs: 1, maxDurationMs: 1, retries: limits.retriesMax };
    expect(attemptsAllowed(usualUndoPolicy(most))).toBe(206);
  });
});

describe('an undo with a policy of its own', () => {
  const undoPolicy = {
    completeWithin: 200,
    maxDuration: 500,
    retries: 0,
    coolDown: { after: 300, times: 2, factor: 2, max: 400 },
  };
  const own = undoing({ retries: 3, undoPolicy });

  transitions([
    [
      'is dispatched with its own deadlines',
      play(submit(flow({ a: { undoPolicy }, b: {} })), [0, claim()], [10, ok('a')]),
      30,
      no('b'),
      ['Processing undo a:Uc2<230/530 b:F1', 'undo a2 o-1/a/undo <230/530'],
    ],
    [
      'has heartbeats that move its own deadline',
      own,
      150,
      beat('a', 2),
      ['Processing undo a:Uc2<350/530 b:F1'],
    ],
    [
      'is not stuck by a clock that its own deadline could have come from',
      own,
      30 - 5 * 60_000,
      expire,
      ['ignored: not-due'],
    ],
    [
      'is withdrawn when a wrong clock gave it more than its own deadline',
      own,
      29 - 5 * 60_000,
      expire,
      ['Pending undo a:C2 b:F1', 'nudge'],
    ],
    [
      'waits for its own cool-down',
      own,
      231,
      expire,
      ['Pending undo from 531 a:C2!1 b:F1', 'nudge at 531'],
    ],
  ]);

  it('has its own number of attempts, with cool-downs up to its own maximum', () => {
    const { record, waits } = exhausted(own);
    expect(waits).toEqual([300, 400]);
    expect(record.fault?.message).toBe('Undo of step a timed out 3 times.');
    expect(replay(record, own.known).at(-1)).toEqual(record);
  });

  it('counts a hold that is over as one of its own rounds', () => {
    const spec = { retries: 3, holdMax: 60_000, undoPolicy };
    const done = play(submit(flow({ a: spec, b: {} })), [0, claim()], [10, ok('a')]);
    const held = play(gated(done, { a: { hold: 'circuit', until: 10 * HOUR } }), [30, no('b')]);
    const over = play(held, [60_030, claim()]);
    expect(over.record).toMatchObject({ processState: 'Pending', notBefore: epoch + 60_330 });
    expect(over.record.steps[0]).toMatchObject({ failures: 1, progress: { state: 'Completed' } });
  });
});

describe('a record of an older release', () => {
  it('has an undo that is tried for a day', () => {
    const { record, known } = undoing({ retries: 1 });
    const stored = encodeRecord(record);
    // As releases without policies for undos wrote it: eight numbers and flags.
    expect(JSON.parse(stored.Steps)[0][2]).toEqual([1_000, 1_000, 1, 100, 0, 1, 1, 0]);
    const { waits } = exhausted({ record: decodeRecord(stored), known });
    expect(waits.filter((wait) => wait > 0)).toHaveLength(limits.undoCoolDownTimes);
  });
});
