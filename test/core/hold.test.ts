/** Steps that wait for their agents, one line a transition (R23). */
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord } from '#core/codec/record-codec.ts';
import { recordBytes } from '#core/codec/record-size.ts';
import { decide, decideShortened } from '#core/decide/decide.ts';
import { dueAt } from '#core/decide/due.ts';
import { mayStartHeld, unlessStillHeld } from '#core/decide/settle-holds.ts';
import { limits } from '#core/model/limits.ts';
import { callsOf } from '#core/view/calls.ts';
import { replay } from '#core/view/replay.ts';
import type { Gates } from '#ports/gates.ts';
import { worthSending } from '#roles/transitions/gated-decision.ts';
import {
  cancel,
  claim,
  defer,
  diamond,
  effectOf,
  epoch,
  expire,
  flow,
  gated,
  ignored,
  interrupt,
  no,
  ok,
  play,
  resume,
  type Situation,
  submit,
  transitions,
  undoOk,
} from './support.ts';

const secondMs = 1_000;
const pending = submit(diamond());
const full = (until: number) => ({ hold: 'concurrency', until }) as const;
const open = (until: number) => ({ hold: 'circuit', until }) as const;
const bothHeld = play(gated(pending, { a: full(500), b: open(800) }), [5, claim()]);
const aRuns = play(gated(pending, { b: open(800) }), [5, claim()]);

/** The same record without answers of the gates. */
const free = ({ record }: Situation): Situation => ({ record, known: pending.known });

describe('a claim', () => {
  transitions([
    [
      'that finds every ready step held leaves the order Pending until the first gate is asked again',
      gated(pending, { a: full(500), b: open(800) }),
      5,
      claim(),
      ['Pending from 500 a:H-@concurrency 500 b:H-@circuit 800 c:- d:-', 'nudge at 500'],
    ],
    [
      'starts what is not held beside what is',
      gated(pending, { b: open(800) }),
      5,
      claim(),
      ['Processing a:R1<1005 b:H-@circuit 800 c:- d:-', 'perform a1 o-1/a <1005'],
    ],
    [
      'of an order that waits for gates alone may come early, and starts what its gates allow',
      gated(free(bothHeld), { b: open(900) }),
      100,
      claim(),
      ['Processing a:R1<1100 b:H-@circuit 800 c:- d:-', 'perform a1 o-1/a <1100'],
    ],
    [
      'asks a gate again as early as it says now',
      gated(free(bothHeld), { b: open(700) }),
      100,
      claim(),
      ['Processing a:R1<1100 b:H-@circuit 700 c:- d:-', 'perform a1 o-1/a <1100'],
    ],
    [
      'asks a gate again later once it had to be asked',
      gated(free(bothHeld), { b: open(900) }),
      800,
      claim(),
      ['Processing a:R1<1800 b:H-@circuit 900 c:- d:-', 'perform a1 o-1/a <1800'],
    ],
  ]);

  it('that finds every ready step held is not a claim in the history', () => {
    const again = play(gated(free(bothHeld), { a: full(700), b: open(900) }), [500, claim()]);
    expect(bothHeld.record.history.at(-1)).toMatchObject({ type: 'held', times: 1 });
    expect(again.record.history.map(({ type }) => type)).toEqual(['submit', 'held']);
    expect(again.record.history.at(-1)).toMatchObject({ type: 'held', times: 2 });
    expect(again.record.steps[0]?.progress).toMatchObject({ since: epoch + 5, until: epoch + 700 });
  });
});

it('a hold is noted again when the clock went back since, and its history replays', () => {
  const held = play(gated(pending, { a: full(900_000), b: open(900_000) }), [5, claim()]);
  const gates = { a: full(9_000_000), b: open(9_000_000) };
  const again = play(gated(free(held), gates), [-3_600_000, claim()]);
  expect(again.record.steps[0]?.progress).toMatchObject({ until: epoch - 3_600_000 + 900_000 });
  expect(replay(again.record, pending.known).at(-1)).toEqual(again.record);
});

