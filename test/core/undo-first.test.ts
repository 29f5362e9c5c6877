/**
 * Steps of a pool with `failover: 'undo-first'`, one line per transition (R8, R25). `~`: the step is undone first, with the
 * failures of its performs; `=`: it was, with those of its undos.
 */
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord } from '#core/codec/record-codec.ts';
import { claimsAllowed } from '#core/decide/claim.ts';
import { hasRoom } from '#core/decide/room.ts';
import { attemptSummaryOf } from '#core/model/attempts/attempt-summary.ts';
import { limits } from '#core/model/limits.ts';
import { nextAction } from '#core/model/record.ts';
import { agentDemand } from '#core/view/agent-demand.ts';
import { callsOf } from '#core/view/calls.ts';
import { replay } from '#core/view/replay.ts';
import {
  apply,
  by,
  cancel,
  claim,
  defer,
  epoch,
  expire,
  flow,
  gated,
  ignored,
  interrupt,
  no,
  ok,
  play,
  resubmit,
  type Situation,
  type StepSpec,
  submit,
  transitions,
  undoNo,
  undoOk,
} from './support.ts';
import { grown } from './world.ts';

const full = (until: number) => ({ hold: 'circuit', until }) as const;
/** East and west are one domain. */
const pool = { north: {}, east: { domain: 'eu' }, west: { domain: 'eu' } };
const coolDown = { after: 100, times: 2 };
const spec: StepSpec = {
  pool,
  failover: 'undo-first',
  coolDown,
  onFault: 'hold',
  onExhausted: 'hold',
  retries: 1,
  undoPolicy: { retries: 0, coolDown: { after: 100, times: 1 } },
};
const definition = (more: StepSpec = {}) => flow({ a: { ...spec, ...more }, b: { after: ['a'] } });
const pending = submit(definition());

/** With this member for the next call of a. */
const given = (situation: Situation, member: string) =>
  gated({ record: situation.record, known: pending.known }, {}, { a: `a-${member}` });
/** The order as it is, without a choice, and with another definition if there is one. */
const later = ({ record }: Situation, { known }: Situation = pending): Situation => ({
  record,
  known,
});

const started = play(given(pending, 'north'), [0, claim()]);
/** Its first round is over, after two attempts at north. */
const roundOver = play(later(play(later(play(started, [1_001, expire])), [1_002, claim()])), [
  2_003,
  expire,
]);
const undoing = play(later(roundOver), [2_103, claim()]);
/** At east, after its undo at north. */
const anew = play(given(undoing, 'east'), [2_150, by('a-north', undoOk('a', 3))]);
/** Its second round is over, after two attempts at east. */
const secondOver = play(later(play(later(play(anew, [3_151, expire])), [3_152, claim()])), [
  4_153,
  expire,
]);

/** Held for nearly as long as its policy allows, and then started. */
const brief = submit(definition({ holdMax: 1_000 }));
const longHeld = play(
  gated(later(play(gated(brief, { a: full(500) }), [5, claim()]), brief), {}, { a: 'a-north' }),
  [900, claim()],
);

