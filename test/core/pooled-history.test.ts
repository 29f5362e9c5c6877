/** What the history says of pools: it is read back as it was stored, and replays (R15). */
import { describe, expect, it } from 'vitest';
import { decodeHistory, encodeHistoryEntry } from '#core/codec/history/history-codec.ts';
import { decodeRecord, encodeRecord } from '#core/codec/record-codec.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import { agentName, schedulerId, stepName } from '#core/model/ids.ts';
import { replay } from '#core/view/replay.ts';
import {
  by,
  cancel,
  claim,
  defer,
  epoch,
  expire,
  flow,
  gated,
  no,
  ok,
  play,
  resume,
  type Situation,
  submit,
  undoOk,
} from './support.ts';

const full = (until: number) => ({ hold: 'concurrency', until }) as const;
const pool = { north: {}, east: { domain: 'eu' }, west: { domain: 'eu' }, south: { weight: 0 } };
const pending = submit(flow({ a: { pool }, b: { after: ['a'] } }));
/** The order as it is, without a choice. */
const later = ({ record }: Situation): Situation => ({ record, known: pending.known });

describe('the history', () => {
  const agentsOf = ({ record }: Situation) =>
    record.history.map((entry) => ('agents' in entry ? (entry.agents ?? []) : []));

  it('names the member of each call of a pool, and no other agent', () => {
    const both = gated(submit(flow({ a: { pool }, b: {} })), {}, { a: 'a-west', b: 'a-north' });
    expect(agentsOf(play(both, [0, claim()]))).toEqual([[], [{ step: 'a', agent: 'svc-a-west' }]]);
  });

  it('names what a held step waits for', () => {
    const waiting = play(gated(pending, { a: full(500) }, { a: 'a-west' }), [5, claim()]);
    expect(agentsOf(waiting)).toEqual([[], [{ step: 'a', agent: 'svc-a' }]]);
    const again = play(gated(later(waiting), {}, { a: 'a-west' }), [50, claim()]);
    expect(agentsOf(again).at(-1)).toEqual([{ step: 'a', agent: 'svc-a-west' }]);
  });

  it('names the members of a resume and of a reply that starts steps', () => {
    const next = submit(flow({ a: {}, b: { pool }, c: { after: ['a'], pool } }));
    const split = play(gated(next, { b: full(500) }), [0, claim()]);
    const resumed = play(gated(split, {}, { b: 'b-east' }), [10, resume]);
    const replied = play(gated(resumed, {}, { c: 'c-west' }), [20, ok('a')]);
    expect(agentsOf(replied).slice(1)).toEqual([
      [{ step: 'b', agent: 'svc-b' }],
      [{ step: 'b', agent: 'svc-b-east' }],
      [{ step: 'c', agent: 'svc-c-west' }],
    ]);
  });

  it.each([
    ['no queue at all', [null]],
    ['more queues than holds', ['q', 'q']],
    ['an empty list', []],
  ])('is refused where its holds have %s', (_, queues) => {
    const entry = ['c', 1, 's-1', 0, [['a', 'limit', 500, 1]], null];
    const stored = (list: unknown) =>
      JSON.stringify([
        ['s', 0, 'ada'],
        [...entry, list],
      ]);
    expect(() => decodeHistory(stored(['q']), epoch)).not.toThrow();
    expect(() => decodeHistory(stored(queues), epoch)).toThrow();
  });

  it('of an order without a pool has nothing of it', () => {
    const plain = play(submit(flow({ a: {}, b: { after: ['a'] } })), [0, claim()], [5, ok('a')]);
    expect(plain.record.history.filter((entry) => 'agents' in entry)).toEqual([]);
    expect(encodeRecord(plain.record).History).toBe(
      '[["s",0,"ada"],["c",0,"s-1",0],["+",5,"a",1,0]]',
    );
  });
});

