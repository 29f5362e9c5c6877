/** Resubmit, cancel and reprioritise, one line per transition (R8, R9, R24). */
import { describe, expect, it } from 'vitest';
import { decide } from '#core/decide/decide.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { claimsSinceOperator } from '#core/model/history.ts';
import {
  cancel,
  claim,
  diamond,
  epoch,
  expire,
  flow,
  gated,
  ignored,
  no,
  ok,
  play,
  reprioritise,
  resubmit,
  type Situation,
  submit,
  transitions,
  undoNo,
  undoOk,
} from './support.ts';

const holding = submit(diamond({ a: { onFault: 'hold', onExhausted: 'hold', retries: 0 } }));
const started = play(holding, [0, claim()]);
const refused = play(started, [5, no('a')]);
const exhausted = play(started, [10, ok('b')], [1_001, expire]);
const done = play(started, [10, ok('a')], [20, ok('b')], [30, ok('c')], [40, ok('d')]);
const undone = play(submit(flow({ a: {} })), [0, claim()], [5, no('a')]);
const stuck = play(
  submit(flow({ a: {}, b: { after: ['a'] } })),
  [0, claim()],
  [10, ok('a')],
  [20, no('b')],
  [30, undoNo('a')],
);

describe('for one revision', () => {
  const at = (event: typeof resubmit, ifRevision: number) => ({ ...event, ifRevision });
  const { revision } = refused.record;
  transitions([
    [
      'a resubmit leaves a later one alone',
      refused,
      50,
      at(resubmit, revision - 1),
      ignored('changed'),
    ],
    [
      'a cancel leaves a later one alone',
      refused,
      50,
      at(cancel, revision + 1),
      ignored('changed'),
    ],
    [
      'what it was seen at is resubmitted',
      refused,
      50,
      at(resubmit, revision),
      ['Pending a:-1*2 b:R1<1000 c:- d:-', 'nudge'],
    ],
  ]);
});

describe('resubmit', () => {
  transitions([
    [
      'is for stopped orders: one that is Processing is left alone',
      started,
      5,
      resubmit,
      ignored('not-in-error'),
    ],
    ['leaves a Pending order alone', holding, 5, resubmit, ignored('not-in-error')],
    ['leaves a Processed order alone', done, 50, resubmit, ignored('not-in-error')],
    ['leaves an Undone order alone', undone, 50, resubmit, ignored('not-in-error')],
    [
      'after a fault that excluded any effect tries the step again under a new key',
      refused,
      50,
      resubmit,
      ['Pending a:-1*2 b:R1<1000 c:- d:-', 'nudge'],
    ],
    [
      'sends the new key with the next attempt',
      play(refused, [50, resubmit]),
      60,
      claim(),
      ['Processing a:R2*2<1060 b:R1<1000 c:- d:-', 'perform a2 o-1/a#2 <1060'],
    ],
    [
      'after a fault with a possible effect tries the step again under the same key',
      play(started, [5, no('a', 1, 'possible')]),
      50,
      resubmit,
      ['Pending a:-1?1000 b:R1<1000 c:- d:-', 'nudge'],
    ],
    [
      'after a timeout tries the step again under the same key, its failures forgotten',
      exhausted,
      2_000,
      resubmit,
      ['Pending a:-1?1000 b:C1 c:- d:-', 'nudge'],
    ],
    [
      'forgets the failures of every step',
      play(started, [5, no('a')], [1_001, expire]),
      2_000,
      resubmit,
      ['Pending a:-1*2 b:-1?1000 c:- d:-', 'nudge'],
    ],
    [
      'of a stuck undo continues the undo',
      stuck,
      50,
      resubmit,
      ['Pending undo a:C2 b:F1', 'nudge'],
    ],
    [
      'of a stuck undo tries it again with the next attempt',
      play(stuck, [50, resubmit]),
      60,
      claim(),
      ['Processing undo a:Uc3<1060 b:F1', 'undo a3 o-1/a/undo <1060'],
    ],
  ]);

  it('forgets the fault of an order that goes forward', () => {
    expect(play(refused, [50, resubmit]).record.fault).toBeNull();
  });

  it('keeps the fault of an order in the undo direction', () => {
    expect(play(stuck, [50, resubmit]).record.fault?.code).toBe('undo-stuck');
  });

  it('uses a third key after the second refusal', () => {
    const again = play(refused, [50, resubmit], [60, claim()], [70, no('a', 2)], [80, resubmit]);
    expect(again.record.steps[0]).toMatchObject({ keyGeneration: 3, attempt: 2 });
  });

  it('undoes the perform of the latest key', () => {
    const again = play(refused, [10, ok('b')], [50, resubmit], [60, claim()], [70, ok('a', 2)]);
    const { record } = play(again, [80, no('c')]);
    expect(record.steps[0]).toMatchObject({ keyGeneration: 2, progress: { state: 'Undoing' } });
  });

  it('is in the history with who did it', () => {
    expect(play(refused, [50, resubmit]).record.history.at(-1)).toEqual({
      type: 'resubmit',
      corrections: [],
      at: epoch + 50,
      by: 'olga',
    });
  });
});