describe('a step whose round ended in doubt', () => {
  transitions([
    [
      'waits for the cool-down, as any',
      later(play(later(play(started, [1_001, expire])), [1_002, claim()])),
      2_003,
      expire,
      ['Pending from 2103 a:-2!2?2002 at a-north b:-', 'nudge at 2103'],
    ],
    [
      'is undone where it may have been performed',
      later(roundOver),
      2_103,
      claim(),
      ['Processing a:U-3~2<3103?2002 at a-north b:-', 'undo a3 o-1/a/undo <3103 at a-north'],
    ],
    [
      'is undone at no other domain, although it was chosen',
      given(roundOver, 'west'),
      2_103,
      claim(),
      ['Processing a:U-3~2<3103?2002 at a-north b:-', 'undo a3 o-1/a/undo <3103 at a-north'],
    ],
    [
      'waits with its undo for the domain',
      gated(later(roundOver), { a: full(2_500) }, { a: 'a-west' }),
      2_103,
      claim(),
      ['Pending from 2500 a:H-2~2@circuit 2500?2002 at a-north b:-', 'nudge at 2500'],
    ],
    [
      'and waited goes on with its undo',
      later(play(gated(later(roundOver), { a: full(2_500) }), [2_103, claim()])),
      2_400,
      claim(),
      ['Processing a:U-3~2<3400?2002 at a-north b:-', 'undo a3 o-1/a/undo <3400 at a-north'],
    ],
    [
      'starts anew at the chosen member after its undo',
      given(undoing, 'east'),
      2_150,
      by('a-north', undoOk('a', 3)),
      ['Processing a:R4*2!2=2+0<3150 at a-east b:-', 'perform a4 o-1/a#2 <3150 at a-east'],
    ],
    [
      'starts anew at another domain where none is chosen',
      later(undoing),
      2_150,
      by('a-north', undoOk('a', 3)),
      ['Processing a:R4*2!2=2+0<3150 at a-east b:-', 'perform a4 o-1/a#2 <3150 at a-east'],
    ],
    [
      'may start anew at its old member',
      given(undoing, 'north'),
      2_150,
      by('a-north', undoOk('a', 3)),
      ['Processing a:R4*2!2=2+0<3150 at a-north b:-', 'perform a4 o-1/a#2 <3150 at a-north'],
    ],
    [
      'waits anew for any member',
      gated(later(undoing), { a: full(2_500) }),
      2_150,
      by('a-north', undoOk('a', 3)),
      ['Pending from 2500 a:H-3*2!2=2+0@circuit 2500 b:-', 'nudge at 2500'],
    ],
    [
      'is performed again at the old domain while the other ones have no weight',
      later(roundOver, submit(definition({ pool: { north: {}, east: { weight: 0 } } }))),
      2_103,
      claim(),
      ['Processing a:R3!2<3103 at a-north b:-', 'perform a3 o-1/a <3103 at a-north'],
    ],
    [
      'is performed again at the old domain where its pool waits',
      later(roundOver, submit(definition({ failover: 'wait' }))),
      2_103,
      claim(),
      ['Processing a:R3!2<3103 at a-north b:-', 'perform a3 o-1/a <3103 at a-north'],
    ],
    [
      'within a round is tried again at the old domain',
      later(play(started, [1_001, expire])),
      1_002,
      claim(),
      ['Processing a:R2!1<2002 at a-north b:-', 'perform a2 o-1/a <2002 at a-north'],
    ],
    [
      'is tried again at the old domain while an agent may still be at work on it',
      later(play(longHeld, [1_010, by('a-north', defer('a'))])),
      1_110,
      claim(),
      ['Processing a:R2!2<2110 at a-north b:-', 'perform a2 o-1/a <2110 at a-north'],
    ],
  ]);
});

describe('the perform of a step that was undone first', () => {
  transitions([
    [
      'succeeds under its new key',
      anew,
      2_200,
      by('a-east', ok('a', 4)),
      ['Processing a:C4*2!2=2+0 at a-east b:R1<3200', 'perform b1 o-1/b <3200'],
    ],
    [
      'ignores the reply of the old one',
      anew,
      2_200,
      by('a-north', ok('a', 2)),
      ignored('other-agent'),
    ],
    [
      'counts on, and waits for the second cool-down',
      later(play(later(play(anew, [3_151, expire])), [3_152, claim()])),
      4_153,
      expire,
      ['Pending from 4253 a:-5*2!4=2+0?4152 at a-east b:-', 'nudge at 4253'],
    ],
    [
      'that is interrupted does not begin another undo',
      later(play(anew, [2_200, interrupt('restart', 2_200)])),
      2_300,
      claim(),
      ['Processing a:R5*2!2=2+0<3300 at a-east b:-', 'perform a5 o-1/a#2 <3300 at a-east'],
    ],
    [
      'that is given back waits for its domain',
      anew,
      2_200,
      by('a-east', defer('a', 4)),
      ['Pending from 2201 a:H-4*2!2=2+0@circuit 2201?3150 at a--eu b:-', 'nudge at 2201'],
    ],
    [
      'is undone with the key of its generation',
      later(secondOver),
      4_253,
      claim(),
      ['Processing a:U-6*2~4<5253?4152 at a-east b:-', 'undo a6 o-1/a#2/undo <5253 at a-east'],
    ],
    [
      'is exhausted after all rounds over all domains',
      later(
        play(
          later(
            play(
              later(
                play(given(play(later(secondOver), [4_253, claim()]), 'north'), [
                  4_300,
                  by('a-east', undoOk('a', 6)),
                ]),
              ),
              [5_301, expire],
            ),
          ),
          [5_302, claim()],
        ),
      ),
      6_303,
      expire,
      ['Error(exhausted) a:F8*3!6=4+0?6302 at a-north b:-'],
    ],
  ]);
});

/** Its undo expired once, and twice. */
const undoLate = play(undoing, [3_104, expire]);
const undoStuck = play(later(play(later(undoLate), [3_204, claim()])), [4_205, expire]);
const resubmitted = play(later(undoStuck), [4_300, resubmit]);

