/** The undo direction, one line per transition (R10). */
import { describe, expect, it } from 'vitest';
import { decide } from '#core/decide/decide.ts';
import {
  cancel,
  claim,
  diamond,
  epoch,
  expire,
  flow,
  ignored,
  no,
  ok,
  play,
  resubmit,
  type Situation,
  submit,
  transitions,
  undoNo,
  undoOk,
} from './support.ts';

/** a and b are done, c was refused: both are being undone. */
const abDone = play(submit(diamond()), [0, claim()], [10, ok('a')], [20, ok('b')]);
const undoing = play(abDone, [30, no('c')]);
/** The same, where an undo has two attempts and no more. */
const undoPolicy = { retries: 1, coolDown: { after: 100, times: 0 } };
const impatient = play(
  submit(diamond({ a: { undoPolicy }, b: { undoPolicy } })),
  [0, claim()],
  [10, ok('a')],
  [20, ok('b')],
  [30, no('c')],
);
/** c came after a alone and is done; b was refused. */
const chain = play(
  submit(flow({ a: {}, b: {}, c: { after: ['a'] } })),
  [0, claim()],
  [10, ok('a')],
  [20, ok('c')],
);
const chainBack = play(chain, [30, no('b')]);

describe('the undo', () => {
  const middleUnneeded = play(
    submit(flow({ a: {}, b: { after: ['a'], undo: 'unneeded' }, c: { after: ['b'] }, x: {} })),
    [0, claim()],
    [10, ok('a')],
    [20, ok('b')],
    [30, ok('c')],
  );
  const skipped = play(
    submit(flow({ a: {}, b: { after: ['a'], when: () => false }, c: { after: ['b'] }, x: {} })),
    [0, claim()],
    [10, ok('a')],
    [20, ok('c')],
  );
  transitions([
    [
      'of independent steps runs in parallel',
      abDone,
      30,
      no('c'),
      [
        'Processing undo a:Uc2<1030 b:Uc2<1030 c:F1 d:-',
        'undo b2 o-1/b/undo <1030',
        'undo a2 o-1/a/undo <1030',
      ],
    ],
    [
      'of a step waits for the undo of what came after it',
      chain,
      30,
      no('b'),
      ['Processing undo a:C1 b:F1 c:Uc2<1030', 'undo c2 o-1/c/undo <1030'],
    ],
    [
      'of a step starts when what came after it is undone, in the same write',
      chainBack,
      40,
      undoOk('c'),
      ['Processing undo a:Uc2<1040 b:F1 c:Dc2', 'undo a2 o-1/a/undo <1040'],
    ],
    [
      'of the last step ends the order',
      play(chainBack, [40, undoOk('c')]),
      50,
      undoOk('a'),
      ['Undone undo a:Dc2 b:F1 c:Dc2'],
    ],
    [
      'leaves out a step without an effect, and still keeps the order around it',
      middleUnneeded,
      40,
      no('x'),
      ['Processing undo a:C1 b:C1 c:Uc2<1040 x:F1', 'undo c2 o-1/c/undo <1040'],
    ],
    [
      'passes over a step without an effect',
      play(middleUnneeded, [40, no('x')]),
      50,
      undoOk('c'),
      ['Processing undo a:Uc2<1050 b:C1 c:Dc2 x:F1', 'undo a2 o-1/a/undo <1050'],
    ],
    [
      'keeps the order around a skipped step',
      skipped,
      30,
      no('x'),
      ['Processing undo a:C1 b:S c:Uc2<1030 x:F1', 'undo c2 o-1/c/undo <1030'],
    ],
    [
      'passes over a skipped step',
      play(skipped, [30, no('x')]),
      40,
      undoOk('c'),
      ['Processing undo a:Uc2<1040 b:S c:Dc2 x:F1', 'undo a2 o-1/a/undo <1040'],
    ],
    [
      'of one of two waits for nothing but its own successors',
      undoing,
      40,
      undoOk('a'),
      ['Processing undo a:Dc2 b:Uc2<1030 c:F1 d:-'],
    ],
    [
      'of nothing but steps without an effect ends the order at once',
      play(
        submit(flow({ a: { undo: 'unneeded' }, b: { undo: 'unneeded' } })),
        [0, claim()],
        [1, ok('a')],
      ),
      10,
      no('b', 1, 'possible'),
      ['Undone undo a:C1 b:F1?1000'],
    ],
  ]);

  it('sends a request with the key and the output of the perform', () => {
    const decision = decide(chain.record, no('b'), chain.known, epoch + 30);
    expect(decision.kind === 'transition' && decision.commands).toEqual([
      {
        kind: 'request',
        request: {
          orderId: 'o-1',
          workflow: 'flow',
          step: 'c',
          agent: 'svc-c',
          attempt: 2,
          action: 'undo',
          idempotencyKey: 'o-1/c/undo',
          performKey: 'o-1/c',
          completeBy: epoch + 1_030,
          completeWithinMs: 1_000,
          endBy: epoch + 1_030,
          input: { for: 'c', outputs: { a: 'a done' } },
          output: 'c done',
          priority: 'high',
          tenant: 'acme',
        },
      },
    ]);
  });

  it('stores the state before it, with the output', () => {
    const before = { state: 'Completed', output: 'c done' };
    expect(chainBack.record.steps[2]?.progress).toMatchObject({ state: 'Undoing', before });
    const undone = play(chainBack, [40, undoOk('c')]).record;
    expect(undone.steps[2]).toMatchObject({
      progress: { state: 'Undone', before },
      doubtUntil: null,
    });
  });

  it('passes the same input to a step, even after the undo of its predecessors', () => {
    const decision = decide(
      play(chainBack, [40, undoOk('c')], [1_041, expire]).record,
      claim(),
      chain.known,
      epoch + 1_100,
    );
    expect(decision.kind === 'transition' && decision.commands[0]).toMatchObject({
      request: { step: 'a', output: 'a done', input: { for: 'a', outputs: {} } },
    });
  });

  it('leaves the cause of the undo in the ended order', () => {
    const { record } = play(chainBack, [40, undoOk('c')], [50, undoOk('a')]);
    expect(record.fault).toMatchObject({ code: 'refused', step: 'b', action: 'perform' });
    expect(record).toMatchObject({ lockedBy: null, completeBy: null });
  });

  it('parks the order when its definition is unknown, with the undo recorded', () => {
    const decision = decide(chainBack.record, undoOk('c'), null, epoch + 40);
    expect(decision).toMatchObject({
      record: {
        processState: 'Error',
        direction: 'undo',
        fault: { code: 'workflow-unknown' },
        steps: [{}, {}, { progress: { state: 'Undone' } }],
      },
    });
  });
});