it('looks after the clock went back once are one entry again, and replay', () => {
  const look = (held: Situation, ms: number) =>
    play(gated(free(held), { a: full(9_000_000), b: open(9_000_000) }), [ms, claim()]);
  let held = look(look(pending, 1_000), 900);
  for (let ms = 2_000; ms < 20_000; ms += 1_000) held = look(held, ms);
  expect(held.record.history.map(({ type }) => type)).toEqual(['submit', 'held', 'held']);
  expect(replay(held.record, pending.known).at(-1)).toEqual(held.record);
});

describe('an undo that is held, beside the doubt about another step', () => {
  const undone = (completeWithin: number) =>
    play(submit(flow({ x: {}, y: { completeWithin } })), [0, claim()], [10, ok('x')]);
  transitions([
    [
      'waits for its gate where the doubt lasts longer',
      gated(undone(43_200_000), { x: { hold: 'limit', until: 1_020 } }),
      20,
      no('y', 1, 'possible'),
      ['Pending undo from 1020 x:Hc1@limit 1020 y:F1?43200000', 'nudge at 1020'],
    ],
    [
      'is asked for again where the doubt ends first',
      gated(undone(1_000), { x: { hold: 'limit', until: 9_000 } }),
      20,
      no('y', 1, 'possible'),
      ['Pending undo from 1001 x:Hc1@limit 1001 y:F1?1000', 'nudge at 1001'],
    ],
  ]);

  it.each([
    ['lasts longer', 43_200_000, 1_020, 0],
    ['ends first', 1_000, 9_000, 1],
  ])('is nudged by a message where the doubt %s: %i ms, gate until %i ms', (...row) => {
    const [, completeWithin, until, messages] = row;
    const order = gated(undone(completeWithin), { x: { hold: 'limit', until } });
    const decision = decide(order.record, no('y', 1, 'possible'), order.known, epoch + 20);
    if (decision.kind === 'ignored') throw new Error(decision.reason);
    const { record, commands } = decision;
    const gates: Gates = { nudgeHeld: true, ask: () => [], release() {} };
    expect(worthSending(gates, record, commands)).toHaveLength(messages);
  });

  it('starts when its gate opens', () => {
    const order = undone(43_200_000);
    const held = play(gated(order, { x: { hold: 'limit', until: 1_020 } }), [
      20,
      no('y', 1, 'possible'),
    ]);
    expect(mayStartHeld(held.record)).toBe(true);
    const free = { record: held.record, known: order.known };
    expect(effectOf(free, claim(), 30)[0]).toContain('Processing undo x:Uc');
  });
});

it('steps that stay held take no room in the history, however many there are and however often they are asked for', () => {
  const names = Array.from({ length: 64 }, (_, at) => `reserve-item-${at}`);
  const start = submit(flow(Object.fromEntries(names.map((name) => [name, { retries: 0 }]))));
  const barred = (begins: string) =>
    Object.fromEntries(names.flatMap((name) => (name === begins ? [] : [[name, full(900_000)]])));
  let order = play(gated(start, barred('reserve-item-0')), [5, claim()]);
  const heldBytes = recordBytes(order.record);
  const written = [start.record, order.record];
  for (const [at, name] of names.entries()) {
    const next = gated({ ...order, known: start.known }, barred(names[at + 1] ?? ''));
    order = play(next, [10 * at + 10, ok(name)]);
    written.push(order.record);
  }
  expect(order.record.processState).toBe('Processed');
  expect(recordBytes(order.record)).toBeLessThan(2 * heldBytes);
  expect(replay(order.record, start.known)).toEqual(written);
});

it('a claim of a held order whose write the store refused stops it, and is read back', () => {
  const decision = decideShortened(bothHeld.record, claim(), pending.known, epoch + 500);
  if (decision.kind === 'ignored') throw new Error(decision.reason);
  const { record } = decision;
  expect(record).toMatchObject({ processState: 'Error', fault: { code: 'record-too-large' } });
  expect(record.history.at(-1)?.type).toBe('claim');
  expect(decodeRecord(encodeRecord(record))).toEqual(record);
});

