/** Corrupt stored records: refused with an error, or decoded as stored (R19). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord, type StoredRecord } from '#core/codec/record-codec.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import { rubbish, spoiled, wholeText } from '../support/spoiled.ts';
import {
  beat,
  by,
  cancel,
  claim,
  defer,
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
  resume,
  submit,
  undoNo,
  undoOk,
} from './support.ts';

const started = play(submit(diamond()), [0, claim()]);
const undoing = play(started, [1, ok('a')], [2, no('b')]);
const corrections = [{ field: 'colour', value: { deep: [null] } }];
/** A history with a correction, a shortening, and a submission without a submitter. */
const rare: readonly HistoryEntry[] = [
  { type: 'submit', at: epoch, by: null },
  { type: 'shortened', at: epoch + 1, entries: 7, claims: 2 },
  { type: 'resubmit', at: epoch + 2, by: 'olga', corrections },
];
const pooled = submit(flow({ a: { pool: { north: {}, east: {} } }, b: {} }));
const pooledHeld = play(gated(pooled, { a: { hold: 'circuit', until: 500 } }), [1, claim()]);
const pooledRuns = { known: gated(pooled, {}, { a: 'a-east' }).known, record: pooledHeld.record };
/** Between them, every form of a step and of a history entry. */
const sound: readonly StoredRecord[] = [
  started,
  undoing,
  play(undoing, [3, undoOk('a')]),
  play(undoing, [3, undoNo('a')]),
  play(started, [1, ok('a')], [2, cancel]),
  { record: { ...started.record, history: rare } },
  pooledHeld,
  play(pooledRuns, [2, resume], [3, by('a-east', defer('a'))], [4, by('b', no('b'))]),
  play(
    submit(flow({ a: { maxDuration: 9_000, onFault: 'hold' }, b: { when: () => false } })),
    [1, interrupt('restart', 1)],
    [2, claim()],
    [600, beat('a')],
    [700, no('a', 1, 'possible')],
    [800, resubmit],
    [900, claim()],
    [1_901, expire],
  ),
].map(({ record }) => encodeRecord(record));
const some = fc.constantFrom(...sound);

/** Normalised by JSON, which does not distinguish 0 and -0 or keep spaces. */
const normal = (text: string) => wholeText(JSON.parse(text));

/** Refused, or read and stored unchanged, except for additional fields of a fault. */
function judge(stored: object): void {
  let again: StoredRecord;
  try {
    again = encodeRecord(decodeRecord(stored));
  } catch (error) {
    expect(error).toBeInstanceOf(CorruptDataError);
    expect(error).toMatchObject({ code: 'record-corrupt', cause: expect.any(Error) });
    return;
  }
  expect(encodeRecord(decodeRecord(again))).toEqual(again);
  // The format follows from the steps, as they were read.
  const { Fault: _, Format: __, ...rest } = again;
  for (const [name, value] of Object.entries(rest)) {
    const given = new Map<string, unknown>(Object.entries(stored));
    // Older records have none.
    const before = name === 'CorrelationID' ? (given.get(name) ?? null) : given.get(name);
    const isJson = name === 'Steps' || name === 'History';
    expect(isJson ? normal(String(before)) : JSON.stringify(before), name).toBe(
      isJson ? value : JSON.stringify(value),
    );
  }
}

describe('a stored record', () => {
  it('in its valid form is read', () => {
    for (const stored of sound) expect(encodeRecord(decodeRecord(stored))).toEqual(stored);
  });

  it('of random data is refused', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), rubbish), (stored) => {
        expect(() => decodeRecord(stored)).toThrow(CorruptDataError);
      }),
    );
  });

  it('with one corrupt attribute is refused, or decoded as stored', () => {
    const broken = some.chain((stored) => spoiled(stored));
    fc.assert(
      fc.property(broken, (text) => judge(JSON.parse(text))),
      { numRuns: 500 },
    );
  });

  it.each(['Steps', 'History', 'Fault'] as const)(
    'with corrupt %s is refused, or decoded as stored',
    (name) => {
      const withIt = sound.filter((stored) => stored[name] !== null);
      const broken = fc
        .constantFrom(...withIt)
        .chain((stored) =>
          fc
            .oneof({ weight: 6, arbitrary: spoiled(JSON.parse(stored[name] ?? '')) }, rubbish)
            .map((text) => ({ ...stored, [name]: text })),
        );
      fc.assert(fc.property(broken, judge), { numRuns: 500 });
    },
  );
});
