/** Replies of agents in the forward direction, one line per transition (R4–R6). */
import { describe, expect, it } from 'vitest';
import { decide } from '#core/decide/decide.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { agentName } from '#core/model/ids.ts';
import {
  apply,
  beat,
  cancel,
  claim,
  diamond,
  effectOf,
  epoch,
  expire,
  flow,
  ignored,
  no,
  ok,
  play,
  resubmit,
  submit,
  transitions,
  undoNo,
  undoOk,
} from './support.ts';

const pending = submit(diamond());
const started = play(pending, [0, claim()]);
const aDone = play(started, [10, ok('a')]);
const cDone = play(aDone, [20, ok('b')], [30, ok('c')]);
const done = play(cDone, [40, ok('d')]);
const holding = play(submit(diamond({ a: { onFault: 'hold' } })), [0, claim()]);
const held = play(holding, [5, no('a')]);
/** b timed out and waits, while a still runs. */
const waiting = play(
  submit(diamond({ a: { completeWithin: 5_000 } })),
  [0, claim()],
  [1_001, expire],
);

describe('which replies count (R6)', () => {
  const other = (changes: object): RecordEvent => ({ ...ok('a'), ...changes });
  transitions([
    ['one for a step the order has not is ignored', started, 5, ok('x'), ignored('unknown-step')],
    [
      "one by another agent's channel is ignored",
      started,
      5,
      other({ agent: agentName('svc-b') }),
      ignored('other-agent'),
    ],
    ['one for an earlier attempt is ignored', waiting, 1_100, ok('b', 0), ignored('other-attempt')],
    ['one for an attempt yet to come is ignored', started, 5, ok('a', 2), ignored('other-attempt')],
    ['one for a step that is done is ignored', aDone, 15, ok('a'), ignored('not-under-way')],
    [
      'a success for a withdrawn attempt is ignored',
      waiting,
      1_100,
      ok('b'),
      ignored('not-under-way'),
    ],
    [
      'a fault for a withdrawn attempt is ignored',
      waiting,
      1_100,
      no('b'),
      ignored('not-under-way'),
    ],
    [
      'an undo reply for a perform is ignored',
      started,
      5,
      undoOk('a', 1),
      ignored('not-under-way'),
    ],
    [
      'an undo fault for a perform is ignored',
      started,
      5,
      undoNo('a', 1),
      ignored('not-under-way'),
    ],
    [
      'a heartbeat for a step that is done is ignored',
      aDone,
      15,
      beat('a'),
      ignored('not-under-way'),
    ],
    [
      'one that waited until after complete-by counts, because no sweep has counted the attempt',
      started,
      1_001,
      ok('a'),
      ['Processing a:C1 b:R1<1000 c:- d:-'],
    ],
    [
      'one that comes after a sweep has counted the attempt is ignored',
      play(started, [1_001, expire]),
      1_002,
      ok('a'),
      ignored('not-under-way'),
    ],
    ['a heartbeat after complete-by is ignored', started, 1_001, beat('a'), ignored('too-late')],
  ]);
});