describe('cancel', () => {
  const irreversible = play(submit(flow({ a: { irreversible: true }, b: { after: ['a'] } })), [
    0,
    claim(),
  ]);
  const waiting = play(started, [10, ok('a')], [1_001, expire]);
  transitions([
    [
      'of an unclaimed order ends it at the next claim',
      holding,
      5,
      cancel,
      ['Pending undo a:- b:- c:- d:-', 'nudge'],
    ],
    [
      'of an order without any call ends it Undone',
      play(holding, [5, cancel]),
      6,
      claim(),
      ['Undone undo a:- b:- c:- d:-'],
    ],
    [
      'of a Processing order lets what runs drain, and starts nothing',
      started,
      5,
      cancel,
      ['Processing undo a:R1<1000 b:R1<1000 c:- d:-'],
    ],
    [
      'starts the undo when all has drained',
      play(started, [5, cancel], [10, ok('a')]),
      20,
      no('b'),
      ['Processing undo a:Uc2<1020 b:F1 c:- d:-', 'undo a2 o-1/a/undo <1020'],
    ],
    [
      'of a waiting order asks for a claim, and forgets the failures',
      waiting,
      1_100,
      cancel,
      ['Pending undo a:C1 b:-1?1000 c:- d:-', 'nudge'],
    ],
    [
      'of an order in a cool-down need not wait for its end',
      play(
        submit(flow({ a: { retries: 0, coolDown: { after: 5_000, times: 1 } } })),
        [0, claim()],
        [1_001, expire],
      ),
      1_100,
      cancel,
      ['Pending undo a:-1?1000', 'nudge'],
    ],
    [
      'of a stopped order undoes it',
      refused,
      20,
      cancel,
      ['Pending undo a:F1 b:R1<1000 c:- d:-', 'nudge'],
    ],
    ['of a Processed order is refused', done, 50, cancel, ignored('ended')],
    ['of an Undone order is refused', undone, 50, cancel, ignored('ended')],
    [
      'of an order in the undo direction is refused',
      play(started, [5, cancel]),
      50,
      cancel,
      ignored('already-undoing'),
    ],
    ['of an order whose undo is stuck is refused', stuck, 50, cancel, ignored('already-undoing')],
    [
      'is refused while an irreversible step runs',
      irreversible,
      5,
      cancel,
      ignored('irreversible'),
    ],
    [
      'is refused after an irreversible step',
      play(irreversible, [5, ok('a')]),
      6,
      cancel,
      ignored('irreversible'),
    ],
    [
      'is refused while an irreversible step is in doubt',
      play(irreversible, [1_001, expire]),
      1_002,
      cancel,
      ignored('irreversible'),
    ],
    [
      'is accepted before an irreversible step',
      play(started, [10, ok('a')]),
      20,
      cancel,
      ['Processing undo a:C1 b:R1<1000 c:- d:-'],
    ],
    [
      'is accepted when an irreversible step failed for sure',
      play(
        submit(flow({ a: { irreversible: true, onFault: 'hold' } })),
        [0, claim()],
        [5, no('a')],
      ),
      10,
      cancel,
      ['Pending undo a:F1', 'nudge'],
    ],
  ]);

  it('says who cancelled', () => {
    expect(play(started, [5, cancel]).record).toMatchObject({
      lockedBy: 's-1',
      fault: {
        code: 'cancelled',
        message: 'Cancelled by olga.',
        effect: 'none',
        step: null,
        action: null,
      },
    });
  });

  it('of a stopped order forgets the fault that stopped it', () => {
    expect(play(refused, [20, cancel]).record.fault?.code).toBe('cancelled');
  });

  it('ends with everything undone', () => {
    const { record } = play(started, [5, cancel], [10, ok('a')], [20, no('b')], [30, undoOk('a')]);
    expect(record).toMatchObject({ processState: 'Undone', fault: { code: 'cancelled' } });
  });

  it('is in the history with who did it', () => {
    expect(play(started, [5, cancel]).record.history.at(-1)).toEqual({
      type: 'cancel',
      at: epoch + 5,
      by: 'olga',
    });
  });
});