describe('a held step beside a running one', () => {
  transitions([
    [
      'is asked for again when another step ends',
      gated(aRuns, { b: open(900) }),
      50,
      ok('a'),
      ['Pending from 800 a:C1 b:H-@circuit 800 c:- d:-', 'nudge at 800'],
    ],
    [
      'starts when its gate is open by then',
      free(aRuns),
      50,
      ok('a'),
      ['Processing a:C1 b:R1<1050 c:- d:-', 'perform b1 o-1/b <1050'],
    ],
    [
      'is started by a resume',
      free(aRuns),
      60,
      resume,
      ['Processing a:R1<1005 b:R1<1060 c:- d:-', 'perform b1 o-1/b <1060'],
    ],
    [
      'is due when its gate is asked again, and nudged',
      aRuns,
      800,
      expire,
      ['Processing a:R1<1005 b:H-@circuit 800 c:- d:-', 'nudge'],
    ],
    ['is not due before', aRuns, 799, expire, ignored('not-due')],
    [
      'cannot be resumed in an order that is not claimed',
      bothHeld,
      60,
      resume,
      ignored('not-processing'),
    ],
    [
      'cannot be resumed where nothing is held',
      play(pending, [5, claim()]),
      60,
      resume,
      ignored('not-held'),
    ],
  ]);

  it.each([
    ['as long', 100, 800, 'still-held'],
    ['longer', 100, 9_000, 'still-held'],
    ['until now', 800, 9_000, 'transition'],
    ['much less long', 100, 150, 'still-held'],
  ])('that finds its gate closed for %s writes nothing before it had to be asked', (...row) => {
    const [, ms, until, expected] = row;
    const { record, known } = gated(aRuns, { b: open(until) });
    const again = unlessStillHeld(record, decide(record, resume, known, epoch + ms), epoch + ms);
    expect(again.kind === 'ignored' ? again.reason : again.kind).toBe(expected);
  });

  it('has its order in the due index at the earlier of both instants', () => {
    expect(dueAt(aRuns.record)).toBe(epoch + 800);
    expect(dueAt(bothHeld.record)).toBe(epoch + 500);
  });
});

describe('an order with a held step', () => {
  transitions([
    [
      'is undone from what the step was when it is cancelled',
      bothHeld,
      60,
      cancel,
      ['Pending undo a:- b:- c:- d:-', 'nudge'],
    ],
    [
      'holds no step when it stops',
      play(gated(submit(diamond({ a: { onFault: 'hold' } })), { b: open(800) }), [5, claim()]),
      60,
      no('a'),
      ['Error(refused) a:F1 b:- c:- d:-'],
    ],
  ]);

  it('holds undo steps as well, and undoes them when the gate is open', () => {
    const two = submit(flow({ a: {}, b: { after: ['a'] } }));
    const turned = play(two, [0, claim()], [10, ok('a')]);
    const held = play(gated(turned, { a: open(500) }), [20, no('b')]);
    const undone = play({ ...two, record: held.record }, [500, claim()], [600, undoOk('a')]);
    expect(held.record.steps[0]?.progress).toMatchObject({
      state: 'Held',
      before: { state: 'Completed' },
    });
    expect(held.record).toMatchObject({ processState: 'Pending', failureCount: 0 });
    expect(undone.record.processState).toBe('Undone');
  });
});