describe('stepSucceeded', () => {
  const conditional = submit(
    flow({
      a: {},
      b: { after: ['a'], when: ({ outputs }) => outputs['a'] === 'yes' },
      c: { after: ['b'], input: ({ outputs }) => ({ b: outputs['b'] ?? 'none' }) },
    }),
  );
  const asked = play(conditional, [0, claim()]);
  const onlyOnDemand = submit(flow({ a: {}, b: { after: ['a'], when: () => false } }));
  transitions([
    [
      'is recorded, and nothing starts before all it comes after are done',
      started,
      10,
      ok('a'),
      ['Processing a:C1 b:R1<1000 c:- d:-'],
    ],
    [
      'starts what became ready, in the same write',
      aDone,
      20,
      ok('b'),
      ['Processing a:C1 b:C1 c:R1<1020 d:-', 'perform c1 o-1/c <1020'],
    ],
    ['of the last step ends the order', cDone, 40, ok('d'), ['Processed a:C1 b:C1 c:C1 d:C1']],
    [
      'starts a step whose `when` holds',
      asked,
      10,
      ok('a', 1, 'yes'),
      ['Processing a:C1 b:R1<1010 c:-', 'perform b1 o-1/b <1010'],
    ],
    [
      'skips a step whose `when` does not hold, and starts what comes after',
      asked,
      10,
      ok('a', 1, 'no'),
      ['Processing a:C1 b:S c:R1<1010', 'perform c1 o-1/c <1010'],
    ],
    [
      'ends the order when all that is left is skipped',
      play(onlyOnDemand, [0, claim()]),
      10,
      ok('a'),
      ['Processed a:C1 b:S'],
    ],
    [
      'in a Pending order is recorded, and starts nothing before the next claim',
      play(
        submit(flow({ a: { completeWithin: 5_000 }, b: {}, c: { after: ['a'] } })),
        [0, claim()],
        [1_001, expire],
      ),
      1_100,
      ok('a'),
      ['Pending a:C1 b:-1!1?1000 c:-'],
    ],
    [
      'in a stopped order is recorded, and starts nothing',
      held,
      10,
      ok('b'),
      ['Error(refused) a:F1 b:C1 c:- d:-'],
    ],
    ['after the end is ignored', done, 50, ok('d'), ignored('not-under-way')],
  ]);

  it('stores the output, and forgets the doubt', () => {
    expect(aDone.record.steps[0]).toMatchObject({
      progress: { state: 'Completed', output: 'a done' },
      doubtUntil: null,
    });
  });

  it('passes the output of a skipped step as undefined', () => {
    const decision = decide(asked.record, ok('a', 1, 'no'), asked.known, epoch + 10);
    expect(decision.kind === 'transition' && decision.commands[0]).toMatchObject({
      request: { step: 'c', input: { b: 'none' } },
    });
  });

  it('shows a step only the outputs of what it comes after', () => {
    expect(cDone.record.steps.map(({ progress }) => progress.state)).toContain('Running');
    const decision = decide(play(aDone, [20, ok('b')]).record, ok('c'), aDone.known, epoch + 30);
    expect(decision.kind === 'transition' && decision.commands[0]).toMatchObject({
      request: { step: 'd', input: { for: 'd', outputs: { c: 'c done' } } },
    });
  });

  it('of a Processed order leaves no complete-by, no lock and no command', () => {
    expect(done.record).toMatchObject({ lockedBy: null, completeBy: null, fault: null });
  });

  it('parks the order when its definition is unknown, with the success recorded', () => {
    const decision = decide(started.record, ok('a'), null, epoch + 10);
    expect(decision).toMatchObject({
      kind: 'transition',
      record: {
        processState: 'Error',
        completeBy: epoch + 1_000,
        fault: { code: 'workflow-unknown' },
        steps: [{ progress: { state: 'Completed' } }, { progress: { state: 'Running' } }, {}, {}],
      },
      commands: [],
    });
    expect(decision.kind === 'transition' && decision.record.history.at(-1)).toEqual({
      type: 'stepSucceeded',
      at: epoch + 10,
      step: 'a',
      attempt: 1,
      definitionUnknown: true,
    });
  });
});