describe('the undo of a step that is undone first', () => {
  transitions([
    [
      'follows the policy of the undo',
      undoing,
      3_104,
      expire,
      ['Pending from 3204 a:-3!1~2?2002 at a-north b:-', 'nudge at 3204'],
    ],
    [
      'is tried again after its cool-down',
      later(undoLate),
      3_204,
      claim(),
      ['Processing a:U-4!1~2<4204?2002 at a-north b:-', 'undo a4 o-1/a/undo <4204 at a-north'],
    ],
    [
      'that is interrupted counts no failure',
      undoing,
      2_200,
      interrupt('restart', 2_200),
      ['Pending a:-3~2?2002 at a-north b:-', 'nudge'],
    ],
    [
      'that is interrupted goes on',
      later(play(undoing, [2_200, interrupt('restart', 2_200)])),
      2_300,
      claim(),
      ['Processing a:U-4~2<3300?2002 at a-north b:-', 'undo a4 o-1/a/undo <3300 at a-north'],
    ],
    [
      'is given back and waits for its domain',
      later(undoing),
      2_200,
      by('a-north', defer('a', 3)),
      ['Pending from 2201 a:H-3~2@circuit 2201?2002 at a-north b:-', 'nudge at 2201'],
    ],
    [
      'is refused',
      undoing,
      2_200,
      by('a-north', undoNo('a', 3)),
      ['Error(undo-stuck) a:-3~2?2002 at a-north b:-'],
    ],
    [
      'is exhausted',
      later(play(later(undoLate), [3_204, claim()])),
      4_205,
      expire,
      ['Error(undo-stuck) a:-4!2~2?2002 at a-north b:-'],
    ],
    [
      'begins its counts anew with a resubmit',
      later(undoStuck),
      4_300,
      resubmit,
      ['Pending a:-4~0?2002 at a-north b:-', 'nudge'],
    ],
    [
      'goes on after a resubmit',
      later(resubmitted),
      4_301,
      claim(),
      ['Processing a:U-5~0<5301?2002 at a-north b:-', 'undo a5 o-1/a/undo <5301 at a-north'],
    ],
    [
      'goes on although the pool waits now',
      later(resubmitted, submit(definition({ failover: 'wait' }))),
      4_301,
      claim(),
      ['Processing a:U-5~0<5301?2002 at a-north b:-', 'undo a5 o-1/a/undo <5301 at a-north'],
    ],
    [
      'waits for the end of the doubt by the clock of another Scheduler',
      later(play(undoing, [1_900, interrupt('restart', 1_900)])),
      1_950,
      claim(),
      ['Pending from 2003 a:-3~2?2002 at a-north b:-', 'nudge at 2003'],
    ],
    [
      'goes on as the undo of the order after a cancel',
      undoing,
      2_200,
      cancel,
      ['Processing undo a:U-3~2<3103?2002 at a-north b:-'],
    ],
    [
      'ends the undo of the order',
      play(undoing, [2_200, cancel]),
      2_300,
      by('a-north', undoOk('a', 3)),
      ['Undone undo a:D-3~2 at a-north b:-'],
    ],
    [
      'that is held goes on as the undo of the order after a cancel',
      later(play(gated(later(roundOver), { a: full(2_500) }), [2_103, claim()], [2_200, cancel])),
      2_300,
      claim(),
      ['Processing undo a:U-3~2<3300?2002 at a-north b:-', 'undo a3 o-1/a/undo <3300 at a-north'],
    ],
  ]);
});

/** b is irreversible, and beside a and c. */
const final = submit(
  flow({
    a: spec,
    b: { irreversible: true, completeWithin: 9_000 },
    c: { completeWithin: 9_000 },
    d: { after: ['a'] },
  }),
);
const finalUndoing = play(
  gated(final, {}, { a: 'a-north' }),
  [0, claim()],
  [1_001, expire],
  [1_002, claim()],
  [2_003, expire],
  [2_103, claim()],
);
const turnedBack = play(finalUndoing, [2_150, no('c')]);
const undoneBack = play(turnedBack, [2_200, by('a-north', undoOk('a', 3))]);

describe('while another branch goes on', () => {
  transitions([
    [
      'the step is undone first',
      later(play(finalUndoing), final),
      2_200,
      by('a-north', undoOk('a', 3)),
      [
        'Processing a:R4*2!2=2+0<3200 at a-east b:R1<9000 c:R1<9000 d:-',
        'perform a4 o-1/a#2 <3200 at a-east',
      ],
    ],
    [
      'a fault there leaves its undo in flight',
      finalUndoing,
      2_150,
      no('c'),
      ['Processing undo a:U-3~2<3103?2002 at a-north b:R1<9000 c:F1 d:-'],
    ],
    [
      'its undo may end before that branch',
      turnedBack,
      2_200,
      by('a-north', undoOk('a', 3)),
      ['Processing undo a:D-3~2 at a-north b:R1<9000 c:F1 d:-'],
    ],
    [
      'an irreversible step stops the undo of the order, and the step may start anew',
      undoneBack,
      2_300,
      ok('b'),
      ['Error(irreversible) a:-3*2!2=2+0 at a-north b:C1 c:F1 d:-'],
    ],
    [
      'it starts anew after a resubmit',
      play(undoneBack, [2_300, ok('b')], [2_400, resubmit]),
      2_401,
      claim(),
      [
        'Processing a:R4*2=0+0<3401 at a-north b:C1 c:R2*2<11401 d:-',
        'perform a4 o-1/a#2 <3401 at a-north',
        'perform c2 o-1/c#2 <11401',
      ],
    ],
  ]);
});