describe('the end of a hold', () => {
  const minuteMs = 60 * secondMs;
  const patient = submit(flow({ a: { holdMax: minuteMs, coolDown: { after: 100, times: 1 } } }));
  const always = gated(patient, { a: open(10 * minuteMs) });
  const held = play(always, [0, claim()]);

  it('makes the order due, even if the gate would be asked later', () => {
    expect(held.record.notBefore).toBe(epoch + minuteMs);
  });

  it('comes after a day by default', () => {
    const day = play(gated(submit(flow({ a: {} })), { a: open(10 * limits.holdMaxMs) }), [
      0,
      claim(),
    ]);
    expect(day.record.notBefore).toBe(epoch + limits.holdLookMaxMs);
    const looks = Array.from(
      { length: limits.holdMaxMs / limits.holdLookMaxMs },
      (_, at) => [(at + 1) * limits.holdLookMaxMs, claim()] as const,
    );
    const { known } = day;
    expect(play({ known, record: day.record }, ...looks.slice(0, -1)).record.direction).toBe(
      'forward',
    );
    expect(play({ known, record: day.record }, ...looks).record.direction).toBe('undo');
  });

  it('does not come while Reeve is stopped: that time is not a part of the hold', () => {
    const stoppedMs = 25 * 60 * minuteMs;
    const stopped = gated(submit(flow({ a: {} })), { a: open(10 * limits.holdMaxMs) });
    const [before, after] = [
      play(stopped, [0, claim()]),
      play(stopped, [0, claim()], [limits.holdLookMaxMs + stoppedMs, claim()]),
    ];
    expect(before.record.steps[0]?.progress).toMatchObject({ since: epoch });
    expect(after.record.steps[0]?.progress).toMatchObject({ since: epoch + stoppedMs });
  });

  it('does not come while the platform has an outage of minutes, and does where a gate is asked a little late', () => {
    const waits = gated(submit(flow({ a: { holdMax: 20 * minuteMs } })), { a: open(epoch * 2) });
    const lookAt = (lateMs: number) =>
      play(waits, [0, claim()], [limits.holdLookMaxMs + lateMs, claim()]).record.steps[0]?.progress;
    expect(lookAt(limits.holdLateMaxMs)).toMatchObject({ since: epoch });
    const outageMs = limits.holdLateMaxMs + 1;
    expect(lookAt(outageMs)).toMatchObject({ since: epoch + outageMs });
  });

  transitions([
    [
      'counts as a failed round, after which the step cools down',
      held,
      minuteMs,
      claim(),
      ['Pending from 60100 a:-!2', 'nudge at 60100'],
    ],
    [
      'after the last round is the end of the step',
      play(held, [minuteMs, claim()], [minuteMs + 100, claim()]),
      2 * minuteMs + 100,
      claim(),
      ['Pending undo a:F', 'nudge'],
    ],
    [
      'starts the step when its gate is open by then',
      { ...patient, record: held.record },
      minuteMs,
      claim(),
      ['Processing a:R1<61000', 'perform a1 o-1/a <61000'],
    ],
  ]);

  it('reports the length of the hold, and that there was no effect', () => {
    const ended = play(
      held,
      [minuteMs, claim()],
      [minuteMs + 100, claim()],
      [2 * minuteMs + 100, claim()],
    );
    expect(ended.record.fault).toMatchObject({
      code: 'exhausted',
      message: 'Step a was held for 1 min because the circuit breaker of its agent was open.',
      effect: 'none',
    });
  });
});

