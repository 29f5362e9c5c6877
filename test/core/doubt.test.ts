/** The undo of steps in doubt, one line per transition: doubt, draining, irreversible steps (R10). */
import { describe, expect, it } from 'vitest';
import { decide } from '#core/decide/decide.ts';
import {
  beat,
  cancel,
  claim,
  diamond,
  epoch,
  expire,
  flow,
  gated,
  interrupt,
  no,
  ok,
  play,
  resubmit,
  type Situation,
  submit,
  transitions,
  undoOk,
} from './support.ts';

describe('a step in doubt', () => {
  const one = submit(flow({ a: {}, b: {} }));
  /** a may have happened and may still be at work until 1000; b is done. */
  const doubt = play(one, [0, claim()], [10, ok('b')], [20, no('a', 1, 'possible')]);
  const alone = play(
    submit(flow({ a: {}, b: { completeWithin: 400 } })),
    [0, claim()],
    [20, no('a', 1, 'possible')],
    [30, no('b', 1, 'possible')],
  );
  const chained = play(
    submit(flow({ a: {}, b: { after: ['a'], completeWithin: 9_000 } })),
    [0, claim()],
    [10, ok('a')],
    [20, no('b', 1, 'possible')],
  );
  transitions([
    [
      'is not undone while its agent may be at work; others are',
      play(one, [0, claim()], [10, ok('b')]),
      20,
      no('a', 1, 'possible'),
      ['Processing undo a:F1?1000 b:Uc2<1020', 'undo b2 o-1/b/undo <1020'],
    ],
    [
      'makes the order wait until its complete-by is past',
      doubt,
      30,
      undoOk('b'),
      ['Pending undo from 1001 a:F1?1000 b:Dc2', 'nudge at 1001'],
    ],
    [
      'is undone after that',
      play(doubt, [30, undoOk('b')]),
      1_001,
      claim(),
      ['Processing undo a:Uf2<2001?1000 b:Dc2', 'undo a2 o-1/a/undo <2001'],
    ],
    [
      'is undone at once when its complete-by is past',
      doubt,
      1_020,
      undoOk('b'),
      ['Processing undo a:Uf2<2020?1000 b:Dc2', 'undo a2 o-1/a/undo <2020'],
    ],
    [
      'is still waited for at its complete-by',
      doubt,
      1_000,
      undoOk('b'),
      ['Pending undo from 1001 a:F1?1000 b:Dc2', 'nudge at 1001'],
    ],
    [
      'of several, the order waits for the first that comes',
      play(
        submit(flow({ a: {}, b: { completeWithin: 400 } })),
        [0, claim()],
        [20, no('a', 1, 'possible')],
      ),
      30,
      no('b', 1, 'possible'),
      ['Pending undo from 401 a:F1?1000 b:F1?400', 'nudge at 401'],
    ],
    [
      'of several, the first is undone while the others wait',
      alone,
      401,
      claim(),
      ['Processing undo a:F1?1000 b:Uf2<801?400', 'undo b2 o-1/b/undo <801'],
    ],
    [
      'holds back what it came after',
      chained,
      9_011,
      claim(),
      ['Processing undo a:C1 b:Uf2<18011?9010', 'undo b2 o-1/b/undo <18011'],
    ],
    [
      'that was undone is in doubt no more',
      play(doubt, [30, undoOk('b')], [1_001, claim()]),
      1_100,
      undoOk('a'),
      ['Undone undo a:Df2 b:Dc2'],
    ],
    [
      'that timed out and was never tried again is undone too',
      play(one, [0, claim()], [10, ok('b')], [1_001, expire], [1_002, cancel]),
      1_003,
      claim(),
      [
        'Processing undo a:U-2<2003?1000 b:Uc2<2003',
        'undo b2 o-1/b/undo <2003',
        'undo a2 o-1/a/undo <2003',
      ],
    ],
    [
      'whose undo is late is in doubt as before',
      play(doubt, [30, undoOk('b')], [1_001, claim()]),
      2_002,
      expire,
      ['Pending undo a:F2!1?1000 b:Dc2', 'nudge'],
    ],
    [
      'that was performed again and refused for sure is in doubt no more',
      play(one, [0, claim()], [10, ok('b')], [1_001, expire], [1_002, claim()]),
      1_003,
      no('a', 2),
      ['Processing undo a:F2 b:Uc2<2003', 'undo b2 o-1/b/undo <2003'],
    ],
    [
      'without an effect to undo is not waited for',
      play(
        submit(flow({ a: { undo: 'unneeded' }, b: {} })),
        [0, claim()],
        [5, no('a', 1, 'possible')],
      ),
      10,
      no('b'),
      ['Undone undo a:F1?1000 b:F1'],
    ],
  ]);

  it('has no output in the request of its undo, because it is unknown', () => {
    const decision = decide(doubt.record, undoOk('b'), doubt.known, epoch + 1_020);
    expect(decision.kind === 'transition' && decision.commands).toMatchObject([
      { request: { step: 'a', output: null, performKey: 'o-1/a' } },
    ]);
  });

  it('starts its undo only one millisecond after the complete-by of its last heartbeat', () => {
    const beaten = play(
      submit(flow({ a: { maxDuration: 5_000 } })),
      [0, claim()],
      [600, beat('a')],
      [700, no('a', 1, 'possible')],
    );
    expect(beaten.record.notBefore).toBe(epoch + 1_601);
  });
});