describe('reprioritise', () => {
  const open = { hold: 'circuit', until: 4_000 } as const;
  const waiting = play(gated(holding, { a: open, b: open }), [0, claim()]);
  transitions([
    [
      'nudges an order that waits for a claim',
      holding,
      5,
      reprioritise('low'),
      ['Pending a:- b:- c:- d:-', 'nudge'],
    ],
    [
      'leaves calls in flight alone',
      started,
      5,
      reprioritise('low'),
      ['Processing a:R1<1000 b:R1<1000 c:- d:-'],
    ],
    [
      'leaves a cool-down as long as it is, and asks in the new class for the claim after it',
      play(
        submit(flow({ a: { retries: 0, coolDown: { after: 5_000, times: 1 } } })),
        [0, claim()],
        [1_001, expire],
      ),
      2_000,
      reprioritise('normal'),
      ['Pending from 6001 a:-1!1?1000', 'nudge at 6001'],
    ],
    [
      'leaves what is held to its gate, which knows the new priority from the record',
      waiting,
      5,
      reprioritise('low'),
      ['Pending from 4000 a:H-@circuit 4000 b:H-@circuit 4000 c:- d:-'],
    ],
    [
      'is for stopped orders too, which stay stopped',
      refused,
      50,
      reprioritise('normal'),
      ['Error(refused) a:F1 b:R1<1000 c:- d:-'],
    ],
    [
      'of the present class changes nothing',
      holding,
      5,
      reprioritise('high'),
      ignored('same-priority'),
    ],
    ['leaves a Processed order alone', done, 50, reprioritise('low'), ignored('ended')],
    ['leaves an Undone order alone', undone, 50, reprioritise('low'), ignored('ended')],
    [
      'leaves another revision alone',
      holding,
      5,
      { ...reprioritise('low'), ifRevision: 7 },
      ignored('changed'),
    ],
  ]);

  it('gives the class to the record, to what is sent from then on, and to the history', () => {
    const low = play(holding, [5, reprioritise('low')]);
    expect(low.record.priority).toBe('low');
    expect(low.record.history.at(-1)).toEqual({
      ...{ type: 'reprioritise', at: epoch + 5, by: 'olga', priority: 'low', from: 'high' },
    });
    const classesOf = (event: RecordEvent, situation: Situation) => {
      const decision = decide(situation.record, event, situation.known, epoch + 6);
      if (decision.kind === 'ignored') return decision.reason;
      return decision.commands.map((command) =>
        command.kind === 'nudge' ? command.nudge.priority : command.request.priority,
      );
    };
    expect(classesOf(reprioritise('low'), holding)).toEqual(['low']);
    expect(classesOf(claim(), low)).toEqual(['low', 'low']);
  });

  it('resets no limit on claims', () => {
    const again = play(started, [1_001, expire], [1_002, reprioritise('low')]);
    expect(claimsSinceOperator(again.record.history)).toBe(1);
  });
});