it.each<[string, Situation, number | undefined, string]>([
  ['before its undo', roundOver, undefined, '2,2,1,2002,["N"]]'],
  ['in its undo', undoing, 3, '3,0,1,2002,["U",3103,3103,["N"]],[2]]'],
  ['after its undo', anew, 3, '4,2,2,3150,["R",3150,3150],[2,0]]'],
])('R15 a step %s is read back as it was stored', (_, { record }, format, text) => {
  const stored = encodeRecord(record);
  expect(stored.Format).toBe(format);
  expect(stored.Steps).toContain(text);
  expect(decodeRecord(JSON.parse(JSON.stringify(stored)))).toEqual(record);
});

it('R14 the claims of its undo are allowed from its begin on', () => {
  const claims = ({ record }: Situation) => claimsAllowed(record);
  expect(claims(undoing) - claims(roundOver)).toBe(2 + 2);
  expect(claims(anew)).toBe(claims(undoing));
});

it('R14 after its undo a step starts anew only in a record that has room for it', () => {
  const event = by('a-north', undoOk('a', 3));
  const { recordBytesToStart, recordBytesMax } = limits;
  const next = apply(undoing.record, event, epoch + 2_150, pending.known);
  for (const [bytes, fits] of [
    [recordBytesToStart - 10_000, true],
    [recordBytesToStart + 10_000, false],
  ] as const) {
    expect(hasRoom(event, grown(next, bytes))).toBe(fits);
  }
  const back = play(undoing, [2_120, cancel], [2_150, event]);
  expect(hasRoom(event, grown(back.record, recordBytesMax - 10_000))).toBe(true);
});

it('waits for its undo at the agents, and not for its perform', () => {
  const held = play(gated(later(roundOver), { a: full(2_500) }), [2_103, claim()]);
  const { record } = held;
  const [step] = record.steps;
  expect(step && nextAction(record, step)).toBe('undo');
  expect(agentDemand(record, pending.known.definition)).toEqual([
    { agent: 'svc-a-north', kind: 'waiting' },
  ]);
});

it('is exhausted since the first failure of its performs, over all domains', () => {
  const short = submit(definition({ coolDown: { after: 100, times: 1 } }));
  const { record } = play(
    gated(short, {}, { a: 'a-north' }),
    [0, claim()],
    [1_001, expire],
    [1_002, claim()],
    [2_003, expire],
    [2_103, claim()],
    [3_104, expire],
    [3_204, claim()],
    [3_250, by('a-north', undoOk('a', 4))],
    [4_251, expire],
    [4_252, claim()],
    [5_253, expire],
  );
  const tried = { agent: 'svc-a-north', attempts: 4, coolDowns: 1, since: epoch + 1_001 };
  expect(attemptSummaryOf(record)).toEqual(tried);
});

it('has its undo among the calls of the order', () => {
  const { record } = play(anew, [2_200, by('a-east', ok('a', 4))]);
  const calls = callsOf(record, pending.known).calls.filter(({ step }) => step === 'a');
  expect(calls.map(({ action, attempt, end }) => `${action} ${attempt} ${end}`)).toEqual([
    'perform 1 timedOut',
    'perform 2 timedOut',
    'undo 3 succeeded',
    'perform 4 succeeded',
  ]);
});

it('R15 a failover replays, also when the pool waits today', () => {
  const { record } = play(later(secondOver), [4_253, claim()]);
  for (const failover of ['undo-first', 'wait'] as const) {
    const known = submit(definition({ failover })).known;
    expect(replay(record, known).at(-1)).toEqual(record);
  }
});

it('R15 an undo that was held again and again replays', () => {
  const held = [2_103, 2_200, 2_300, 2_400].reduce<Situation>(
    (situation, ms) => later(play(gated(later(situation), { a: full(ms + 50) }), [ms, claim()])),
    later(roundOver),
  );
  const { record } = held;
  expect(record.history.at(-1)).toMatchObject({
    type: 'held',
    times: 4,
    at: epoch + 2_400,
    agents: [{ step: 'a', agent: 'svc-a-north', undoFirst: true }],
  });
  expect(replay(record, pending.known).at(-1)).toEqual(record);
});
