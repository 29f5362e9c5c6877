/** The attempts before an order stopped, and their text in alerts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attemptSummaryOf } from '#core/model/attempts/attempt-summary.ts';
import { changeOf } from '#core/model/change.ts';
import { shortened } from '#core/model/history.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { orderText, troubleText } from '#text/alert-text.ts';
import { endedIn, steadyMoves } from './ended-in.ts';
import {
  claim,
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
  undoNo,
} from './support.ts';
import { live, workflows } from './world.ts';

/** Two rounds of two attempts, a cool-down of 100 ms between them; each attempt may take 1,000 ms. */
const patient = submit(
  flow({ a: { retries: 1, coolDown: { after: 100, times: 1 }, onExhausted: 'hold' } }),
);
const rounds: Parameters<typeof play>[1][] = [
  [0, claim()],
  [1_001, expire],
  [1_002, claim()],
  [2_003, expire],
  [2_103, claim()],
  [3_104, expire],
  [3_105, claim()],
  [4_106, expire],
];
const exhausted = play(patient, ...rounds);
const agent = 'svc-a';
/** Three rounds of one attempt. */
const undoPolicy = { retries: 0, coolDown: { after: 100, times: 2 } };

const neverCalled = play(
  gated(submit(flow({ a: { retries: 3, holdMax: 1_000, onExhausted: 'hold' } })), {
    a: { hold: 'limit', until: 500 },
  }),
  [0, claim()],
  [2_000, claim()],
);

describe('what was tried', () => {
  it.each<[string, Situation, object | null]>([
    ['nothing, while it is not in Error', play(patient, [0, claim()], [1_001, expire]), null],
    [
      'one attempt that its agent reported as failed',
      play(submit(flow({ a: { onFault: 'hold' } })), [0, claim()], [5, no('a')]),
      { agent, attempts: 1, coolDowns: 0, since: epoch + 5 },
    ],
    [
      'all rounds, which timed out',
      exhausted,
      { agent, attempts: 4, coolDowns: 1, since: epoch + 1_001 },
    ],
    [
      'nothing of before a resubmit',
      play(
        submit(flow({ a: { retries: 1, onExhausted: 'hold', onFault: 'hold' } })),
        [0, claim()],
        [1_001, expire],
        [1_002, claim()],
        [2_003, expire],
        [3_000, resubmit],
        [3_001, claim()],
        [3_005, no('a', 3)],
      ),
      { agent, attempts: 1, coolDowns: 0, since: epoch + 3_005 },
    ],
    [
      'a round, its cool-down, and a fault',
      play(
        submit(flow({ a: { retries: 1, coolDown: { after: 100, times: 1 }, onFault: 'hold' } })),
        ...rounds.slice(0, 4),
        [2_103, claim()],
        [2_110, no('a', 3)],
      ),
      { agent, attempts: 3, coolDowns: 1, since: epoch + 1_001 },
    ],
    [
      'not what a restart cut short',
      play(
        submit(flow({ a: { onFault: 'hold' } })),
        [0, claim()],
        [10, interrupt('restart', 10)],
        [11, claim()],
        [15, no('a', 2)],
      ),
      { agent, attempts: 1, coolDowns: 0, since: epoch + 15 },
    ],
    [
      'no fault of before a resubmit',
      play(
        submit(flow({ a: { onFault: 'hold' } })),
        [0, claim()],
        [5, no('a')],
        [1_000, resubmit],
        [1_001, claim()],
        [1_005, no('a', 2)],
      ),
      { agent, attempts: 1, coolDowns: 0, since: epoch + 1_005 },
    ],
    [
      'not what befell another step',
      play(
        submit(flow({ a: { onFault: 'hold' }, b: { onFault: 'hold' } })),
        [0, claim()],
        [5, no('a')],
        [6, no('b')],
      ),
      { agent, attempts: 1, coolDowns: 0, since: epoch + 5 },
    ],
    [
      'the undo alone, where the step had timed out before it was done',
      play(
        submit(flow({ a: {}, b: { after: ['a'] } })),
        [0, claim()],
        [1_001, expire],
        [1_002, claim()],
        [1_005, ok('a', 2)],
        [1_010, no('b')],
        [1_020, undoNo('a', 3)],
      ),
      { agent, attempts: 1, coolDowns: 0, since: epoch + 1_020 },
    ],
    [
      'the undo that timed out, and not the step that had',
      play(
        submit(flow({ a: { retries: 1, undoPolicy }, b: { after: ['a'] } })),
        [0, claim()],
        [1_001, expire],
        [1_002, claim()],
        [1_005, ok('a', 2)],
        [1_010, no('b')],
        [2_011, expire],
        [2_111, claim()],
        [3_112, expire],
        [3_212, claim()],
        [4_213, expire],
      ),
      { agent, attempts: 3, coolDowns: 2, since: epoch + 2_011 },
    ],
    [
      'what timed out behind an irreversible step, after which the order cannot be undone',
      play(
        submit(flow({ a: { after: ['b'], retries: 1 }, b: { irreversible: true } })),
        [0, claim()],
        [5, ok('b')],
        [1_100, expire],
        [1_101, claim()],
        [2_200, expire],
      ),
      { agent, attempts: 2, coolDowns: 0, since: epoch + 1_100 },
    ],
    [
      'the undo alone, where that is stuck',
      play(
        submit(flow({ a: {}, b: { after: ['a'] } })),
        [0, claim()],
        [5, ok('a')],
        [10, no('b')],
        [20, undoNo('a')],
      ),
      { agent, attempts: 1, coolDowns: 0, since: epoch + 20 },
    ],
  ])('is %s', (_, { record }, tried) => {
    expect(attemptSummaryOf(record)).toEqual(tried);
  });

  it('is nothing where no call stopped the order', () => {
    const { record } = exhausted;
    if (record.processState !== 'Error') throw new Error('not in Error');
    const parked = { ...record, fault: { ...record.fault, step: null } };
    expect(attemptSummaryOf(parked)).toBeNull();
  });

  it('is nothing where no attempt was made, because the step was held for too long', () => {
    const { record } = neverCalled;
    expect(record).toMatchObject({ processState: 'Error', fault: { code: 'exhausted' } });
    expect(attemptSummaryOf(record)).toBeNull();
  });

  it('counts those of which a shortened history has no entry', () => {
    const six = submit(flow({ a: { retries: 5, onExhausted: 'hold' } }));
    const tries = [0, 1, 2, 3, 4, 5].flatMap((at): Parameters<typeof play>[1][] => [
      [at * 2_000, claim()],
      [at * 2_000 + 1_001, expire],
    ]);
    const { record } = play(six, ...tries);
    const summary = attemptSummaryOf({ ...record, history: shortened(record.history) });
    expect(summary).toMatchObject({ attempts: 6, coolDowns: 0 });
  });

  it('counts the attempts that were made, in every world', () => {
    const world = fc.property(workflows, steadyMoves, (definition, drawn) => {
      const { written } = live(definition, drawn, () => {});
      for (const [revision, record] of written.entries()) {
        if (record.processState !== 'Error' || record.fault.step === null) continue;
        // What an attempt of an order did that is being undone, its history mostly shows.
        if (record.direction === 'undo') continue;
        const made = failedBefore(written.slice(0, revision + 1), record);
        expect(attemptSummaryOf(record)?.attempts ?? 0).toBe(made);
      }
    });
    fc.assert(world, { numRuns: 400 });
  });
});