describe('stepFailed', () => {
  transitions([
    [
      'with `hold` stops the order; what runs is waited for',
      holding,
      5,
      no('a'),
      ['Error(refused) a:F1 b:R1<1000 c:- d:-'],
    ],
    [
      'with `undo` begins the undo; what runs drains first',
      started,
      5,
      no('a'),
      ['Processing undo a:F1 b:R1<1000 c:- d:-'],
    ],
    [
      'with `undo` starts the undo at once where nothing runs',
      aDone,
      20,
      no('b'),
      ['Processing undo a:Uc2<1020 b:F1 c:- d:-', 'undo a2 o-1/a/undo <1020'],
    ],
    [
      'with nothing to undo ends the order as Undone',
      play(submit(flow({ a: {} })), [0, claim()]),
      5,
      no('a'),
      ['Undone undo a:F1'],
    ],
    [
      'with a possible effect leaves the step in doubt, and its undo waits until complete-by is past',
      play(submit(flow({ a: {} })), [0, claim()]),
      5,
      no('a', 1, 'possible'),
      ['Pending undo from 1001 a:F1?1000', 'nudge at 1001'],
    ],
    [
      'in a Pending order begins its undo, and requests a claim',
      waiting,
      1_100,
      no('a'),
      ['Pending undo a:F1 b:-1?1000 c:- d:-', 'nudge'],
    ],
    [
      'with `hold` in a Pending order stops it',
      play(
        submit(flow({ a: { completeWithin: 5_000, onFault: 'hold' }, b: {} })),
        [0, claim()],
        [1_001, expire],
      ),
      1_100,
      no('a'),
      ['Error(refused) a:F1 b:-1!1?1000'],
    ],
    [
      'in a stopped order is recorded, and the first cause stays',
      held,
      10,
      no('b'),
      ['Error(refused) a:F1 b:F1 c:- d:-'],
    ],
    [
      'in the undo direction leaves nothing to undo',
      play(started, [5, no('a')]),
      10,
      no('b'),
      ['Undone undo a:F1 b:F1 c:- d:-'],
    ],
    [
      'of an irreversible step that may have happened stops the order',
      play(submit(flow({ a: { irreversible: true } })), [0, claim()]),
      5,
      no('a', 1, 'possible'),
      ['Error(irreversible) a:F1?1000'],
    ],
    [
      'of an irreversible step that had no effect begins the undo',
      cDone,
      40,
      no('d'),
      ['Processing undo a:C1 b:C1 c:Uc2<1040 d:F1', 'undo c2 o-1/c/undo <1040'],
    ],
  ]);

  it('with `hold` says which step and action failed', () => {
    expect(held.record).toMatchObject({
      fault: { code: 'refused', message: 'No.', effect: 'none', step: 'a', action: 'perform' },
    });
    expect(held.record.steps[0]?.progress).toEqual({
      state: 'Failed',
      fault: { code: 'refused', message: 'No.', effect: 'none' },
    });
  });

  it('in a stopped order keeps the fault that stopped it', () => {
    const { fault } = play(held, [10, no('b')]).record;
    expect(fault?.step).toBe('a');
  });

  it('in the undo direction keeps the fault that started the undo', () => {
    const { fault } = play(started, [5, no('a')], [10, no('b')]).record;
    expect(fault).toMatchObject({ code: 'refused', step: 'a', action: 'perform' });
  });

  it('forgets the failures of all steps when it begins the undo', () => {
    expect(waiting.record.steps[1]?.failures).toBe(1);
    expect(play(waiting, [1_100, no('a')]).record.steps[1]?.failures).toBe(0);
  });

  it('is in the history with its fault', () => {
    expect(held.record.history.at(-1)).toEqual({
      type: 'stepFailed',
      at: epoch + 5,
      step: 'a',
      attempt: 1,
      definitionUnknown: false,
      fault: { code: 'refused', message: 'No.', effect: 'none' },
    });
  });

  it('parks the order after starting its undo when the definition is unknown', () => {
    const decision = decide(aDone.record, no('b'), null, epoch + 20);
    expect(decision).toMatchObject({
      record: { processState: 'Error', direction: 'undo', fault: { code: 'workflow-unknown' } },
      commands: [],
    });
  });
});

