/** What is derived from a record: its change, when it is due; and the limits everything keeps to. */
import { describe, expect, it } from 'vitest';
import {
  clockToleranceMs,
  dueAt,
  dueHorizonMs,
  dueKeyOf,
  earliestCompleteBy,
  isFarKey,
  pickUpBy,
} from '#core/decide/due.ts';
import { mayStartHeld } from '#core/decide/settle-holds.ts';
import { type Audience, audienceOf, changeOf, hasAudience, statusId } from '#core/model/change.ts';
import { assertThat, CorruptDataError, ReeveError } from '#core/model/errors.ts';
import { stepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { findStep, type ProcessRecord } from '#core/model/record.ts';
import {
  cancel,
  claim,
  diamond,
  epoch,
  expire,
  flow,
  gated,
  no,
  ok,
  play,
  type Situation,
  submit,
} from './support.ts';

const pending = submit(diamond());
const started = play(pending, [0, claim()]);
const held = play(submit(flow({ a: { onFault: 'hold' }, b: {} })), [0, claim()], [5, no('a')]);
const done = play(submit(flow({ a: {} })), [0, claim()], [5, ok('a')]);
const undone = play(submit(flow({ a: {} })), [0, cancel], [5, claim()]);

describe('a change', () => {
  it('is none while the process state is the same', () => {
    expect(changeOf('Processing', started.record)).toBeNull();
    expect(changeOf('Error', held.record)).toBeNull();
  });

  it('has the state of the order and its sequence (R18)', () => {
    expect(changeOf('Processing', held.record)).toEqual({
      orderId: 'o-1',
      workflow: 'flow',
      workflowVersion: 1,
      sequence: 3,
      previousState: 'Processing',
      processState: 'Error',
      direction: 'forward',
      fault: { code: 'refused', message: 'No.', effect: 'none', step: 'a', action: 'perform' },
      tried: { agent: 'svc-a', attempts: 1, coolDowns: 0, since: epoch + 5 },
      priority: 'high',
      tenant: 'acme',
      replyTo: 'shop',
      correlationId: 'po-7',
      at: epoch + 5,
    });
  });

  it('has a unique id', () => {
    const { orderId, revision: sequence } = held.record;
    expect(statusId({ orderId, sequence })).toBe('o-1-3');
  });

  it('is one for the submission', () => {
    expect(changeOf(null, pending.record)).toMatchObject({ previousState: null, sequence: 1 });
  });
});

describe('the audience of a change', () => {
  const told = (replyTo: string | null, { record }: Situation) => {
    const change = changeOf(null, { ...record, replyTo });
    if (change === null) throw new Error('no change');
    expect(hasAudience(change)).toBe(audienceOf(change).length > 0);
    return audienceOf(change);
  };
  it.each<[string, string | null, Situation, readonly Audience[]]>([
    ['is the submitter, with a response channel', 'shop', done, ['submitter']],
    ['is empty without a response channel', null, done, []],
    ['is an operator when the order stops (R17)', null, held, ['operator']],
    ['is both when the order stops', 'shop', held, ['submitter', 'operator']],
  ])('%s', (_, replyTo, situation, expected) => {
    expect(told(replyTo, situation)).toEqual(expected);
  });
});

describe('an order is due', () => {
  const waiting = play(
    submit(flow({ a: { completeWithin: 5_000 }, b: {} })),
    [0, claim()],
    [1_001, expire],
  );
  const cooling = play(
    submit(
      flow({
        a: { retries: 0, coolDown: { after: 60_000, times: 1 } },
        b: { completeWithin: 30_000 },
      }),
    ),
    [0, claim()],
    [1_001, expire],
  );
  it.each<[string, () => ProcessRecord, number | null]>([
    ['after the pick-up grace, while it is unclaimed', () => pending.record, 10_000],
    ['after its earliest complete-by, while it is Processing', () => started.record, 1_001],
    [
      'after the complete-by of a step that still runs, while it is Pending',
      () => waiting.record,
      5_001,
    ],
    [
      'after the grace, where that comes first',
      () => ({ ...waiting.record, notBefore: epoch - 8_000, updatedAt: epoch - 7_000 }),
      3_000,
    ],
    ['at the end of its cool-down', () => play(cooling, [2_000, ok('b')]).record, 61_001],
    [
      'after the complete-by of a step that runs through the cool-down',
      () => cooling.record,
      30_001,
    ],
    ['after the complete-by of a call in flight, when it is stopped', () => held.record, 1_001],
    [
      'never when it is stopped without calls in flight',
      () => play(held, [10, ok('b')]).record,
      null,
    ],
    ['never when it is Processed', () => done.record, null],
    ['never when it is Undone', () => undone.record, null],
  ])('%s', (_, record, expected) => {
    expect(dueAt(record())).toBe(expected === null ? null : epoch + expected);
  });

  it('by the earliest of the steps under way', () => {
    expect(earliestCompleteBy(pending.record.steps)).toBeNull();
    expect(earliestCompleteBy(waiting.record.steps)).toBe(epoch + 5_000);
    const both = play(submit(flow({ a: { completeWithin: 70 }, b: {}, c: {} })), [0, claim()]);
    expect(earliestCompleteBy(both.record.steps)).toBe(epoch + 70);
    expect(earliestCompleteBy(both.record.steps.toReversed())).toBe(epoch + 70);
  });

  it('for its pick-up when it may be claimed, or a grace from now', () => {
    expect(pickUpBy(101, 100)).toBe(101);
    expect(pickUpBy(100, 100)).toBe(10_100);
    expect(pickUpBy(99, 100)).toBe(10_100);
  });

  it('within the horizon of the longest wait and the tolerance of clocks', () => {
    expect(clockToleranceMs).toBe(300_000);
    expect(dueHorizonMs).toBe(7 * 86_400_000 + 300_000);
  });
});

describe('a step of a record', () => {
  it('is found by its name', () => {
    const { record } = started;
    expect(findStep(record, stepName('b'))).toBe(record.steps[1]);
    expect(findStep(record, stepName('x'))).toBeUndefined();
  });
});

describe('limits', () => {
  it('are what the documentation says', () => {
    expect(limits).toMatchObject({
      stepsMax: 64,
      completeWithinMinMs: 50,
      completeWithinMaxMs: 43_200_000,
      maxDurationMaxMs: 604_800_000,
      heartbeatsPerAttemptMax: 200,
      retriesMax: 20,
      coolDownTimesMax: 20,
      coolDownMinMs: 100,
      coolDownMaxMs: 604_800_000,
      coolDownFactorMax: 10,
      holdMaxMs: 86_400_000,
      undoCoolDownMs: 10_000,
      undoCoolDownFactor: 2,
      undoCoolDownMaxMs: 900_000,
      undoCoolDownTimes: 102,
      undoCoolDownTimesMax: 200,
      undoRetries: 1,
      orderWithinMinMs: 1_000,
      orderWithinMaxMs: 2_592_000_000,
      pickUpGraceMs: 10_000,
      claimsSpare: 200,
      recoveryRampPerSecond: 1_000,
      recoveryRampMaxMs: 900_000,
      bodyBytesMax: 131_072,
      outputBytesMax: 8_192,
      faultMessageLengthMax: 300,
      tenantLengthMax: 64,
      correlationIdLengthMax: 128,
      submissionKeyLengthMax: 128,
      listMax: 200,
      sweepPage: 200,
      conflictRetriesMax: 20,
    });
  });
});

describe('errors', () => {
  it('have a code, the name of their class, and a cause', () => {
    const cause = new Error('inner');
    const error = new CorruptDataError('row-damaged', 'It is broken.', { cause });
    expect(error).toBeInstanceOf(ReeveError);
    expect(error).toMatchObject({
      code: 'row-damaged',
      message: 'It is broken.',
      name: 'CorruptDataError',
      cause,
    });
  });

  it('of an assertion ask for a report', () => {
    expect(() => assertThat(true, 'One is one')).not.toThrow();
    expect(() => assertThat(false, 'One is one')).toThrow('One is one. Please report this.');
    expect(() => assertThat(false, 'One is one')).toThrow(
      expect.objectContaining({ code: 'assertion-failed', name: 'ReeveError' }),
    );
  });
});

describe('the key in a due index', () => {
  const minute = 60_000;
  const { messageDelayMaxMs } = limits;
  const waiting = (ms: number): ProcessRecord => ({
    ...pending.record,
    notBefore: pending.record.updatedAt + ms,
  });

  it('is rounded up to the precision of the index, and none for an ended order', () => {
    expect(dueKeyOf(started.record, minute)).toBe(Math.ceil((epoch + 1_001) / minute) * minute);
    expect(dueKeyOf(done.record, minute)).toBeNull();
  });

  it.each([
    ['as long as a message can be delayed', messageDelayMaxMs, false],
    ['longer than that', messageDelayMaxMs + 1, true],
    ['much longer', 3 * messageDelayMaxMs + 7, true],
  ])('says whether the order waits %s', (_, ms, expected) => {
    const record = waiting(ms);
    const key = dueKeyOf(record, minute) ?? 0;
    expect(isFarKey(key, minute)).toBe(expected);
    expect(key).toBeGreaterThanOrEqual(record.notBefore);
  });

  it('says so for an instant that is a multiple of the precision, too', () => {
    const at = Math.ceil((epoch + 2 * messageDelayMaxMs) / minute) * minute;
    expect(dueKeyOf(waiting(at - pending.record.updatedAt), minute)).toBe(at + 1);
  });
});

it('a held step starts with its gate, and not before the cool-down of another step of its order', () => {
  const definition = diamond({ a: { retries: 0, coolDown: { after: 60_000, times: 1 } } });
  const b = { hold: 'circuit', until: 800_000 } as const;
  const aRuns = play(gated(submit(definition), { b }), [5, claim()]);
  expect(mayStartHeld(aRuns.record)).toBe(true);
  const cooling = play(aRuns, [1_006, expire]);
  expect(cooling.record).toMatchObject({ isHeld: true, notBefore: epoch + 61_006 });
  expect(mayStartHeld(cooling.record)).toBe(false);
  const bothHeld = play(gated(cooling, { a: { hold: 'concurrency', until: 70_000 }, b }), [
    61_006,
    claim(),
  ]);
  expect(bothHeld.record).toMatchObject({ processState: 'Pending', notBefore: epoch + 70_000 });
  expect(mayStartHeld(bothHeld.record)).toBe(true);
});