describe('undo replies', () => {
  const pendingUndo = play(
    submit(flow({ a: { completeWithin: 5_000 }, b: {}, c: { after: ['a', 'b'] } })),
    [0, claim()],
    [10, ok('a')],
    [20, ok('b')],
    [30, no('c')],
    [1_031, expire],
  );
  const stuck = play(undoing, [40, undoNo('a')]);
  transitions([
    [
      'a fault stops the order, and the step is what it was',
      undoing,
      40,
      undoNo('a'),
      ['Error undo(undo-stuck) a:C2 b:Uc2<1030 c:F1 d:-'],
    ],
    [
      'a success in a stopped order is recorded, and starts nothing',
      stuck,
      50,
      undoOk('b'),
      ['Error undo(undo-stuck) a:C2 b:Dc2 c:F1 d:-'],
    ],
    [
      'a fault in a stopped order is recorded',
      stuck,
      50,
      undoNo('b'),
      ['Error undo(undo-stuck) a:C2 b:C2 c:F1 d:-'],
    ],
    [
      'a success in a Pending order is recorded, and ends nothing before the next claim',
      pendingUndo,
      1_100,
      undoOk('a'),
      ['Pending undo a:Dc2 b:C2!1 c:F1'],
    ],
    [
      'a fault in a Pending order stops it',
      pendingUndo,
      1_100,
      undoNo('a'),
      ['Error undo(undo-stuck) a:C2 b:C2!1 c:F1'],
    ],
    [
      'the next claim continues the undo',
      play(pendingUndo, [1_100, undoOk('a')]),
      1_200,
      claim(),
      ['Processing undo a:Dc2 b:Uc3!1<2200 c:F1', 'undo b3 o-1/b/undo <2200'],
    ],
    [
      'the next claim leaves alone what is under way',
      pendingUndo,
      1_200,
      claim(),
      ['Processing undo a:Uc2<5030 b:Uc3!1<2200 c:F1', 'undo b3 o-1/b/undo <2200'],
    ],
    [
      'a success of a withdrawn undo is ignored',
      play(undoing, [1_031, expire]),
      1_100,
      undoOk('a'),
      ignored('not-under-way'),
    ],
    [
      'a fault of a withdrawn undo is ignored',
      play(undoing, [1_031, expire]),
      1_100,
      undoNo('a'),
      ignored('not-under-way'),
    ],
    [
      'a success of the perform is ignored while its undo runs',
      undoing,
      40,
      ok('a', 2),
      ignored('not-under-way'),
    ],
    [
      'a fault of the perform is ignored while its undo runs',
      undoing,
      40,
      no('a', 2),
      ignored('not-under-way'),
    ],
    ['a late reply to the perform is ignored', undoing, 40, ok('a', 1), ignored('other-attempt')],
    [
      'one that waited until after complete-by counts',
      undoing,
      1_031,
      undoOk('a'),
      ['Processing undo a:Dc2 b:Uc2<1030 c:F1 d:-'],
    ],
    [
      'a second success is ignored',
      play(undoing, [40, undoOk('a')]),
      50,
      undoOk('a'),
      ignored('not-under-way'),
    ],
  ]);

  it('a fault says whose undo is stuck, and why', () => {
    expect(stuck.record.fault).toEqual({
      code: 'undo-stuck',
      message: 'Undo of step a failed with refused: No.',
      effect: 'possible',
      step: 'a',
      action: 'undo',
    });
  });

  it('a second fault leaves the first cause', () => {
    expect(play(stuck, [50, undoNo('b')]).record.fault?.step).toBe('a');
  });

  it('a fault is in the history with its words', () => {
    expect(stuck.record.history.at(-1)).toEqual({
      type: 'undoFailed',
      at: epoch + 40,
      step: 'a',
      attempt: 2,
      definitionUnknown: false,
      fault: { code: 'refused', message: 'No.', effect: 'possible' },
    });
  });
});