describe('heartbeat', () => {
  const long = play(submit(flow({ a: { maxDuration: 2_200 } })), [0, claim()]);
  const undoing = play(
    submit(flow({ a: { maxDuration: 2_200 }, b: { after: ['a'] } })),
    [0, claim()],
    [10, ok('a')],
    [20, no('b')],
  );
  transitions([
    ['moves complete-by on', long, 500, beat('a'), ['Processing a:R1<1500/2200']],
    ['moves it by a quarter of a deadline', long, 250, beat('a'), ['Processing a:R1<1250/2200']],
    [
      'that would move it by less than a quarter of a deadline comes too soon',
      long,
      249,
      beat('a'),
      ignored('too-soon'),
    ],
    [
      'moves it to the end of the attempt, and not past it',
      play(long, [900, beat('a')]),
      1_300,
      beat('a'),
      ['Processing a:R1<2200'],
    ],
    [
      'may move it by little, to the very end',
      play(long, [950, beat('a')]),
      1_250,
      beat('a'),
      ['Processing a:R1<2200'],
    ],
    [
      'at the end of the attempt moves nothing',
      play(long, [900, beat('a')], [1_300, beat('a')]),
      1_900,
      beat('a'),
      ignored('too-soon'),
    ],
    [
      'of a step without a longer duration moves nothing',
      started,
      900,
      beat('a'),
      ignored('too-soon'),
    ],
    [
      'by a clock that went back moves nothing',
      play(long, [900, beat('a')]),
      100,
      beat('a'),
      ignored('too-soon'),
    ],
    [
      'of an undo moves its complete-by',
      undoing,
      900,
      beat('a', 2),
      ['Processing undo a:Uc2<1900/2220 b:F1'],
    ],
    [
      'counts in a Pending order',
      play(
        submit(flow({ a: { completeWithin: 5_000, maxDuration: 9_000 }, b: {} })),
        [0, claim()],
        [1_001, expire],
      ),
      3_000,
      beat('a'),
      ['Pending a:R1<8000/9000 b:-1!1?1000'],
    ],
  ]);

  it("moves the order's complete-by and the step's doubt with it", () => {
    const { record } = play(long, [500, beat('a')]);
    expect(record.completeBy).toBe(epoch + 1_500);
    expect(record.steps[0]?.doubtUntil).toBe(epoch + 1_500);
    expect(record.history.at(-1)).toMatchObject({ type: 'heartbeat', step: 'a', attempt: 1 });
  });

  it('of an undo leaves no doubt behind', () => {
    expect(play(undoing, [900, beat('a', 2)]).record.steps[0]?.doubtUntil).toBeNull();
  });
});

