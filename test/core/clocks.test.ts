/** Repair of instants that a wrong clock wrote (R14). */
import { describe, expect, it } from 'vitest';
import { clockToleranceMs, dueHorizonMs } from '#core/decide/due.ts';
import { limits } from '#core/model/limits.ts';
import {
  claim,
  epoch,
  expire,
  flow,
  ignored,
  interrupt,
  no,
  ok,
  play,
  resubmit,
  type Situation,
  submit,
  transitions,
} from './support.ts';

describe('instants that no correct clock wrote', () => {
  const far = limits.maxDurationMaxMs * 2;
  const future = play(submit(flow({ a: {}, b: {} })), [0, claim()]);
  const fast = play(submit(flow({ a: {} })), [0, interrupt('outage', 0)]);
  const stepped = (ms: number): Situation => play(fast, [ms, interrupt('outage', ms)]);
  /** a may have happened until 1000; the resubmit was dated far ahead. */
  const nearDoubt = play(
    submit(flow({ a: { onFault: 'hold' } })),
    [0, claim()],
    [5, no('a', 1, 'possible')],
    [far, resubmit],
  );
  const inDoubt = play(
    submit(flow({ a: {}, b: { completeWithin: 5_000 } })),
    [far, claim()],
    [far + 1, no('a', 1, 'possible')],
    [far + 2, ok('b')],
  );
  /** a may happen until `far`; the order itself is due soon, by a clock that is right again. */
  const farDoubt = play(
    submit(flow({ a: { onFault: 'hold' } })),
    [far, claim()],
    [far + 1, no('a', 1, 'possible')],
    [0, resubmit],
  );
  /** Submitted and claimed by clocks that were ahead; what its step was given is due soon. */
  const early = play(
    submit(flow({ a: {}, b: { after: ['a'] } })),
    [limits.recoveryRampMaxMs, interrupt('outage', 2 * limits.recoveryRampMaxMs)],
    [2 * limits.recoveryRampMaxMs, claim()],
    [5, ok('a')],
  );
  transitions([
    [
      'the notBefore of a claimed order is ignored, of a correct and of a wrong clock',
      early,
      1_006,
      expire,
      ['Pending a:C1 b:-1!1?1005', 'nudge'],
    ],
    [
      'nor when an outage is interrupted',
      early,
      1_006,
      interrupt('outage', 1_006),
      ['Pending a:C1 b:-1?1005', 'nudge'],
    ],
    [
      'a doubt that no right clock wrote is shortened when its order is due',
      farDoubt,
      limits.pickUpGraceMs,
      expire,
      [`Pending a:-1?${limits.pickUpGraceMs + 1_000}`, 'nudge'],
    ],
    ['or before that, if a sweep meets it', farDoubt, 100, expire, ['Pending a:-1?1100', 'nudge']],
    [
      'an attempt whose complete-by is beyond deadline and tolerance is withdrawn, and no failure counted',
      future,
      -clockToleranceMs - 1,
      expire,
      [`Pending a:-1?${999 - clockToleranceMs} b:-1?${999 - clockToleranceMs}`, 'nudge'],
    ],
    [
      'a complete-by within the tolerance is believed',
      future,
      -clockToleranceMs,
      expire,
      ignored('not-due'),
    ],
    [
      'a notBefore past the horizon becomes now',
      stepped(far),
      far - dueHorizonMs - 1,
      expire,
      ['Pending a:-', 'nudge'],
    ],
    [
      'a notBefore at the horizon is believed, though its pick-up lies past it',
      stepped(far),
      far - dueHorizonMs,
      expire,
      [`Pending from ${far} a:-`],
    ],
    [
      'a pick-up at the horizon is believed',
      stepped(far),
      far + limits.pickUpGraceMs - dueHorizonMs,
      expire,
      ignored('not-due'),
    ],
    [
      'a doubt past the horizon is shortened to the deadline, so that its undo can start',
      inDoubt,
      100,
      expire,
      ['Pending undo a:F1?1100 b:C2', 'nudge'],
    ],
    [
      'leave a doubt as it is that a right clock may have written',
      nearDoubt,
      -clockToleranceMs,
      expire,
      ['Pending a:-1?1000', 'nudge'],
    ],
    [
      'shorten a doubt that no right clock wrote',
      nearDoubt,
      -clockToleranceMs - 1,
      expire,
      [`Pending a:-1?${999 - clockToleranceMs}`, 'nudge'],
    ],
    [
      'in a stopped order an attempt is withdrawn, and the order stays stopped',
      play(submit(flow({ a: { onFault: 'hold' }, b: {} })), [far, claim()], [far + 5, no('a')]),
      0,
      expire,
      ['Error(refused) a:F1 b:-1?1000'],
    ],
    [
      'of an order at its end are left alone',
      play(submit(flow({ a: {} })), [far, claim()], [far + 1, ok('a')]),
      -1 - dueHorizonMs,
      expire,
      ignored('not-due'),
    ],
    [
      'of a stopped order without calls in flight are unchanged',
      play(submit(flow({ a: { onFault: 'hold' } })), [0, claim()], [1, no('a')]),
      -1 - dueHorizonMs,
      expire,
      ignored('not-due'),
    ],
  ]);

  it('are in the history as withdrawn attempts', () => {
    const { record } = play(future, [-far, expire]);
    expect(record.history.at(-1)).toEqual({
      type: 'expired',
      at: epoch - far,
      steps: ['a', 'b'],
      nudges: 0,
    });
    expect(record.failureCount).toBe(0);
  });

  it('leave no doubt about a step without one', () => {
    const undoing = play(
      submit(flow({ a: {}, b: { after: ['a'] } })),
      [far, claim()],
      [far + 1, ok('a')],
      [far + 2, no('b')],
    );
    const { record } = play(undoing, [100, expire]);
    expect(record.steps[0]).toMatchObject({ progress: { state: 'Completed' }, doubtUntil: null });
  });
});
