/** Orders with a step of a pool, one line per transition (R25). `at`: the agent that the step has, or that gets the request. */
import { describe, expect, it } from 'vitest';
import { decide } from '#core/decide/decide.ts';
import {
  by,
  cancel,
  claim,
  defer,
  epoch,
  expire,
  flow,
  gated,
  ignored,
  no,
  ok,
  play,
  resubmit,
  type Situation,
  submit,
  transitions,
  undoOk,
} from './support.ts';

const full = (until: number) => ({ hold: 'concurrency', until }) as const;

/** East and west are one domain; south is asked for no new call. */
const pool = { north: {}, east: { domain: 'eu' }, west: { domain: 'eu' }, south: { weight: 0 } };
const pending = submit(flow({ a: { pool, onFault: 'hold' }, b: { after: ['a'] } }));
/** The same, with this member for the call of a. */
const given = (situation: Situation, member: string) => gated(situation, {}, { a: `a-${member}` });
const started = (member: string) => play(given(pending, member), [0, claim()]);
const late = (member: string) => play(started(member), [1_001, expire]);
/** The order as it is, without a choice. */
const later = ({ record }: Situation): Situation => ({ record, known: pending.known });

describe('a new call of a pool', () => {
  transitions([
    [
      'goes to the chosen member',
      given(pending, 'west'),
      5,
      claim(),
      ['Processing a:R1<1005 at a-west b:-', 'perform a1 o-1/a <1005 at a-west'],
    ],
    [
      'goes to the first member with a weight where none is chosen',
      submit(flow({ a: { pool: { south: { weight: 0 }, north: {}, east: {} } } })),
      5,
      claim(),
      ['Processing a:R1<1005 at a-north', 'perform a1 o-1/a <1005 at a-north'],
    ],
    [
      'goes to the member that was chosen, also without a weight, because operators change weights',
      given(pending, 'south'),
      5,
      claim(),
      ['Processing a:R1<1005 at a-south b:-', 'perform a1 o-1/a <1005 at a-south'],
    ],
    [
      'goes to no agent outside the pool, although it was chosen',
      given(pending, 'gone'),
      5,
      claim(),
      ['Processing a:R1<1005 at a-north b:-', 'perform a1 o-1/a <1005 at a-north'],
    ],
    [
      'waits under the name of the pool',
      gated(pending, { a: full(500) }, { a: 'a-west' }),
      5,
      claim(),
      ['Pending from 500 a:H-@concurrency 500 b:-', 'nudge at 500'],
    ],
    [
      'that waited goes to the chosen member',
      given(later(play(gated(pending, { a: full(500) }), [5, claim()])), 'east'),
      50,
      claim(),
      ['Processing a:R1<1050 at a-east b:-', 'perform a1 o-1/a <1050 at a-east'],
    ],
    [
      'after a fault without an effect and a resubmit goes to any member',
      given(later(play(started('north'), [5, by('a-north', no('a'))], [6, resubmit])), 'west'),
      50,
      claim(),
      ['Processing a:R2*2<1050 at a-west b:-', 'perform a2 o-1/a#2 <1050 at a-west'],
    ],
    [
      'after a fault without an effect and a resubmit waits under the name of the pool',
      gated(later(play(started('north'), [5, by('a-north', no('a'))], [6, resubmit])), {
        a: full(500),
      }),
      50,
      claim(),
      ['Pending from 500 a:H-1*2@concurrency 500 b:-', 'nudge at 500'],
    ],
  ]);
});