describe("the workflow's own code", () => {
  const throwing = (what: unknown) => () => {
    throw what;
  };
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable(new Error('secret'), {});
    revoke();
    return proxy;
  };
  const giving = (input: unknown) => () => Object.assign(JSON.parse('{}'), { input }).input;
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const unreadable = Object.defineProperty({}, 'secret', {
    enumerable: true,
    get: throwing(new RangeError('secret')),
  });
  const message = (problem: string) =>
    `The workflow's own code for step b ${problem}. Deploy a version that works, then resubmit.`;
  const sparse: Readonly<Record<string, string>> = {};
  it.each([
    [
      'an input that throws an error',
      { input: throwing(new RangeError('secret')) },
      'threw RangeError',
    ],
    ['an input that throws something else', { input: throwing('secret') }, 'threw'],
    ['an input that throws a revoked proxy', { input: throwing(revoked()) }, 'threw'],
    ['a `when` that throws', { when: throwing(new Error('secret')) }, 'threw Error'],
    [
      'an input that returns undefined',
      { input: ({ outputs }: { outputs: object }) => Reflect.get({ ...sparse, ...outputs }, 'x') },
      'returned undefined',
    ],
    [
      'an input that has a large integer',
      { input: giving({ cents: 1n }) },
      'returned what is not JSON',
    ],
    ['an input that has no number', { input: giving([Number.NaN]) }, 'returned what is not JSON'],
    ['an input that is a cycle', { input: giving(cycle) }, 'returned what is not JSON'],
    ['an input that throws when it is read', { input: giving(unreadable) }, 'threw RangeError'],
  ])('%s parks the order, and quotes no details', (_, spec, problem) => {
    const situation = play(submit(flow({ a: {}, b: { after: ['a'], ...spec } })), [0, claim()]);
    const { record } = play(situation, [10, ok('a')]);
    expect(record).toMatchObject({
      processState: 'Error',
      fault: {
        code: 'workflow-code',
        message: message(problem),
        effect: 'none',
        step: 'b',
        action: null,
      },
    });
    expect(effectOf(situation, ok('a'), 10)).toEqual(['Error(workflow-code) a:C1 b:-']);
  });

  it('that throws stops what comes later in the same claim, and keeps what was started', () => {
    const { known, record } = submit(flow({ a: {}, b: { input: throwing(0) }, c: {} }));
    expect(effectOf({ known, record }, claim(), 0)).toEqual([
      'Error(workflow-code) a:R1<1000 b:- c:-',
      'perform a1 o-1/a <1000',
    ]);
  });

  it('that throws from a `when` stops what comes later in the same claim', () => {
    expect(effectOf(submit(flow({ a: { when: throwing(0) }, b: {} })), claim(), 0)).toEqual([
      'Error(workflow-code) a:- b:-',
    ]);
  });

  it('that gives what is not JSON for an undo requests no undo', () => {
    const both = play(aDone, [20, ok('b')]);
    const broken = diamond({ b: { input: giving(1n) } });
    const { record } = both;
    const situation = { record, known: { ...both.known, definition: broken } };
    expect(effectOf(situation, no('c'), 30)).toEqual([
      'Error undo(workflow-code) a:C1 b:C1 c:F1 d:-',
    ]);
  });

  it('may give properties that are undefined, which count as absent', () => {
    const { record, known } = submit(flow({ a: { input: giving({ note: undefined, at: [1] }) } }));
    expect(effectOf({ known, record }, claim(), 0)).toContain('perform a1 o-1/a <1000');
  });

  it('that throws for an undo starts no other undo', () => {
    const both = play(aDone, [20, ok('b')]);
    const broken = diamond({ b: { input: throwing(0) } });
    const { record } = both;
    const situation = { record, known: { ...both.known, definition: broken } };
    expect(effectOf(situation, no('c'), 30)).toEqual([
      'Error undo(workflow-code) a:C1 b:C1 c:F1 d:-',
    ]);
  });

  it('that throws for an undo leaves the step as it was', () => {
    const broken = diamond({ a: { input: throwing(0) } });
    const situation = { ...aDone, known: { ...aDone.known, definition: broken } };
    expect(effectOf(situation, no('b'), 20)).toEqual([
      'Error undo(workflow-code) a:C1 b:F1 c:- d:-',
    ]);
  });
});

describe('any order', () => {
  it('keeps its submitter and its identity through every transition', () => {
    const { orderId, workflow, workflowVersion, fingerprint } = pending.record;
    const { priority, tenant, replyTo, correlationId, writeId, submittedAt } = pending.record;
    for (const { record } of [started, waiting, held, done, play(started, [5, cancel])]) {
      expect(record).toMatchObject({ orderId, workflow, workflowVersion });
      expect(record).toMatchObject({ priority, tenant, replyTo, correlationId });
      expect(record).toMatchObject({ writeId, submittedAt });
    }
    expect(done.record.fingerprint).toBe(fingerprint);
  });

  it('counts its revisions, and knows when it was changed', () => {
    expect(done.record).toMatchObject({ revision: 6, updatedAt: epoch + 40 });
    expect(done.record.history).toHaveLength(6);
  });

  it('is Pending with the pick-up grace as its complete-by when nothing runs', () => {
    const { record } = play(held, [10, ok('b')], [20, resubmit]);
    expect(record).toMatchObject({ processState: 'Pending', completeBy: epoch + 10_020 });
    expect(apply(record, claim(), epoch + 30, held.known).completeBy).toBe(epoch + 1_030);
  });

  it('is due for all its steps by the earliest complete-by', () => {
    const { record } = play(
      submit(flow({ a: { completeWithin: 5_000 }, b: {}, c: { completeWithin: 70 } })),
      [0, claim()],
    );
    expect(record.completeBy).toBe(epoch + 70);
  });
});