describe('an attempt that its agent gives back', () => {
  const one = submit(flow({ a: { retries: 0, onExhausted: 'undo', holdMax: 60 * secondMs } }));
  const out = play(one, [0, claim()]);
  const two = play(pending, [0, claim()]);

  transitions([
    [
      'counts no failure, remains in doubt, and is held as long as the agent asks',
      out,
      100,
      defer('a', 1, 7_000),
      ['Pending from 7100 a:H-1@circuit 7100?1000', 'nudge at 7100'],
    ],
    [
      'is given back even after complete-by',
      out,
      5_000,
      defer('a'),
      ['Pending from 5001 a:H-1@circuit 5001?1000', 'nudge at 5001'],
    ],
    [
      'is ignored when a sweep has counted it',
      play(out, [1_001, expire]),
      1_002,
      defer('a'),
      ignored('not-under-way'),
    ],
    ['is ignored when it is an earlier one', out, 100, defer('a', 2), ignored('other-attempt')],
    [
      'waits beside the other steps',
      two,
      100,
      defer('a', 1, 500),
      ['Processing a:H-1@circuit 600?1000 b:R1<1000 c:- d:-'],
    ],
    [
      'is taken back in an order that stopped',
      play(submit(diamond({ b: { onFault: 'hold' } })), [0, claim()], [50, no('b')]),
      100,
      defer('a'),
      ['Error(refused) a:-1?1000 b:F1 c:- d:-'],
    ],
    [
      'is undone when the order is undone',
      play(two, [10, ok('b')], [20, cancel]),
      100,
      defer('a'),
      ['Processing undo a:-1?1000 b:Uc2<1100 c:- d:-', 'undo b2 o-1/b/undo <1100'],
    ],
  ]);

  it('continues a hold: the time that it has been held is counted over all attempts', () => {
    const held = play(out, [100, defer('a', 1, 7_000)]);
    const again = play({ ...one, record: held.record }, [7_100, claim()], [7_200, defer('a', 2)]);
    expect(again.record.steps[0]?.progress).toMatchObject({
      since: epoch + 100,
      // The longer it has been held, the less often it is tried.
      until: epoch + 7_200 + 3_550,
    });
    const ended = play(
      { ...one, record: again.record },
      [60_000, claim()],
      [60_200, defer('a', 3)],
    );
    expect(ended.record).toMatchObject({ direction: 'undo', failureCount: 0 });
    expect(ended.record.fault?.message).toBe(
      'Step a was held for 1 min because the circuit breaker of its agent was open.',
    );
  });

  it('gives its claim back, so that an outage of any length does not use the claims up', () => {
    let situation: Situation = out;
    for (let attempt = 1; attempt < 400; attempt += 1) {
      situation = play(
        situation,
        [attempt * 100, defer('a', attempt)],
        [attempt * 100 + 50, claim()],
      );
      if (situation.record.processState !== 'Processing') break;
    }
    expect(situation.record.steps[0]?.attempt).toBe(400);
  });

  it('is stored, read back and replayed, and is a call that ended without a failure', () => {
    const { record } = play(out, [100, defer('a', 1, 7_000)], [7_100, claim()]);
    expect(decodeRecord(JSON.parse(JSON.stringify(encodeRecord(record))))).toEqual(record);
    expect(replay(record, one.known).at(-1)).toEqual(record);
    expect(callsOf(record, one.known).calls.map(({ end }) => end)).toEqual(['deferred', null]);
  });

  it('and two looks with clocks that are an hour apart replay as they were, although the looks are one entry', () => {
    const given = play(out, [100, defer('a', 1, 60_000)]);
    const early = play(gated(given, { a: full(1_200) }), [200, claim()]);
    const late = play(gated(early, { a: full(3_502_000) }), [3_500_000, claim()]);
    expect(late.record.history.at(-1)).toMatchObject({ type: 'held', times: 2 });
    const { record } = play({ ...late, known: one.known }, [3_500_100, claim()]);
    expect(record.steps[0]?.progress.state).toBe('Running');
    expect(replay(record, one.known).at(-1)).toEqual(record);
  });

  it('undoes later what it could not undo', () => {
    const undoing = play(
      submit(flow({ a: {}, b: { after: ['a'] } })),
      [0, claim()],
      [10, ok('a')],
      [20, no('b')],
    );
    const held = play(undoing, [100, defer('a', 2)]);
    expect(held.record).toMatchObject({ processState: 'Pending', failureCount: 0 });
    expect(held.record.steps[0]?.progress).toMatchObject({
      state: 'Held',
      before: { state: 'Completed' },
    });
  });
});

describe('a restart', () => {
  transitions([
    [
      'releases an order that waits for the gates of the former process',
      bothHeld,
      60,
      interrupt('restart', 90),
      ['Pending from 90 a:H-@concurrency 500 b:H-@circuit 800 c:- d:-', 'nudge at 90'],
    ],
    [
      'does not release one that waits for a cool-down',
      play(
        submit(flow({ a: { retries: 0, coolDown: { after: 5_000, times: 1 } } })),
        [0, claim()],
        [1_001, expire],
      ),
      1_100,
      interrupt('restart', 1_200),
      ignored('not-due'),
    ],
  ]);

  it('is no outage, which ends no wait', () => {
    expect(effectOf(bothHeld, interrupt('outage', 90), 60)).toEqual(ignored('not-due'));
  });
});

describe('a record with a held step', () => {
  const lives = [bothHeld, aRuns];

  it.each(lives)('is stored, read back and replayed as it is', ({ record }) => {
    expect(decodeRecord(JSON.parse(JSON.stringify(encodeRecord(record))))).toEqual(record);
    expect(replay(record, pending.known).at(-1)).toEqual(record);
  });

  it('shows the hold as a wait, until the step starts', () => {
    const { record } = play({ ...pending, record: bothHeld.record }, [500, claim()]);
    expect(callsOf(bothHeld.record, pending.known).waits).toEqual([
      { step: 'a', kind: 'hold', from: epoch + 5, to: epoch + 500 },
      { step: 'b', kind: 'hold', from: epoch + 5, to: epoch + 800 },
    ]);
    expect(callsOf(record, pending.known).waits).toEqual([
      { step: 'a', kind: 'hold', from: epoch + 5, to: epoch + 500 },
      { step: 'b', kind: 'hold', from: epoch + 5, to: epoch + 500 },
    ]);
  });
});