describe('a step in doubt', () => {
  transitions([
    [
      'is tried again at its own member where none is chosen',
      later(late('west')),
      1_002,
      claim(),
      ['Processing a:R2!1<2002 at a-west b:-', 'perform a2 o-1/a <2002 at a-west'],
    ],
    [
      'is tried again at the chosen member of its domain',
      given(late('west'), 'east'),
      1_002,
      claim(),
      ['Processing a:R2!1<2002 at a-east b:-', 'perform a2 o-1/a <2002 at a-east'],
    ],
    [
      'is tried again at no member of another domain',
      given(late('west'), 'north'),
      1_002,
      claim(),
      ['Processing a:R2!1<2002 at a-west b:-', 'perform a2 o-1/a <2002 at a-west'],
    ],
    [
      'waits for its only member',
      gated(late('north'), { a: full(1_500) }, { a: 'a-west' }),
      1_002,
      claim(),
      ['Pending from 1500 a:H-1!1@concurrency 1500?1000 at a-north b:-', 'nudge at 1500'],
    ],
    [
      'waits for any member of its domain',
      gated(late('west'), { a: full(1_500) }, { a: 'a-east' }),
      1_002,
      claim(),
      ['Pending from 1500 a:H-1!1@concurrency 1500?1000 at a--eu b:-', 'nudge at 1500'],
    ],
    [
      'that waited for its domain goes to no member of another one',
      given(later(play(gated(late('west'), { a: full(1_500) }), [1_002, claim()])), 'north'),
      1_100,
      claim(),
      ['Processing a:R2!1<2100 at a-east b:-', 'perform a2 o-1/a <2100 at a-east'],
    ],
    [
      'that was given back waits for its domain',
      started('west'),
      5,
      by('a-west', defer('a')),
      ['Pending from 6 a:H-1@circuit 6?1000 at a--eu b:-', 'nudge at 6'],
    ],
    [
      'is undone where it may have been performed',
      given(later(play(late('north'), [1_002, cancel])), 'west'),
      1_003,
      claim(),
      ['Processing undo a:U-2<2003?1000 at a-north b:-', 'undo a2 o-1/a/undo <2003 at a-north'],
    ],
  ]);
});

it('a step that was given back while the workflow is unknown waits for its member', () => {
  const { record } = started('west');
  const decision = decide(record, by('a-west', defer('a')), null, epoch + 5);
  expect(decision).toMatchObject({
    record: { steps: [{ agent: 'svc-a-west', progress: { state: 'Held' } }, {}] },
  });
});

describe('the reply', () => {
  transitions([
    [
      'of the member that has the call counts',
      started('west'),
      5,
      by('a-west', ok('a')),
      ['Processing a:C1 at a-west b:R1<1005', 'perform b1 o-1/b <1005'],
    ],
    [
      'of another member is ignored',
      started('west'),
      5,
      by('a-east', ok('a')),
      ignored('other-agent'),
    ],
    ['of the pool is ignored', started('west'), 5, ok('a'), ignored('other-agent')],
    [
      'of the former member is ignored after a retry at another one',
      play(given(late('west'), 'east'), [1_002, claim()]),
      1_003,
      by('a-west', ok('a')),
      ignored('other-agent'),
    ],
  ]);
});

describe('the undo of a step that was performed', () => {
  const done = (member: string) => later(play(started(member), [5, by(`a-${member}`, ok('a'))]));
  const failed = (member: string) => gated(done(member), {}, { a: 'a-south' });
  transitions([
    [
      'goes to the member that performed it',
      failed('north'),
      10,
      no('b'),
      ['Processing undo a:Uc2<1010 at a-north b:F1', 'undo a2 o-1/a/undo <1010 at a-north'],
    ],
    [
      'goes to the chosen member of the domain',
      given(done('west'), 'east'),
      10,
      no('b'),
      ['Processing undo a:Uc2<1010 at a-east b:F1', 'undo a2 o-1/a/undo <1010 at a-east'],
    ],
    [
      'waits for the domain',
      gated(done('west'), { a: full(500) }, { a: 'a-west' }),
      10,
      no('b'),
      ['Pending undo from 500 a:Hc1@concurrency 500 at a--eu b:F1', 'nudge at 500'],
    ],
    [
      'that waited goes to a member of the domain',
      given(later(play(gated(done('west'), { a: full(500) }), [10, no('b')])), 'north'),
      100,
      claim(),
      ['Processing undo a:Uc2<1100 at a-east b:F1', 'undo a2 o-1/a/undo <1100 at a-east'],
    ],
    [
      'at a member that was removed goes there',
      { ...done('north'), known: submit(flow({ a: { pool: { west: {} } }, b: {} })).known },
      10,
      no('b'),
      ['Processing undo a:Uc2<1010 at a-north b:F1', 'undo a2 o-1/a/undo <1010 at a-north'],
    ],
    [
      'is settled by the reply of that member',
      play(failed('north'), [10, no('b')]),
      20,
      by('a-north', undoOk('a')),
      ['Undone undo a:Dc2 at a-north b:F1'],
    ],
  ]);
});