/** As the revisions show it: the failed attempts of the step that stopped the order, since the last resubmit. */
function failedBefore(written: readonly ProcessRecord[], { fault }: ProcessRecord): number {
  const resubmitted = written.findLastIndex(({ history }) => history.at(-1)?.type === 'resubmit');
  const isFailure = (type?: string) =>
    type === 'expired' || type === 'stepFailed' || type === 'undoFailed';
  return endedIn(written).filter(
    ({ step, action, by, type }) =>
      step === fault?.step &&
      action === (fault.action ?? 'perform') &&
      by > resubmitted &&
      isFailure(type),
  ).length;
}

describe('an alert says', () => {
  const said = ({ record }: Situation, more: object = {}) => {
    const change = changeOf('Processing', record);
    if (change === null) throw new Error('no change');
    return troubleText({ ...change, ...more });
  };
  const held = play(submit(flow({ a: { onFault: 'hold' } })), [0, claim()], [5, no('a')]);
  const tried = { agent, attempts: 4, coolDowns: 2, since: epoch };

  it.each<[string, string]>([
    [said(held), 'step a: No (refused), after 1 attempt'],
    [
      said(exhausted),
      'step a: Step a timed out 4 times (exhausted), after 4 attempts and 1 cool-down, failing for 3 s',
    ],
    [
      said(held, { tried, at: epoch + 89_000 }),
      'step a: No (refused), after 4 attempts and 2 cool-downs, failing for 89 s',
    ],
    [
      said(held, { tried, at: epoch + 90_000 }),
      'step a: No (refused), after 4 attempts and 2 cool-downs, failing for 2 min',
    ],
    [
      said(held, { tried, at: epoch + 5_400_000 }),
      'step a: No (refused), after 4 attempts and 2 cool-downs, failing for 2 h',
    ],
    [
      said(held, { tried, at: epoch + 129_600_000 }),
      'step a: No (refused), after 4 attempts and 2 cool-downs, failing for 2 days',
    ],
    [said(held, { tried: null }), 'step a: No (refused)'],
    [
      said(neverCalled),
      'step a: Step a was held for 2 s because a limit of its agent had no room for it (exhausted)',
    ],
    [
      said(held, {
        tried: null,
        fault: { step: null, action: null, code: 'unknown', message: 'It is unknown.' },
      }),
      'It is unknown (unknown)',
    ],
    [
      said(held, { fault: { step: 'a', action: 'undo', code: 'undo-stuck', message: 'Stuck.' } }),
      'undo of step a: Stuck (undo-stuck), after 1 attempt',
    ],
    [said(held, { fault: null }), 'it stopped without a fault'],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
  });

  it('names the order and its correlation id', () => {
    const { orderId } = held.record;
    expect(orderText({ orderId, correlationId: null })).toBe('Order o-1');
    expect(orderText({ orderId, correlationId: 'po-7' })).toBe('Order o-1 (po-7)');
  });
});
