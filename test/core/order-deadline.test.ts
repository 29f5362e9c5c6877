/** The deadline of an order, one line per transition (R14, R16). */
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord } from '#core/codec/record-codec.ts';
import { dueAt } from '#core/decide/due.ts';
import { changeOf } from '#core/model/change.ts';
import type { OrderDeadline } from '#core/model/record.ts';
import { replay } from '#core/view/replay.ts';
import {
  cancel,
  claim,
  epoch,
  expire,
  flow,
  gated,
  ignored,
  no,
  ok,
  play,
  resubmit,
  type Situation,
  type StepSpec,
  submit,
  transitions,
  undoOk,
} from './support.ts';

const SECOND = 1_000;
type OnLate = OrderDeadline['onLate'];
/** a, then b, with three seconds for all of it. */
const limited = (onLate: OnLate, specs: Readonly<Record<string, StepSpec>> = {}) =>
  submit(
    flow(
      { a: { ...specs['a'] }, b: { after: ['a'], ...specs['b'] } },
      {
        completeWithinMs: 3 * SECOND,
        onLate,
      },
    ),
  );
const slow: StepSpec = { completeWithin: 5 * SECOND };
const cooling: StepSpec = { retries: 0, coolDown: { after: 10 * SECOND, times: 1 } };
const bRuns = (onLate: OnLate, b: StepSpec = slow) =>
  play(limited(onLate, { b }), [0, claim()], [10, ok('a')]);
const held = bRuns('hold');
const turned = bRuns('undo');
const cools = (onLate: OnLate) =>
  play(limited(onLate, { a: cooling }), [0, claim()], [1_001, expire]);

describe('an order past its deadline that waits for an operator', () => {
  transitions([
    ['is not late before', held, 2_999, expire, ignored('not-due')],
    ['stops, and its calls go on', held, 3_000, expire, ['Error(late) a:C1 b:R1<5010']],
    ['is late once', play(held, [3_000, expire]), 3_001, expire, ignored('not-due')],
    [
      'records what its calls reply',
      play(held, [3_000, expire]),
      4_000,
      ok('b'),
      ['Error(late) a:C1 b:C1'],
    ],
    [
      'stops in a cool-down',
      cools('hold'),
      3_000,
      expire,
      ['Error(late) from 11001 a:-1!1?1000 b:-'],
    ],
    ['stops unclaimed, without a nudge', limited('hold'), 3_000, expire, ['Error(late) a:- b:-']],
    [
      'stops with a failure counted for what timed out at the same time',
      play(limited('hold'), [0, claim()]),
      3_000,
      expire,
      ['Error(late) a:-1!1?1000 b:-'],
    ],
    [
      'stops because of a step whose attempts end at the same time',
      play(limited('hold', { a: { retries: 0, onExhausted: 'hold' } }), [0, claim()]),
      3_000,
      expire,
      ['Error(exhausted) a:F1!1?1000 b:-'],
    ],
    [
      'holds no step',
      play(gated(limited('hold'), { a: { hold: 'circuit', until: 60 * SECOND } }), [0, claim()]),
      3_000,
      expire,
      ['Error(late) from 60000 a:- b:-'],
    ],
  ]);

  it('says after how long, once, to the operator', () => {
    const { record } = play(held, [3_000, expire]);
    expect(record.fault).toEqual({
      code: 'late',
      message: 'Not finished within 3 s of its submission.',
      effect: 'none',
      step: null,
      action: null,
    });
    expect(changeOf('Processing', record)).toMatchObject({ processState: 'Error', tried: null });
    expect(record.history.at(-1)).toMatchObject({ type: 'expired', steps: [], late: true });
  });

  it.each([
    [90 * SECOND, '90 s'],
    [90 * 60 * SECOND, '90 minutes'],
    [60 * 60 * SECOND, '60 minutes'],
    [36 * 3_600 * SECOND, '36 hours'],
    [3 * 86_400 * SECOND, '3 days'],
    [1_500, '1.5 s'],
  ])('names %i ms as %s', (completeWithinMs, text) => {
    const one = submit(flow({ a: {} }, { completeWithinMs }));
    const { record } = play(one, [completeWithinMs, expire]);
    expect(record.fault?.message).toBe(`Not finished within ${text} of its submission.`);
  });
});

describe('an order past its deadline that is undone', () => {
  transitions([
    ['lets its calls end first', turned, 3_000, expire, ['Processing undo a:C1 b:R1<5010']],
    [
      'undoes everything when they have ended',
      play(turned, [3_000, expire]),
      4_000,
      ok('b'),
      ['Processing undo a:C1 b:Uc2<9000', 'undo b2 o-1/b/undo <9000'],
    ],
    [
      'is claimed at once where it only waited',
      cools('undo'),
      3_000,
      expire,
      ['Pending undo a:-1?1000 b:-', 'nudge'],
    ],
    [
      'is Undone where nothing was done',
      play(limited('undo'), [3_000, expire]),
      3_001,
      claim(),
      ['Undone undo a:- b:-'],
    ],
    [
      'has a failure counted for what timed out at the same time, and one nudge',
      play(limited('undo'), [0, claim()]),
      3_000,
      expire,
      ['Pending undo a:-1?1000 b:-', 'nudge'],
    ],
    [
      'stops instead, after an irreversible step',
      play(limited('undo', { a: { irreversible: true }, b: slow }), [0, claim()], [10, ok('a')]),
      3_000,
      expire,
      ['Error(late) a:C1 b:R1<5010'],
    ],
    [
      'stops instead, while an irreversible step is in doubt',
      bRuns('undo', { ...slow, irreversible: true }),
      3_000,
      expire,
      ['Error(late) a:C1 b:R1<5010'],
    ],
  ]);

  it('names the deadline as the cause, and why it stops instead', () => {
    const undone = play(turned, [3_000, expire], [4_000, ok('b')], [4_100, undoOk('b')]);
    expect(undone.record.fault).toMatchObject({ code: 'late', effect: 'none' });
    const stopped = play(bRuns('undo', { ...slow, irreversible: true }), [3_000, expire]);
    expect(stopped.record.fault?.message).toBe(
      'Not finished within 3 s of its submission. It cannot be undone: an irreversible step happened, or may have.',
    );
  });
});

