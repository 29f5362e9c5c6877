/** Full records: the order stops with a reason, and an operator can cancel it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord } from '#core/codec/record-codec.ts';
import { isRecordWithin, recordBytes } from '#core/codec/record-size.ts';
import { decide, decideShortened } from '#core/decide/decide.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { type HistoryEntry, shortened } from '#core/model/history.ts';
import { agentName, schedulerId, stepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { replay } from '#core/view/replay.ts';
import {
  beat,
  cancel,
  claim,
  epoch,
  expire,
  flow,
  no,
  ok,
  play,
  resubmit,
  type Situation,
  submit,
  undoOk,
} from './support.ts';

const { recordBytesToStart, recordBytesToKeep, recordBytesMax, outputBytesMax } = limits;
const two = submit(
  flow({ a: { maxDuration: 9_000 }, b: { after: ['a'], onFault: 'hold' }, c: {} }),
);
const running = play(two, [0, claim()]);

/** With so many claims before it that the record has this many bytes, or some more. */
function grown({ record, known }: Situation, bytes: number): Situation {
  const past: HistoryEntry = {
    type: 'claim',
    at: epoch,
    by: schedulerId('s'),
    definitionUnknown: false,
  };
  const each = JSON.stringify(['c', 0, 's', 0]).length + 1;
  const missing = Math.ceil((bytes - recordBytes(record)) / each);
  const [first, ...rest] = record.history;
  if (first === undefined) throw new Error('a history begins with the submission');
  const retries: HistoryEntry = { type: 'resubmit', at: epoch, by: 'olga', corrections: [] };
  const filler = Array.from({ length: Math.max(0, missing) }, () => past);
  return { known, record: { ...record, history: [first, ...filler, retries, ...rest] } };
}

/** With a correction by an operator, which no history loses, so that the record has this many bytes, or some more. */
function filled({ record, known }: Situation, bytes: number): Situation {
  const [first, ...rest] = record.history;
  if (first === undefined) throw new Error('a history begins with the submission');
  const value = 'x'.repeat(Math.max(0, bytes - recordBytes(record)));
  const corrections = [{ field: 'note', value }];
  const correction: HistoryEntry = { type: 'resubmit', at: epoch, by: 'olga', corrections };
  return { known, record: { ...record, history: [first, correction, ...rest] } };
}

function next({ record, known }: Situation, event: RecordEvent, ms = 10): ProcessRecord {
  const decision = decide(record, event, known, epoch + ms);
  if (decision.kind === 'ignored') throw new Error(decision.reason);
  expect(recordBytes(decision.record)).toBeLessThanOrEqual(recordBytesMax);
  return decision.record;
}
const reasonOf = ({ record, known }: Situation, event: RecordEvent, ms = 10) => {
  const decision = decide(record, event, known, epoch + ms);
  return decision.kind === 'ignored' ? decision.reason : decision.record.processState;
};
const big = 'x'.repeat(outputBytesMax - 2);

describe('an order whose record is full of history', () => {
  it.each([
    ['a claim', two, claim(), 10, 'Processing'],
    ['a success', running, ok('a', 1, big), 10, 'Processing'],
    ['a heartbeat', running, beat('a'), 600, 'Processing'],
    [
      'a change of its priority',
      two,
      { type: 'reprioritise', by: 'olga', priority: 'low' },
      10,
      'Pending',
    ],
  ] as const)('goes on without older entries after %s', (_, situation, event, ms, expected) => {
    const record = next(grown(situation, recordBytesToStart), event, ms);
    expect(record).toMatchObject({ processState: expected, fault: null });
    expect(record.history.map(({ type }) => type)).toContain('shortened');
    expect(record.history.length).toBeLessThan(15);
  });

  it('is undone where an operator cancels it', () => {
    const cancelled = next(grown(running, recordBytesMax), cancel);
    expect(cancelled).toMatchObject({ direction: 'undo', processState: 'Processing' });
  });
});