describe('a history with members', () => {
  const started = (member: string) => play(gated(pending, {}, { a: `a-${member}` }), [0, claim()]);
  const waiting = play(gated(pending, { a: full(500) }), [5, claim()]);
  const late = play(started('west'), [1_001, expire]);
  const heldInDoubt = play(gated(later(late), { a: full(1_500) }), [1_002, claim()]);
  const done = later(play(started('west'), [5, by('a-west', ok('a'))]));

  it.each<[string, Situation]>([
    ['of a call', started('west')],
    ['of a reply', done],
    ['of a hold', waiting],
    ['of two holds', play(gated(later(waiting), { a: full(900) }), [500, claim()])],
    ['of a call after a hold', play(gated(later(waiting), {}, { a: 'a-east' }), [50, claim()])],
    ['of a retry', play(gated(later(late), {}, { a: 'a-east' }), [1_002, claim()])],
    [
      'of a retry that another choice was not followed for',
      play(gated(later(late), {}, { a: 'a-north' }), [1_002, claim()]),
    ],
    ['of a hold in doubt', heldInDoubt],
    [
      'of a call after a hold in doubt',
      play(gated(later(heldInDoubt), {}, { a: 'a-east' }), [1_100, claim()]),
    ],
    ['of an attempt that was given back', play(started('west'), [5, by('a-west', defer('a'))])],
    [
      'of an undo',
      play(gated(done, {}, { a: 'a-east' }), [10, no('b')], [20, by('a-east', undoOk('a'))]),
    ],
    ['of an undo that waits', play(gated(done, { a: full(500) }), [10, no('b')])],
    ['of an undo of a step in doubt', play(later(late), [1_002, cancel], [1_003, claim()])],
  ])('%s replays to the stored record, and is read back', (_, { record }) => {
    expect(replay(record, pending.known).at(-1)).toEqual(record);
    expect(decodeRecord(JSON.parse(JSON.stringify(encodeRecord(record))))).toEqual(record);
  });

  it('is stored in few bytes: the steps and their agents, after the holds', () => {
    const held = play(gated(pending, { a: full(500) }), [5, claim()]);
    const claimed = play(gated(later(held), {}, { a: 'a-east' }), [50, claim()]);
    expect(encodeRecord(claimed.record).History).toBe(
      '[["s",0,"ada"],["w",5,"s-1",0,[["a","concurrency",500,5]],1,[["a","svc-a"]]],["c",50,"s-1",0,null,[["a","svc-a-east"]]]]',
    );
  });
});

describe('an entry of each kind', () => {
  const at = epoch + 7;
  const decided = { at, definitionUnknown: false };
  const ofAttempt = { ...decided, step: stepName('a'), attempt: 3 };
  const fault = { code: 'refused', message: 'No.', effect: 'none' } as const;
  const scheduler = schedulerId('s-1');
  const kinds: readonly HistoryEntry[] = [
    { ...decided, type: 'claim', by: scheduler },
    { ...decided, type: 'resume', by: scheduler },
    { ...ofAttempt, type: 'stepSucceeded' },
    { ...ofAttempt, type: 'undoSucceeded' },
    { ...ofAttempt, type: 'heartbeat' },
    { ...ofAttempt, type: 'stepFailed', fault },
    { ...ofAttempt, type: 'undoFailed', fault },
    { ...ofAttempt, type: 'deferred', gate: 'circuit', retryAfterMs: 9 },
  ];
  const hold = { step: stepName('a'), gate: 'circuit', until: at + 9, since: at } as const;
  const agents = [
    { step: stepName('a'), agent: agentName('svc-a') },
    { step: stepName('b'), agent: agentName('svc-b-west') },
  ];
  const ends = [
    {},
    { holds: [hold] },
    { agents },
    { holds: [hold], agents },
    { begun: [stepName('a'), stepName('b')] },
    { holds: [hold], begun: [], tail: [3] },
    { agents, begun: [stepName('b')] },
    { tail: [7] },
    { holds: [hold], tail: [null, { x: 1 }] },
    { agents, tail: [[]] },
    { holds: [hold], agents, tail: ['later', null] },
  ];
  const held: HistoryEntry = { ...decided, type: 'held', by: scheduler, times: 2, holds: [hold] };
  const entries = [...kinds, held].flatMap((entry) => ends.map((end) => ({ ...entry, ...end })));

  it('is read back with its holds, its members and what a newer release added', () => {
    for (const entry of entries) {
      expect(decodeHistory(`[${encodeHistoryEntry(entry, epoch)}]`, epoch)).toEqual([entry]);
    }
  });

  it('has one stored form: null only before a later element', () => {
    for (const entry of kinds) {
      const [plain]: unknown[][] = JSON.parse(`[${encodeHistoryEntry(entry, epoch)}]`);
      for (const end of [[null], [null, null], [null, null, null], [null, null, null, null]]) {
        const stored = JSON.stringify([[...(plain ?? []), ...end]]);
        expect(() => decodeHistory(stored, epoch), stored).toThrow();
      }
      const list = JSON.stringify([[...(plain ?? []), null, []]]);
      expect(() => decodeHistory(list, epoch), list).toThrow();
    }
    const [plain]: unknown[][] = JSON.parse(`[${encodeHistoryEntry(held, epoch)}]`);
    for (const end of [null, []]) {
      const stored = JSON.stringify([[...(plain ?? []), end]]);
      expect(() => decodeHistory(stored, epoch), stored).toThrow();
    }
  });

  it.each([
    ['of a malformed step', [['A', 'svc-a']]],
    ['of a malformed agent', [['a', 'Svc']]],
    ['without an agent', [['a']]],
    ['with three names', [['a', 'svc-a', 'svc-b']]],
    ['that are no list', { a: 'svc-a' }],
  ])('with members %s is refused', (_, stored) => {
    expect(() =>
      decodeHistory(JSON.stringify([['c', 7, 's-1', 0, null, stored]]), epoch),
    ).toThrow();
  });
});