describe('a deadline does not concern', () => {
  const hold = { onFault: 'hold' } as const;
  transitions([
    [
      'an order that is being undone',
      play(turned, [20, cancel], [30, no('b')]),
      3_000,
      expire,
      ['Pending undo a:C2!1 b:F1', 'nudge'],
    ],
    [
      'an order that has stopped',
      bRuns('undo', { ...slow, ...hold }),
      20,
      no('b'),
      ['Error(refused) a:C1 b:F1'],
    ],
    [
      'an order that stopped before',
      play(bRuns('undo', { ...slow, ...hold }), [20, no('b')]),
      3_000,
      expire,
      ignored('not-due'),
    ],
    ['an order that has ended', play(held, [20, ok('b')]), 3_000, expire, ignored('not-due')],
  ]);
});

describe('a resubmit', () => {
  const stopped = play(held, [3_000, expire]);
  const early = play(bRuns('hold', { onFault: 'hold' }), [20, no('b')], [30, resubmit]);
  const after = play(bRuns('hold', { onFault: 'hold' }), [20, no('b')], [3_000, resubmit]);
  const before = play(bRuns('hold', { onFault: 'hold' }), [20, no('b')], [2_999, resubmit]);

  it('of a late order ends its deadline', () => {
    const { record } = play(stopped, [5_011, expire], [9_000, resubmit], [9_001, claim()]);
    expect(record.deadline).toBeUndefined();
    expect(record).toMatchObject({ processState: 'Processing', fault: null });
    expect(dueAt(record)).toBe(epoch + 14_002);
  });

  it('of a late order ends its deadline by a clock that is behind as well', () => {
    const { record } = play(stopped, [2_900, resubmit]);
    expect(record).toMatchObject({ processState: 'Pending', fault: null });
    expect(record.deadline).toBeUndefined();
  });

  it('of an order that stopped for another reason leaves a deadline that is still to come', () => {
    expect(early.record.deadline).toEqual({ lateAt: epoch + 3_000, onLate: 'hold' });
    expect(dueAt(early.record)).toBe(epoch + 3_000);
    expect(before.record.deadline?.lateAt).toBe(epoch + 3_000);
  });

  it('of such an order ends a deadline that has passed', () => {
    expect(after.record.deadline).toBeUndefined();
    expect(dueAt(after.record)).toBe(epoch + 13_000);
  });
});

describe('the due index has an order', () => {
  const day = 24 * 3_600 * SECOND;
  it.each<[string, Situation, number | null]>([
    ['at its deadline while it is unclaimed', limited('hold'), 3_000],
    ['at its deadline while calls last longer', held, 3_000],
    ['at its deadline during a longer cool-down', cools('hold'), 3_000],
    [
      'at its deadline while it is held for longer',
      play(gated(limited('hold'), { a: { hold: 'circuit', until: day } }), [0, claim()]),
      3_000,
    ],
    ['earlier where a call ends earlier', play(limited('hold'), [0, claim()]), 1_001],
    ['at its calls alone once it stopped', play(held, [3_000, expire]), 5_011],
    ['at its calls alone once it is undone', play(turned, [3_000, expire]), 5_011],
    ['not at all when it has ended', play(held, [20, ok('b')]), null],
  ])('%s', (_, { record }, due) => {
    expect(dueAt(record)).toBe(due === null ? null : epoch + due);
  });
});

describe('a record with a deadline', () => {
  const lives = [
    play(held, [3_000, expire], [4_000, ok('b')], [9_000, resubmit], [9_001, claim()]),
    play(turned, [3_000, expire], [4_000, ok('b')], [4_100, undoOk('b')], [4_200, undoOk('a')]),
    play(cools('undo'), [3_000, expire], [3_001, claim()]),
    play(limited('hold'), [10_000, expire]),
  ];

  it.each(lives)('is stored, read back and replayed as it is', ({ record, known }) => {
    expect(decodeRecord(JSON.parse(JSON.stringify(encodeRecord(record))))).toEqual(record);
    expect(replay(record, known).at(-1)).toEqual(record);
  });

  it('has an entry of the history that says so, and keeps what a newer release adds to it', () => {
    const { record } = play(held, [3_000, expire]);
    expect(JSON.parse(encodeRecord(record).History).at(-1)).toEqual(['e', 3_000, [], 0, 1]);
    const [first] = record.history;
    if (first === undefined) throw new Error('a history begins with the submission');
    const entry = { type: 'expired', at: epoch, steps: [], nudges: 1, tail: [7] } as const;
    const more = { ...record, history: [first, entry] };
    expect(JSON.parse(encodeRecord(more).History).at(-1)).toEqual(['e', 0, [], 1, null, 7]);
    expect(decodeRecord(encodeRecord(more)).history).toEqual(more.history);
  });
});