describe('an undo that is late', () => {
  const timeOutUndo = (from: Situation, times: number, ms = 1_031) =>
    play(
      from,
      ...Array.from({ length: times }, (_, at) => [
        [ms + at * 2_000, expire] as const,
        [ms + at * 2_000 + 999, claim()] as const,
      ]).flat(),
    );
  const patience = { retries: 0, coolDown: { after: 400, times: 2, factor: 3 } };
  const cooling = play(
    submit(flow({ a: { undoPolicy: patience }, b: { after: ['a'] } })),
    [0, claim()],
    [10, ok('a')],
    [30, no('b')],
  );
  transitions([
    [
      'is tried again, with a failure counted',
      undoing,
      1_031,
      expire,
      ['Pending undo a:C2!1 b:C2!1 c:F1 d:-', 'nudge'],
    ],
    [
      'is tried again with the next attempt, under the same key',
      play(undoing, [1_031, expire]),
      1_100,
      claim(),
      [
        'Processing undo a:Uc3!1<2100 b:Uc3!1<2100 c:F1 d:-',
        'undo b3 o-1/b/undo <2100',
        'undo a3 o-1/a/undo <2100',
      ],
    ],
    [
      'after the last attempt stops the order',
      timeOutUndo(impatient, 1),
      3_031,
      expire,
      ['Error undo(undo-stuck) a:C3!2 b:C3!2 c:F1 d:-'],
    ],
    [
      'waits for its cool-down',
      cooling,
      1_031,
      expire,
      ['Pending undo from 1431 a:C2!1 b:F1', 'nudge at 1431'],
    ],
    [
      'waits for its next cool-down, which is longer',
      timeOutUndo(cooling, 1),
      3_031,
      expire,
      ['Pending undo from 4231 a:C3!2 b:F1', 'nudge at 4231'],
    ],
    [
      'after the last cool-down stops the order',
      play(timeOutUndo(cooling, 1), [3_031, expire], [4_231, claim()]),
      5_232,
      expire,
      ['Error undo(undo-stuck) a:C4!3 b:F1'],
    ],
    [
      'has the full number of attempts, regardless of those of the perform',
      play(
        submit(flow({ a: {}, b: {} })),
        [0, claim()],
        [10, ok('b')],
        [1_001, expire],
        [1_002, claim()],
        [1_003, cancel],
        [1_004, ok('a', 2)],
      ),
      2_005,
      expire,
      ['Pending undo a:C3!1 b:C2!1', 'nudge'],
    ],
  ]);

  it('stops the order with a message for operators', () => {
    expect(play(timeOutUndo(impatient, 1), [3_031, expire]).record.fault).toEqual({
      code: 'undo-stuck',
      message: 'Undo of step a timed out 2 times.',
      effect: 'possible',
      step: 'a',
      action: 'undo',
    });
  });

  it('continues after a resubmit, with the failure count reset', () => {
    const stuck = play(timeOutUndo(impatient, 1), [3_031, expire]);
    const again = play(stuck, [4_000, resubmit], [4_001, claim()]);
    expect(again.record.steps[0]).toMatchObject({ attempt: 4, failures: 0, keyGeneration: 1 });
    expect(again.record.fault?.code).toBe('undo-stuck');
  });
});
