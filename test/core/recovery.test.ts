/** Recovery by the Supervisor, one line per transition: expired and interrupted (R11, R14, R16, R20). */
import { describe, expect, it } from 'vitest';
import { decide } from '#core/decide/decide.ts';
import { dueAt } from '#core/decide/due.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { limits } from '#core/model/limits.ts';
import {
  beat,
  cancel,
  claim,
  diamond,
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

type Script = readonly (readonly [number, RecordEvent])[];
/** The order's one step timed out so many times, and was claimed again each time but the last. */
const timedOut = (from: Situation, times: number, every = 2_000): Situation => {
  const script: Script = Array.from({ length: times }, (_, at) => [
    [at * every, claim()] as const,
    [at * every + 1_001, expire] as const,
  ]).flat();
  return play(from, ...script);
};
const running = (from: Situation, ms: number): Situation => play(from, [ms, claim()]);

const pending = submit(diamond());
const started = running(pending, 0);
const done = play(started, [1, ok('a')], [2, ok('b')], [3, ok('c')], [4, ok('d')]);

describe('expired', () => {
  const one = submit(flow({ a: {} }));
  const cooling = submit(flow({ a: { retries: 0, coolDown: { after: 700, times: 2 } } }));
  const holding = submit(flow({ a: { retries: 0, onExhausted: 'hold' }, b: { retries: 0 } }));
  const mixed = submit(flow({ a: { retries: 0 }, b: {}, c: { retries: 0, onExhausted: 'hold' } }));
  const uneven = submit(flow({ a: {}, b: { completeWithin: 5_000 } }));
  const held = play(submit(flow({ a: { onFault: 'hold' }, b: {} })), [0, claim()], [5, no('a')]);
  transitions([
    ['at complete-by comes too soon', started, 1_000, expire, ignored('not-due')],
    [
      'after it withdraws every late attempt, and requests a claim',
      started,
      1_001,
      expire,
      ['Pending a:-1!1?1000 b:-1!1?1000 c:- d:-', 'nudge'],
    ],
    [
      'leaves the steps that still have time',
      running(uneven, 0),
      1_001,
      expire,
      ['Pending a:-1!1?1000 b:R1<5000', 'nudge'],
    ],
    [
      'after the last attempt begins the undo',
      running(timedOut(one, 1), 2_000),
      3_001,
      expire,
      ['Pending undo a:F2?3000', 'nudge'],
    ],
    [
      'after the last attempt of a round waits for the cool-down',
      running(cooling, 0),
      1_001,
      expire,
      ['Pending from 1701 a:-1!1?1000', 'nudge at 1701'],
    ],
    [
      'after the last attempt of the last round but one waits once more',
      running(timedOut(cooling, 1), 2_000),
      3_001,
      expire,
      ['Pending from 3701 a:-2!2?3000', 'nudge at 3701'],
    ],
    [
      'after several attempts of a round waits for the cool-down too',
      running(timedOut(submit(flow({ a: { coolDown: { after: 700, times: 1 } } })), 1), 2_000),
      3_001,
      expire,
      ['Pending from 3701 a:-2!2?3000', 'nudge at 3701'],
    ],
    [
      'after the last attempt of the last round turns the order back',
      running(timedOut(cooling, 2), 4_000),
      5_001,
      expire,
      ['Pending undo a:F3?5000', 'nudge'],
    ],
    [
      'with `hold` stops the order, regardless of other steps',
      running(holding, 0),
      1_001,
      expire,
      ['Error(exhausted) a:F1!1?1000 b:F1!1?1000'],
    ],
    [
      'with `hold` for one of several stops the order',
      running(mixed, 0),
      1_001,
      expire,
      ['Error(exhausted) a:F1!1?1000 b:-1!1?1000 c:F1!1?1000'],
    ],
    [
      'turns the order back even where another step could be tried again',
      running(submit(flow({ a: {}, b: { retries: 0 } })), 0),
      1_001,
      expire,
      ['Pending undo a:-1?1000 b:F1?1000', 'nudge'],
    ],
    [
      'of one step waits for the longest cool-down of several',
      running(
        submit(
          flow({
            a: { retries: 0, coolDown: { after: 900, times: 1 } },
            b: { retries: 0, coolDown: { after: 300, times: 1 } },
            c: {},
          }),
        ),
        0,
      ),
      1_001,
      expire,
      ['Pending from 1901 a:-1!1?1000 b:-1!1?1000 c:-1!1?1000', 'nudge at 1901'],
    ],
    [
      'does not cut a cool-down short when another step expires meanwhile',
      play(
        submit(
          flow({
            a: { retries: 0, coolDown: { after: 5_000, times: 1 } },
            b: { completeWithin: 2_000 },
          }),
        ),
        [0, claim()],
        [1_001, expire],
      ),
      2_001,
      expire,
      ['Pending from 6001 a:-1!1?1000 b:-1!1?2000', 'nudge at 6001'],
    ],
    [
      'in a stopped order takes late steps back, and the order stays stopped',
      held,
      1_001,
      expire,
      ['Error(refused) a:F1 b:-1!1?1000'],
    ],
    [
      'of a step that had no time left, in a stopped order, fails that step',
      play(submit(flow({ a: { onFault: 'hold' }, b: { retries: 0 } })), [0, claim()], [5, no('a')]),
      1_001,
      expire,
      ['Error(refused) a:F1 b:F1!1?1000'],
    ],
    [
      'in a stopped order with nothing out is not due',
      play(held, [10, ok('b')]),
      99_999,
      expire,
      ignored('not-due'),
    ],
    [
      'in the undo direction counts no failure of the step for a perform',
      play(started, [5, no('a')]),
      1_001,
      expire,
      ['Pending undo a:F1 b:-1?1000 c:- d:-', 'nudge'],
    ],
    [
      'of an irreversible step stops the order, though it may have happened',
      play(submit(flow({ a: { irreversible: true, retries: 0 } })), [0, claim()]),
      1_001,
      expire,
      ['Error(exhausted) a:F1!1?1000'],
    ],
    [
      'that would turn the order back stops it where an irreversible step was done',
      play(
        submit(flow({ a: { irreversible: true }, b: { after: ['a'], retries: 0 } })),
        [0, claim()],
        [1, ok('a')],
      ),
      1_002,
      expire,
      ['Error(irreversible) a:C1 b:F1?1001'],
    ],
    ['after the end is not due', done, 99_999, expire, ignored('not-due')],
  ]);

  it('counts each late step once, in the record', () => {
    expect(play(started, [1_001, expire]).record.failureCount).toBe(2);
    expect(play(started, [5, no('a')], [1_001, expire]).record.failureCount).toBe(1);
  });

  it('notes in the history which steps it found', () => {
    const { history } = play(started, [10, ok('b')], [1_001, expire]).record;
    expect(history.at(-1)).toEqual({ type: 'expired', at: epoch + 1_001, steps: ['a'], nudges: 0 });
  });

  it('names the exhausted step when it stops the order', () => {
    const { record } = play(holding, [0, claim()], [1_001, expire]);
    const fault = {
      code: 'exhausted',
      message: 'Step a timed out.',
      effect: 'possible',
    };
    expect(record.fault).toEqual({ ...fault, step: 'a', action: 'perform' });
    expect(record.steps[0]?.progress).toEqual({ state: 'Failed', fault });
  });

  it('names the exhausted step when it begins the undo', () => {
    const { record } = play(timedOut(one, 1), [2_000, claim()], [3_001, expire]);
    expect(record.fault).toMatchObject({
      message: 'Step a timed out 2 times.',
      step: 'a',
    });
  });

  it('stops an order with an irreversible step, and its fault contains the cause', () => {
    const { record } = play(
      submit(flow({ a: { irreversible: true }, b: { after: ['a'], retries: 0 } })),
      [0, claim()],
      [1, ok('a')],
      [1_002, expire],
    );
    expect(record.direction).toBe('forward');
    expect(record.fault).toEqual({
      code: 'irreversible',
      message:
        'Cannot undo: step a happened, or may have, and is irreversible. The cause: Step b timed out.',
      effect: 'possible',
      step: 'b',
      action: 'perform',
    });
  });

  it('makes the order claimable at once, and nudges', () => {
    const { record } = play(started, [1_001, expire]);
    expect(record).toMatchObject({ notBefore: epoch + 1_001, completeBy: epoch + 11_001 });
    const back = play(started, [5, no('a')], [1_001, expire]);
    expect(back.record.notBefore).toBe(epoch + 1_001);
    const decision = decide(started.record, expire, null, epoch + 1_001);
    expect(decision).toMatchObject({
      commands: [{ kind: 'nudge', nudge: { orderId: 'o-1', priority: 'high' } }],
    });
  });

  it('never needs a definition', () => {
    expect(decide(started.record, expire, null, epoch + 1_001)).toEqual(
      decide(started.record, expire, started.known, epoch + 1_001),
    );
  });
});

describe('an unclaimed order', () => {
  const cooling = play(
    submit(flow({ a: { retries: 0, coolDown: { after: 700, times: 2 } } })),
    [0, claim()],
    [1_001, expire],
  );
  const half = play(
    submit(flow({ a: {}, b: { completeWithin: 30_000 } })),
    [0, claim()],
    [1_001, expire],
  );
  transitions([
    ['is left alone during the pick-up grace', pending, 9_999, expire, ignored('not-due')],
    ['is nudged after it', pending, 10_000, expire, ['Pending a:- b:- c:- d:-', 'nudge']],
    ['is left alone during its cool-down', cooling, 1_700, expire, ignored('not-due')],
    [
      'is nudged when its cool-down is over',
      cooling,
      1_701,
      expire,
      ['Pending a:-1!1?1000', 'nudge'],
    ],
    [
      'is nudged while another step still runs',
      half,
      11_001,
      expire,
      ['Pending a:-1!1?1000 b:R1<30000', 'nudge'],
    ],
  ]);

  it('counts no failure', () => {
    const { record } = play(pending, [10_000, expire]);
    expect(record.failureCount).toBe(0);
    expect(record.history.at(-1)).toEqual({
      type: 'expired',
      at: epoch + 10_000,
      steps: [],
      nudges: 1,
    });
  });

  it('is nudged again after another grace', () => {
    const nudged = play(pending, [10_000, expire]);
    expect(dueAt(nudged.record)).toBe(epoch + 20_000);
    expect(decide(nudged.record, expire, null, epoch + 19_999).kind).toBe('ignored');
    expect(play(nudged, [20_000, expire]).record.history).toHaveLength(2);
  });
});

describe('interrupted', () => {
  const half = play(submit(flow({ a: {}, b: { completeWithin: 5_000 } })), [0, claim()]);
  const held = play(submit(flow({ a: { onFault: 'hold' }, b: {} })), [0, claim()], [5, no('a')]);
  const cooling = play(
    submit(
      flow({
        a: { retries: 0, coolDown: { after: 5_000, times: 1 } },
        b: { completeWithin: 2_000 },
      }),
    ),
    [0, claim()],
    [1_001, expire],
  );
  const undoing = play(
    submit(flow({ a: {}, b: { after: ['a'] } })),
    [0, claim()],
    [10, ok('a')],
    [20, no('b')],
  );
  const rampMax = limits.recoveryRampMaxMs;
  transitions([
    [
      'after a restart withdraws every attempt, counting nothing',
      half,
      100,
      interrupt('restart', 100),
      ['Pending a:-1?1000 b:-1?5000', 'nudge'],
    ],
    [
      'after an outage withdraws only late attempts',
      half,
      1_001,
      interrupt('outage', 1_001),
      ['Pending a:-1?1000 b:R1<5000', 'nudge'],
    ],
    [
      'after an outage withdraws only the attempts that it delayed',
      half,
      5_001,
      interrupt('outage', 5_001, ['b']),
      ['Pending a:R1<1000 b:-1?5000', 'nudge'],
    ],
    [
      'after an outage that made none of its steps late is not due',
      half,
      5_001,
      interrupt('outage', 5_001, []),
      ignored('not-due'),
    ],
    [
      'after an outage leaves what is in time',
      half,
      1_000,
      interrupt('outage', 1_000),
      ignored('not-due'),
    ],
    [
      'dispatches again at its place in the ramp',
      half,
      100,
      interrupt('restart', 3_100),
      ['Pending from 3100 a:-1?1000 b:-1?5000', 'nudge at 3100'],
    ],
    [
      'never dispatches later than the longest ramp',
      half,
      100,
      interrupt('restart', rampMax * 2),
      [`Pending from ${100 + rampMax} a:-1?1000 b:-1?5000`, `nudge at ${100 + rampMax}`],
    ],
    [
      'with a place in the past dispatches now',
      half,
      100,
      interrupt('restart', 50),
      ['Pending a:-1?1000 b:-1?5000', 'nudge'],
    ],
    [
      'keeps a cool-down that lasts longer than the ramp',
      cooling,
      2_001,
      interrupt('outage', 2_001),
      ['Pending from 6001 a:-1!1?1000 b:-1?2000', 'nudge at 6001'],
    ],
    [
      'leaves an order in its cool-down',
      play(cooling, [1_500, ok('b')]),
      2_001,
      interrupt('restart', 2_001),
      ignored('not-due'),
    ],
    [
      'nudges an unclaimed order',
      pending,
      50,
      interrupt('restart', 50),
      ['Pending a:- b:- c:- d:-', 'nudge'],
    ],
    [
      'schedules an unclaimed order in the ramp',
      pending,
      50,
      interrupt('restart', 60),
      ['Pending from 60 a:- b:- c:- d:-', 'nudge at 60'],
    ],
    [
      'in a stopped order takes calls back, and the order stays stopped',
      held,
      100,
      interrupt('restart', 100),
      ['Error(refused) a:F1 b:-1?1000'],
    ],
    [
      'in a stopped order with nothing out is not due',
      play(held, [10, ok('b')]),
      100,
      interrupt('restart', 100),
      ignored('not-due'),
    ],
    [
      'restores the state before the undo',
      undoing,
      100,
      interrupt('restart', 100),
      ['Pending undo a:C2 b:F1', 'nudge'],
    ],
    ['after the end is not due', done, 100, interrupt('restart', 100), ignored('not-due')],
  ]);

  it('counts no failure', () => {
    expect(play(half, [9_000, interrupt('outage', 9_000)]).record.failureCount).toBe(0);
  });

  it('notes in the history what it found and why', () => {
    const { record } = play(half, [1_001, interrupt('outage', 1_500)]);
    expect(record.history.at(-1)).toEqual({
      type: 'interrupted',
      at: epoch + 1_001,
      reason: 'outage',
      notBefore: epoch + 1_500,
      steps: ['a'],
      nudges: 0,
    });
  });

  it('notes a nudge as one', () => {
    const { record } = play(pending, [50, interrupt('restart', 60)]);
    expect(record.history.at(-1)).toMatchObject({ type: 'interrupted', steps: [], nudges: 1 });
  });
});

describe('a step whose attempt was withdrawn', () => {
  it('is performed again with the next attempt under the same key', () => {
    const again = play(started, [10, ok('b')], [1_001, expire]);
    const decision = decide(again.record, claim(), again.known, epoch + 1_002);
    expect(decision.kind === 'transition' && decision.commands).toMatchObject([
      { request: { step: 'a', attempt: 2, idempotencyKey: 'o-1/a', completeBy: epoch + 2_002 } },
    ]);
  });

  it('is not performed again once the order was cancelled', () => {
    const cancelled = play(started, [10, ok('b')], [1_001, expire], [1_002, cancel]);
    expect(play(cancelled, [1_003, claim()]).record.steps[0]?.attempt).toBe(2);
    expect(play(cancelled, [1_003, claim()]).record.steps[0]?.progress.state).toBe('Undoing');
  });

  it('starts over with its failures after a resubmit', () => {
    const stopped = play(
      submit(flow({ a: { onExhausted: 'hold' } })),
      [0, claim()],
      [1_001, expire],
      [1_002, claim()],
      [2_003, expire],
    );
    expect(stopped.record.processState).toBe('Error');
    expect(play(stopped, [3_000, resubmit]).record.steps[0]).toMatchObject({
      failures: 0,
      keyGeneration: 1,
      progress: { state: 'NotStarted' },
    });
  });

  it('had its complete-by moved by heartbeats, and is late only after the last', () => {
    const long = play(submit(flow({ a: { maxDuration: 9_000 } })), [0, claim()], [600, beat('a')]);
    expect(decide(long.record, expire, null, epoch + 1_600).kind).toBe('ignored');
    expect(play(long, [1_601, expire]).record.steps[0]?.doubtUntil).toBe(epoch + 1_600);
  });
});
