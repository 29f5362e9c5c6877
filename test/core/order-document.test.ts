/** A record that its store keeps together with the document of its order: nothing may lose or change the document. */
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord, type StoredRecord } from '#core/codec/record-codec.ts';
import { isRecordWithin, recordBytes } from '#core/codec/record-size.ts';
import { decideShortened } from '#core/decide/decide.ts';
import { changeOf } from '#core/model/change.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import { replay } from '#core/view/replay.ts';
import {
  beat,
  cancel,
  claim,
  defer,
  diamond,
  epoch,
  expire,
  flow,
  interrupt,
  no,
  ok,
  play,
  reprioritise,
  resubmit,
  type Situation,
  submit,
  undoNo,
  undoOk,
} from './support.ts';

const document = { details: { n: 1, name: 'Ä' }, digest: 'd' };
const whole = ({ record, known }: Situation): Situation => ({
  record: { ...record, document },
  known,
});
const pending = whole(submit(diamond()));
const started = play(pending, [0, claim()]);
const undoing = play(started, [1, ok('a')], [2, no('b')]);
const lasting = whole(submit(flow({ a: { maxDuration: 9_000 } })));
const held = play(whole(submit(flow({ a: { onFault: 'hold' } }))), [0, claim()], [5, no('a')]);

describe('the document of an order in its record', () => {
  it.each<[string, Situation]>([
    ['a claim', started],
    ['the end of a step', play(started, [1, ok('a')])],
    ['a fault', undoing],
    ['an undo', play(undoing, [3, undoOk('a')])],
    ['an undo that fails', play(undoing, [3, undoNo('a')])],
    ['a heartbeat', play(lasting, [0, claim()], [600, beat('a')])],
    ['a call that is given back', play(started, [1, defer('a', 1, 500)])],
    ['a time-out', play(started, [1_001, expire])],
    ['an interruption', play(started, [1, interrupt('restart', 1)])],
    ['a stop', held],
    ['a resubmit', play(held, [6, resubmit])],
    ['a cancel', play(started, [1, cancel])],
    ['another priority', play(pending, [1, reprioritise('low')])],
  ])('is kept by %s, and read back', (_, { record }) => {
    expect(record.revision).toBeGreaterThan(1);
    expect(record.document).toBe(document);
    expect(decodeRecord(JSON.parse(JSON.stringify(encodeRecord(record))))).toEqual(record);
  });

  it('is kept in the shortest form of a record, and by a replay', () => {
    const { record, known } = undoing;
    const short = decideShortened(record, undoOk('a'), known, epoch + 3);
    expect(short).toMatchObject({ kind: 'transition', record: { document } });
    expect(replay(record, known).at(-1)).toEqual(record);
  });

  it('is stored under names of its own, with a format that releases without it leave alone', () => {
    const { document: _, ...alone } = started.record;
    expect(encodeRecord(started.record)).toEqual({
      ...encodeRecord(alone),
      Format: 5,
      Details: '{"n":1,"name":"Ä"}',
      Digest: 'd',
    });
  });

  it('counts in the size of a record', () => {
    const { document: _, ...alone } = started.record;
    const bytes = 'Format'.length + 21 + 'Details'.length + 19 + 'Digest'.length + 1;
    expect(recordBytes(started.record) - recordBytes(alone)).toBe(bytes);
    const large = { ...alone, document: { ...document, details: 'x'.repeat(5_000) } };
    expect(isRecordWithin(large, 5_000)).toBe(false);
  });

  it('is in no status message and in no alert', () => {
    expect(JSON.stringify(changeOf(null, started.record))).not.toMatch(/Ä|details|digest/);
  });

  const good = encodeRecord(started.record);
  it.each<[string, readonly string[], Partial<StoredRecord>]>([
    ['without a digest', ['Digest'], {}],
    ['without details', ['Details'], {}],
    ['whose details are no JSON', [], { Details: '{' }],
    ['whose details nest too deeply', [], { Details: '['.repeat(70) + ']'.repeat(70) }],
  ])('is corrupt %s', (_, without, change) => {
    const stored = Object.entries({ ...good, ...change }).filter(
      ([name]) => !without.includes(name),
    );
    expect(() => decodeRecord(Object.fromEntries(stored))).toThrow(CorruptDataError);
  });
});