describe('draining', () => {
  const back = play(submit(diamond({ a: { completeWithin: 9_000 } })), [0, claim()], [5, no('b')]);
  transitions([
    [
      'a step still running is waited for, and then undone',
      back,
      20,
      ok('a'),
      ['Processing undo a:Uc2<9020 b:F1 c:- d:-', 'undo a2 o-1/a/undo <9020'],
    ],
    [
      'a step that drains with a fault leaves nothing to undo',
      back,
      20,
      no('a'),
      ['Undone undo a:F1 b:F1 c:- d:-'],
    ],
    [
      'a step that drains without an answer is undone as in doubt',
      play(back, [9_001, expire]),
      9_002,
      claim(),
      ['Processing undo a:U-2<18002?9000 b:F1 c:- d:-', 'undo a2 o-1/a/undo <18002'],
    ],
    [
      'a claim starts no undo while a step is running',
      play(
        submit(flow({ a: { completeWithin: 9_000 }, b: {}, c: {} })),
        [0, claim()],
        [10, ok('c')],
        [1_001, expire],
        [1_002, cancel],
      ),
      1_003,
      claim(),
      ['Processing undo a:R1<9000 b:-1?1000 c:C1'],
    ],
    [
      'a restart withdraws the running attempt',
      back,
      30,
      interrupt('restart', 30),
      ['Pending undo a:-1?9000 b:F1 c:- d:-', 'nudge'],
    ],
  ]);
});

describe('an irreversible step', () => {
  const racing = play(submit(flow({ a: { irreversible: true, completeWithin: 9_000 }, b: {} })), [
    0,
    claim(),
  ]);
  const back = play(racing, [5, no('b')]);
  transitions([
    [
      'that still runs may yet fail, so the undo begins',
      racing,
      5,
      no('b'),
      ['Processing undo a:R1<9000 b:F1'],
    ],
    [
      'that fails without effect during the undo stops nothing',
      back,
      10,
      no('a'),
      ['Undone undo a:F1 b:F1'],
    ],
    [
      'that completes during the undo stops the order, in the forward direction',
      back,
      10,
      ok('a'),
      ['Error(irreversible) a:C1 b:F1'],
    ],
    [
      'that may have happened during the undo stops the order',
      back,
      10,
      no('a', 1, 'possible'),
      ['Error(irreversible) a:F1?9000 b:F1'],
    ],
    [
      'that drained without an answer stops it at the next claim',
      play(back, [9_001, expire]),
      9_002,
      claim(),
      ['Error(irreversible) a:-1?9000 b:F1'],
    ],
    [
      'that stopped the order lets a resubmit try the failed step again',
      play(back, [10, ok('a')], [20, resubmit]),
      30,
      claim(),
      ['Processing a:C1 b:R2*2<1030', 'perform b2 o-1/b#2 <1030'],
    ],
  ]);

  it('that was not started does not stop the undo', () => {
    const refused = play(submit(flow({ a: {}, b: { after: ['a'], irreversible: true } })), [
      0,
      claim(),
    ]);
    expect(play(refused, [5, no('a')]).record.processState).toBe('Undone');
  });
});

/** The code of a version may be deployed again: its functions are not in the fingerprint. */
describe('a step in doubt whose condition holds no more', () => {
  const gone = (situation: Situation, when = () => false): Situation => ({
    known: { ...situation.known, definition: flow({ a: { onExhausted: 'hold', when } }) },
    get record() {
      return situation.record;
    },
  });
  const before = submit(flow({ a: { onExhausted: 'hold', onFault: 'hold', when: () => true } }));
  const once = play(before, [0, claim()], [1_001, expire]);
  const stopped = play(once, [1_002, claim()], [2_003, expire], [2_004, resubmit]);
  const held = play(gated(once, { a: { hold: 'circuit', until: 1_500 } }), [1_002, claim()]);
  transitions([
    [
      'is performed again',
      gone(once),
      1_002,
      claim(),
      ['Processing a:R2!1<2002', 'perform a2 o-1/a <2002'],
    ],
    [
      'is performed again after a resubmit',
      gone(stopped),
      2_005,
      claim(),
      ['Processing a:R3<3005', 'perform a3 o-1/a <3005'],
    ],
    [
      'is performed again after it was held',
      gone({ ...held, known: before.known }),
      1_500,
      claim(),
      ['Processing a:R2!1<2500', 'perform a2 o-1/a <2500'],
    ],
    [
      'is performed again where the code of its condition fails',
      gone(once, () => {
        throw new Error('gone');
      }),
      1_002,
      claim(),
      ['Processing a:R2!1<2002', 'perform a2 o-1/a <2002'],
    ],
    [
      'is skipped once a fault has excluded its effect',
      gone(play(before, [0, claim()], [5, no('a')], [6, resubmit])),
      7,
      claim(),
      ['Processed a:S1*2'],
    ],
  ]);
});
