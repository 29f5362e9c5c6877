/** Replay of histories (R15), and of histories that do not belong to their record. */
import { describe, expect, it } from 'vitest';
import { ReeveError } from '#core/model/errors.ts';
import { schedulerId, stepName } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { replay } from '#core/view/replay.ts';
import {
  beat,
  cancel,
  claim,
  epoch,
  expire,
  flow,
  interrupt,
  no,
  ok,
  play,
  reprioritise,
  resubmit,
  type Situation,
  submit,
  undoNo,
  undoOk,
} from './support.ts';

const two = submit(flow({ a: { maxDuration: 9_000 }, b: { after: ['a'] } }));
const done = play(two, [0, claim()], [600, beat('a')], [700, ok('a')], [800, ok('b')]);

describe('a history', () => {
  it.each<[string, Situation]>([
    ['of an order that went well', done],
    [
      'of an order that was nudged',
      play(two, [10_000, expire], [20_000, expire], [30_000, claim()]),
    ],
    [
      'of a restart',
      play(two, [5, interrupt('restart', 7)], [7, claim()], [8, interrupt('restart', 9)]),
    ],
    [
      'of nudges after a restart',
      play(two, [5, interrupt('restart', 5)], [6, interrupt('restart', 9)]),
    ],
    [
      'of an outage',
      play(two, [0, claim()], [1_001, interrupt('outage', 1_500)], [1_500, claim()]),
    ],
    [
      'of a stopped order',
      play(submit(flow({ a: { onFault: 'hold' } })), [0, claim()], [5, no('a')], [9, resubmit]),
    ],
    ['of an undo', play(two, [0, claim()], [5, ok('a')], [9, no('b')], [12, undoOk('a')])],
    [
      'of a stuck undo',
      play(
        two,
        [0, claim()],
        [5, ok('a')],
        [9, no('b')],
        [12, undoNo('a')],
        [15, resubmit],
        [16, claim()],
      ),
    ],
    ['of a cancel', play(two, [0, claim()], [5, cancel], [9, ok('a')])],
    [
      'of two changes of the priority',
      play(two, [0, reprioritise('low')], [1, claim()], [2, reprioritise('high')], [9, ok('a')]),
    ],
    ['of late steps', play(two, [0, claim()], [1_001, expire], [1_002, claim()], [2_003, expire])],
  ])('%s plays back to the stored record', (_, { record, known }) => {
    expect(replay(record, known).at(-1)).toEqual(record);
  });

  it('replays to every revision, with consecutive nudges as one', () => {
    const nudged = play(
      two,
      [10_000, expire],
      [20_000, expire],
      [30_000, expire],
      [30_001, claim()],
    );
    expect(nudged.record.history).toHaveLength(3);
    expect(replay(nudged.record, nudged.known).map(({ revision }) => revision)).toEqual([1, 4, 5]);
  });

  it('replays the decision of a Scheduler that did not know the workflow', () => {
    const entry = {
      type: 'claim',
      at: epoch,
      by: schedulerId('s-1'),
      definitionUnknown: true,
    } as const;
    const record = { ...two.record, history: [...two.record.history, entry] };
    const parked = replay(record, two.known).at(-1);
    expect(parked).toMatchObject({ processState: 'Error', fault: { code: 'workflow-unknown' } });
  });
});

describe('a history of another record', () => {
  type History = ProcessRecord['history'];
  const changed = (change: (first: History, rest: History) => History) => () => {
    const { history } = done.record;
    replay({ ...done.record, history: change(history.slice(0, 1), history.slice(1)) }, done.known);
  };
  it.each([
    ['was never started', two],
    ['still runs', play(two, [0, claim()])],
    ['failed', play(two, [0, claim()], [5, no('a')])],
    ['was skipped', play(submit(flow({ a: { when: () => false }, b: {} })), [0, claim()])],
  ])('has a success of a step that %s: the output is null', (_, { record }) => {
    const { steps } = record;
    expect(replay({ ...done.record, steps }, done.known).at(-1)?.steps[0]?.progress).toEqual({
      state: 'Completed',
      output: null,
    });
  });

  it.each([
    ['is empty', changed(() => []), 'a history begins with the submission'],
    ['begins in the middle', changed((_, rest) => rest), 'a history begins with the submission'],
    ['has two submissions', changed((first) => [...first, ...first]), 'an order is submitted once'],
    [
      'has an entry that does not apply',
      changed((first) => [...first, { type: 'resubmit', at: epoch, by: 'olga', corrections: [] }]),
      'order o-1: history entry resubmit of revision 2 does not apply',
    ],
    [
      'names a step the order has not',
      changed((first) => [
        ...first,
        { type: 'heartbeat', at: epoch, step: stepName('x'), attempt: 1, definitionUnknown: false },
      ]),
      'the history names a step of its order, not x',
    ],
    [
      'has a success of a step that the order does not have',
      changed((first) => [
        ...first,
        {
          type: 'stepSucceeded',
          at: epoch,
          step: stepName('x'),
          attempt: 1,
          definitionUnknown: false,
        },
      ]),
      'the history names a step of its order, not x',
    ],
  ])('%s', (_, replayed, message) => {
    expect(replayed).toThrow(ReeveError);
    expect(replayed).toThrow(`${message}. Please report this.`);
  });
});