describe('an order whose record is full', () => {
  const full = filled(two, recordBytesToStart);
  const fullRunning = filled(running, recordBytesToStart);

  it('is not started, and no request is sent', () => {
    const decision = decide(full.record, claim(), full.known, epoch + 10);
    expect(decision).toMatchObject({
      commands: [],
      record: { processState: 'Error', fault: { code: 'record-too-large', step: null } },
    });
  });

  it('keeps the output of a step, and stops', () => {
    expect(next(fullRunning, ok('a', 1, big))).toMatchObject({
      processState: 'Error',
      fault: { code: 'record-too-large', step: 'a' },
      steps: [{ progress: { state: 'Completed' } }, { progress: { state: 'NotStarted' } }, {}],
    });
  });

  it('replays to its record (R15)', () => {
    const parked = next(fullRunning, ok('a', 1, big));
    const before = fullRunning.record;
    const again = decide(before, ok('a', 1, big), fullRunning.known, epoch + 10);
    expect(again.kind === 'transition' && again.record).toEqual(parked);
  });

  it('ignores a heartbeat', () => {
    expect(reasonOf(fullRunning, beat('a'), 600)).toBe('record-full');
  });

  it('is cancelled, and becomes Undone', () => {
    let order: Situation = { ...fullRunning, record: next(fullRunning, ok('a', 1, big)) };
    for (const [event, ms] of [
      [cancel, 20],
      [no('c', 1, 'none'), 30],
      [claim(), 40],
      [undoOk('a', 2), 50],
    ] as const) {
      order = { ...order, record: next(order, event, ms) };
    }
    expect(order.record.processState).toBe('Undone');
  });

  it('counts its failures still', () => {
    expect(next(fullRunning, expire, 1_001)).toMatchObject({ failureCount: 2 });
  });
});

describe('a record without room for an output', () => {
  const full = filled(running, recordBytesToKeep);

  it('says that the step may have had an effect, as its policy has it', () => {
    const fault = { code: 'record-too-large', effect: 'possible' };
    expect(next(full, ok('a', 1, big))).toMatchObject({
      direction: 'undo',
      fault,
      steps: [{ progress: { state: 'Failed', fault }, doubtUntil: epoch + 1_000 }, {}, {}],
    });
  });
});

describe('a record of the largest size', () => {
  const full = grown(running, recordBytesMax);

  it('loses older entries of its history', () => {
    const recovered = next(full, expire, 9_001);
    expect(recovered.processState).toBe('Pending');
    expect(recovered.history.at(-1)?.type).toBe('expired');
    expect(recovered.history).toContainEqual(expect.objectContaining({ type: 'shortened' }));
  });

  it('is resubmitted only where that makes room', () => {
    const parked = play(running, [5, ok('a')], [6, no('b')]).record;
    const again = next(grown({ ...full, record: parked }, recordBytesMax), resubmit, 9_002);
    expect(again).toMatchObject({ processState: 'Pending', fault: null });
    expect(again.history.map(({ type }) => type)).toContain('shortened');
    const steps = parked.steps.map((step, at) =>
      at === 2
        ? { ...step, progress: { state: 'Completed' as const, output: 'x'.repeat(recordBytesMax) } }
        : step,
    );
    const stuck = { ...full, record: { ...parked, steps } };
    expect(reasonOf(stuck, resubmit, 9_002)).toBe('record-full');
    // What an older Reeve stored is for its store to judge.
    expect(reasonOf(stuck, cancel, 9_002)).toBe('Pending');
  });
});

describe('a store that refused a record', () => {
  it.each([
    ['an order under way', running, expire, 1_001, 'Error'],
    ['an unclaimed order', two, expire, 20_000, 'Error'],
    ['a claim', two, claim(), 10, 'Error'],
    ['a cancel', running, cancel, 10, 'Processing'],
    ['a resubmit', play(running, [5, ok('a')], [6, no('b')]), resubmit, 10, 'Pending'],
  ])('is given what %s comes to in short', (_, { record, known }, event, ms, expected) => {
    const decision = decideShortened(record, event, known, epoch + ms);
    expect(decision.kind === 'transition' && decision.record.processState).toBe(expected);
  });

  it('is given no heartbeat', () => {
    const { record, known } = running;
    expect(decideShortened(record, beat('a'), known, epoch + 600)).toEqual({
      kind: 'ignored',
      reason: 'record-full',
    });
  });

  it('continues the undo of an order', () => {
    const { record, known } = play(
      running,
      [5, ok('a')],
      [6, ok('c')],
      [7, no('b')],
      [8, resubmit],
      [9, cancel],
    );
    const decision = decideShortened(record, claim(), known, epoch + 20);
    expect(decision.kind === 'transition' && decision.record.processState).toBe('Processing');
    expect(decision.kind === 'transition' && decision.commands.map(({ kind }) => kind)).toEqual([
      'request',
      'request',
    ]);
  });
});

describe('a shortened history', () => {
  const at = (ms: number) => epoch + ms;
  const claimEntry = (ms: number): HistoryEntry => ({
    type: 'claim',
    at: at(ms),
    by: schedulerId('s'),
    definitionUnknown: false,
  });
  const done: HistoryEntry = {
    type: 'stepSucceeded',
    at: at(9),
    step: stepName('a'),
    attempt: 1,
    definitionUnknown: false,
  };
  const retries: HistoryEntry = { type: 'resubmit', at: at(3), by: 'olga', corrections: [] };
  const latest = Array.from({ length: 8 }, () => done);

  it('keeps the submission, what operators did, and the latest entries', () => {
    const [submission] = two.record.history;
    if (submission === undefined) throw new Error('a history begins with the submission');
    const history = [submission, claimEntry(1), retries, claimEntry(4), claimEntry(5), ...latest];
    const marker = { type: 'shortened', at: at(5), entries: 3, claims: 2 };
    expect(shortened(history)).toEqual([submission, retries, marker, ...latest]);
    const again = [...shortened(history), claimEntry(10), claimEntry(11)];
    const later = { type: 'shortened', at: at(9), entries: 5, claims: 2 };
    expect(shortened(again)).toEqual([submission, retries, later, ...again.slice(-8)]);
  });

  it('that has no entries to drop is marked as well', () => {
    const marker = { type: 'shortened', at: epoch, entries: 0, claims: 0 };
    const [submission] = two.record.history;
    expect(shortened(two.record.history)).toEqual([submission, marker]);
  });

  it('is stored and read back, counts its claims, and does not replay', () => {
    const { record, known } = grown(two, recordBytesToStart);
    const short: ProcessRecord = { ...record, history: shortened(record.history) };
    expect(decodeRecord(JSON.parse(JSON.stringify(encodeRecord(short))))).toEqual(short);
    expect(() => replay(short, known)).toThrow('shortened');
    const claims = { type: 'shortened', at: epoch, entries: 999, claims: 999 } as const;
    const many = { ...two.record, history: [...two.record.history, claims] };
    expect(next({ known, record: many }, claim()).fault?.code).toBe('too-many-claims');
  });
});

describe('the size of a record', () => {
  it('is never more than it is taken for, and never less than its parts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (output, by) => {
        const value = JSON.parse(JSON.stringify(output));
        const { record } = play(running, [5, ok('a', 1, value)], [6, { type: 'cancel', by }]);
        const bytes = recordBytes(record);
        const texts = Object.values(encodeRecord(record)).filter(
          (text) => typeof text === 'string',
        );
        expect(bytes).toBeGreaterThan(Buffer.byteLength(texts.join('')));
        expect(isRecordWithin(record, bytes)).toBe(true);
        expect(isRecordWithin(record, bytes - 1)).toBe(false);
      }),
    );
  });

  it('is never more than it is taken for with the longest names of members', () => {
    const step = stepName('s'.repeat(40));
    const agents = Array.from({ length: 64 }, () => ({ step, agent: agentName('a'.repeat(40)) }));
    const of = { at: epoch + 999_999_999, step, attempt: 9, definitionUnknown: false } as const;
    const entry: HistoryEntry = { type: 'stepSucceeded', ...of, agents };
    const history = [...two.record.history, ...Array.from({ length: 50 }, () => entry)];
    const full = { ...two.record, history };
    expect(isRecordWithin(full, recordBytes(full) - 1)).toBe(false);
  });
});
