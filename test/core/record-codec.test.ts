/** The stored form: decoding restores what Reeve wrote, and refuses everything else (R15). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeRecord,
  type EarlierRevision,
  encodeAfter,
  encodeRecord,
  type StoredRecord,
} from '#core/codec/record-codec.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import { agentName, stepName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import { replay } from '#core/view/replay.ts';
import {
  beat,
  claim,
  diamond,
  epoch,
  expire,
  flow,
  interrupt,
  no,
  ok,
  play,
  resubmit,
  type StepSpec,
  submit,
  undoNo,
  undoOk,
} from './support.ts';

const pending = submit(diamond());
const started = play(pending, [0, claim()]);
const held = play(submit(flow({ a: { onFault: 'hold' } })), [0, claim()], [5, no('a')]);
const ended = play(started, [1, ok('a')], [2, ok('b')], [3, ok('c')], [4, ok('d')]);
const undoing = play(started, [1, ok('a')], [2, no('b')]);
const undone = play(undoing, [3, undoOk('a')]);
const reread = (stored: object): unknown => JSON.parse(JSON.stringify(stored));

describe('the stored form', () => {
  it('has the names and the plain values of the pattern', () => {
    expect(encodeRecord(undoing.record)).toEqual({
      OrderID: 'o-1',
      Workflow: 'flow',
      WorkflowVersion: 1,
      Fingerprint: undoing.record.fingerprint,
      ProcessState: 'Processing',
      LockedBy: 's-1',
      CompleteBy: epoch + 1_002,
      FailureCount: 0,
      Direction: 'undo',
      Steps: JSON.stringify([
        [
          'a',
          'svc-a',
          [1_000, 1_000, 1, 100, 0, 1, 1, 0],
          2,
          0,
          1,
          null,
          ['U', 1_002, 1_002, ['C', 'a done']],
        ],
        [
          'b',
          'svc-b',
          [1_000, 1_000, 1, 100, 0, 1, 1, 0],
          1,
          0,
          1,
          null,
          ['F', ['refused', 'No.', 'none']],
        ],
        ['c', 'svc-c', [1_000, 1_000, 1, 100, 0, 1, 1, 0], 0, 0, 1, null, ['N']],
        ['d', 'svc-d', [1_000, 1_000, 1, 100, 0, 1, 0, 1], 0, 0, 1, null, ['N']],
      ]),
      Fault: JSON.stringify({
        code: 'refused',
        message: 'No.',
        effect: 'none',
        step: 'b',
        action: 'perform',
      }),
      Priority: 'high',
      Tenant: 'acme',
      ReplyTo: 'shop',
      CorrelationID: 'po-7',
      NotBefore: epoch,
      Revision: 4,
      WriteID: 'w-1',
      History: JSON.stringify([
        ['s', 0, 'ada'],
        ['c', 0, 's-1', 0],
        ['+', 1, 'a', 1, 0],
        ['f', 2, 'b', 1, 0, ['refused', 'No.', 'none']],
      ]),
      SubmittedAt: epoch,
      UpdatedAt: epoch + 2,
    });
  });

  it('writes every kind of step and of history entry', () => {
    const conditional = flow({
      a: {
        maxDuration: 9_000,
        onFault: 'hold',
        onExhausted: 'hold',
        coolDown: { after: 200, times: 3 },
      },
      b: { when: () => false },
    });
    const { record } = play(
      submit(conditional),
      [1, interrupt('restart', 1)],
      [2, claim()],
      [600, beat('a')],
      [700, no('a', 1, 'possible')],
      [800, resubmit],
      [900, claim()],
      [1_901, expire],
      [1_902, claim()],
      [2_903, interrupt('outage', 3_000)],
    );
    expect(encodeRecord(record)).toMatchObject({
      Fault: null,
      Steps: JSON.stringify([
        ['a', 'svc-a', [1_000, 9_000, 1, 200, 3, 0, 0, 0], 3, 1, 1, 2_902, ['N']],
        ['b', 'svc-b', [1_000, 1_000, 1, 100, 0, 1, 1, 0], 0, 0, 1, null, ['S']],
      ]),
      History: JSON.stringify([
        ['s', 0, 'ada'],
        ['r', 1, [], 1, 1],
        ['c', 2, 's-1', 0],
        ['h', 600, 'a', 1, 0],
        ['f', 700, 'a', 1, 0, ['refused', 'No.', 'possible']],
        ['R', 800, 'olga'],
        ['c', 900, 's-1', 0],
        ['e', 1_901, ['a'], 0],
        ['c', 1_902, 's-1', 0],
        ['o', 2_903, ['a'], 0, 3_000],
      ]),
    });
    expect(decodeRecord(reread(encodeRecord(record)))).toEqual(record);
  });

  it('writes the results of an undo', () => {
    const stuck = play(undoing, [3, undoNo('a')]);
    expect(JSON.parse(encodeRecord(stuck.record).History)).toContainEqual([
      'g',
      3,
      'a',
      2,
      0,
      ['refused', 'No.', 'possible'],
    ]);
    expect(JSON.parse(encodeRecord(undone.record).Steps)).toMatchObject([
      ['a', 'svc-a', {}, 2, 0, 1, null, ['D', ['C', 'a done']]],
      {},
      {},
      {},
    ]);
    expect(JSON.parse(encodeRecord(undone.record).History)).toContainEqual(['-', 3, 'a', 2, 0]);
  });

  it.each([
    ['Pending', pending],
    ['Processing', started],
    ['in Error', held],
    ['Processed', ended],
    ['being undone', undoing],
    ['Undone', undone],
    ['stuck', play(undoing, [3, undoNo('a')])],
    ['late', play(undoing, [1_003, expire])],
  ])('of an order that is %s is read back', (_, { record }) => {
    expect(decodeRecord(reread(encodeRecord(record)))).toEqual(record);
  });

  it.each<[string, StepSpec, readonly unknown[]]>([
    ['none', {}, []],
    ['holdMax', { holdMax: 60_000 }, [60_000]],
    ['a factor', { coolDown: { after: 100, times: 0, factor: 1.25 } }, [null, 1.25]],
    ['a longest cool-down', { coolDown: { after: 100, times: 0, max: 900 } }, [null, null, 900]],
    [
      'all of them',
      { holdMax: 60_000, coolDown: { after: 100, times: 0, factor: 2, max: 900 } },
      [60_000, 2, 900],
    ],
    [
      'an undo',
      { undoPolicy: { retries: 4, coolDown: { after: 300, times: 9, factor: 2 } } },
      [null, null, null, [1_000, 1_000, 4, 300, 9, 2]],
    ],
    [
      'an undo with a longest cool-down',
      { undoPolicy: { completeWithin: 50, coolDown: { after: 300, times: 9, max: 900 } } },
      [null, null, null, [50, 50, 1, 300, 9, null, 900]],
    ],
    [
      'the usual undo',
      { undoPolicy: { coolDown: { after: 10_000, times: 102, factor: 2, max: 900_000 } } },
      [],
    ],
    ['a default', { holdMax: 24 * 3_600_000 }, []],
  ])('has the policy of a step with %s in few bytes, and is read back', (_, spec, further) => {
    const { record } = submit(flow({ a: spec }));
    const stored = encodeRecord(record);
    const usual = [1_000, 1_000, 1, 100, 0, 1, 1, 0];
    expect(JSON.parse(stored.Steps)).toMatchObject([{ 2: [...usual, ...further] }]);
    expect(decodeRecord(reread(stored))).toEqual(record);
  });

  it.each([
    ['hold', { LateAt: epoch + 5_000 }],
    ['undo', { LateAt: epoch + 5_000, OnLate: 'undo' }],
  ] as const)('has the deadline of an order, then %s, and is read back', (onLate, more) => {
    const plain = encodeRecord(submit(flow({ a: {} })).record);
    const { record } = submit(flow({ a: {} }, { completeWithinMs: 5_000, onLate }));
    expect(encodeRecord(record)).toEqual({ ...plain, Fingerprint: record.fingerprint, ...more });
    expect(decodeRecord(reread(encodeRecord(record)))).toEqual(record);
    expect(Object.keys(plain)).not.toContain('LateAt');
  });

  it('without a correlation id is read', () => {
    const { CorrelationID: _, ...older } = encodeRecord(held.record);
    expect(decodeRecord(reread(older))).toEqual({ ...held.record, correlationId: null });
  });

  it('without a submitter is read, and written unchanged', () => {
    const { record } = submit(flow({ a: {} }));
    const old = { ...encodeRecord(record), History: '[["s",0]]' };
    const read = decodeRecord(old);
    expect(read.history).toEqual([{ type: 'submit', at: epoch, by: null }]);
    expect(encodeRecord(read)).toEqual(old);
    expect(replay(read, submit(flow({ a: {} })).known)).toEqual([read]);
  });

  it('keeps any output, fault, tenant and instant', () => {
    const anyJson = fc.jsonValue().map((value): JsonValue => JSON.parse(JSON.stringify(value)));
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,39}$/);
    const choice = fc.record({ step: name.map(stepName), agent: name.map(agentName) });
    const drawn = fc.record({
      output: anyJson,
      code: fc.string(),
      message: fc.string({ unit: 'binary' }),
      tenant: fc.option(fc.string()),
      replyTo: fc.option(fc.string()),
      correlationId: fc.option(fc.string()),
      notBefore: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
      failureCount: fc.nat(),
      definitionUnknown: fc.boolean(),
      by: fc.string(),
      agents: fc.option(fc.array(choice, { minLength: 1 }), { nil: undefined }),
    });
    const property = fc.property(
      drawn,
      ({ output, code, message, definitionUnknown, by, agents, ...common }) => {
        const fault = { code, message, effect: 'possible' } as const;
        const { record } = held;
        const stepOf = record.steps[0];
        if (record.processState !== 'Error' || stepOf === undefined) throw new Error('not held');
        const changed = {
          ...record,
          ...common,
          steps: [
            { ...stepOf, progress: { state: 'Completed', output } as const },
            { ...stepOf, progress: { state: 'Failed', fault } as const, doubtUntil: epoch - 1 },
            {
              ...stepOf,
              progress: { state: 'Undone', before: { state: 'Failed', fault } } as const,
            },
          ],
          fault: { ...fault, step: null, action: null },
          history: [
            ...record.history.map((entry) =>
              'definitionUnknown' in entry
                ? { ...entry, definitionUnknown, ...(agents && { agents }) }
                : entry,
            ),
            { type: 'resubmit', at: epoch - 5, by, corrections: [] } as const,
            { type: 'cancel', at: epoch, by } as const,
            { type: 'reprioritise', at: epoch, by, priority: 'low', from: 'high' } as const,
          ],
        };
        expect(decodeRecord(reread(encodeRecord(changed)))).toEqual(changed);
      },
    );
    fc.assert(property);
  });
});

describe('the stored form of a next revision', () => {
  // Two sweeps in sequence are one entry, so that the last entry is replaced.
  const life = [
    ...[pending, started],
    ...[play(started, [2_000, expire]), play(started, [2_000, expire], [2_100, claim()])],
    ...[ended, undoing, undone],
  ];

  it('is that of the revision alone, whatever the earlier revision was', () => {
    for (const { record } of life) {
      for (const before of life) {
        const { texts } = encodeAfter(before.record, null);
        const earlier: EarlierRevision = { record: before.record, texts };
        expect(encodeAfter(record, earlier).row).toEqual(encodeRecord(record));
      }
    }
  });

  it('takes over the texts of the parts that did not change', () => {
    const before = play(started, [1, ok('a')]).record;
    const { steps, history } = encodeAfter(before, null).texts;
    const marked = { steps: steps.map(() => '0'), history: history.map(() => '1') };
    const next = play(started, [1, ok('a')], [2, ok('b')]).record;
    const after = { ...next, steps: [...before.steps.slice(0, 3), ...next.steps.slice(3)] };
    const ofBefore = { ...after, history: [...before.history, ...next.history.slice(-1)] };
    const { row } = encodeAfter(ofBefore, { record: before, texts: marked });
    expect(row.Steps).toMatch(/^\[0,0,0,\[/);
    expect(row.History).toMatch(/^\[1,1,1,\[/);
  });
});

/** One ms after the last instant that has a date (ECMAScript). */
const tooLate = 8_640_000_000_000_001;
const nested = (depth: number): unknown => (depth === 0 ? 0 : [nested(depth - 1)]);

describe('a record that no version of Reeve wrote', () => {
  const intact = () => encodeRecord(undoing.record);
  type Change = (good: StoredRecord) => unknown;
  const steps =
    (change: (step: unknown[]) => unknown): Change =>
    (good) => {
      const all: unknown[][] = JSON.parse(good.Steps);
      return { ...good, Steps: JSON.stringify(all.map(change)) };
    };
  /** Every step with its item at that place replaced. */
  const stepItem = (at: number, value: unknown) => steps((step) => step.with(at, value));
  const history =
    (...entries: unknown[]): Change =>
    (good) => ({ ...good, History: JSON.stringify(entries) });
  const failed = ['refused', 'No.', 'none'];

  it.each<[string, Change]>([
    ['nothing', () => undefined],
    ['null', () => null],
    ['a text', () => 'x'],
    ['a document without attributes', () => ({})],
    ['an order id of another form', (good) => ({ ...good, OrderID: 'a/b' })],
    ['a workflow name of another form', (good) => ({ ...good, Workflow: 'A' })],
    ['version 0', (good) => ({ ...good, WorkflowVersion: 0 })],
    ['a version of a fraction', (good) => ({ ...good, WorkflowVersion: 1.5 })],
    ['no fingerprint', (good) => ({ ...good, Fingerprint: null })],
    ['a state that is none', (good) => ({ ...good, ProcessState: 'Done' })],
    ['a lock of another form', (good) => ({ ...good, LockedBy: '' })],
    ['a complete-by of a fraction', (good) => ({ ...good, CompleteBy: 0.5 })],
    ['a negative failure count', (good) => ({ ...good, FailureCount: -1 })],
    ['a direction that is none', (good) => ({ ...good, Direction: 'up' })],
    ['steps that are no JSON', (good) => ({ ...good, Steps: '[' })],
    ['steps that are no list', (good) => ({ ...good, Steps: '{}' })],
    ['a fault that is no JSON', (good) => ({ ...good, Fault: 'x' })],
    ['a fault without an effect', (good) => ({ ...good, Fault: '{"code":"x","message":"y"}' })],
    [
      'a fault with an effect that is none',
      (good) => ({
        ...good,
        Fault: '{"code":"x","message":"y","effect":"some","step":null,"action":null}',
      }),
    ],
    [
      'a fault of an action that is none',
      (good) => ({
        ...good,
        Fault: '{"code":"x","message":"y","effect":"none","step":null,"action":"do"}',
      }),
    ],
    [
      'a fault of a step of another form',
      (good) => ({
        ...good,
        Fault: '{"code":"x","message":"y","effect":"none","step":"A B","action":null}',
      }),
    ],
    ['a priority that is none', (good) => ({ ...good, Priority: 'urgent' })],
    ['a tenant that is no text', (good) => ({ ...good, Tenant: 7 })],
    ['a correlation id that is no text', (good) => ({ ...good, CorrelationID: 7 })],
    ['a reply address that is no text', (good) => ({ ...good, ReplyTo: 7 })],
    ['a notBefore that is null', (good) => ({ ...good, NotBefore: null })],
    ['revision 0', (good) => ({ ...good, Revision: 0 })],
    ['a write id of another form', (good) => ({ ...good, WriteID: '' })],
    ['a history that is no JSON', (good) => ({ ...good, History: '' })],
    ['a submission that has no instant', (good) => ({ ...good, SubmittedAt: '1' })],
    ['an update that has no instant', (good) => ({ ...good, UpdatedAt: null })],
    ['a deadline that is not a date', (good) => ({ ...good, LateAt: tooLate })],
    ['an end of a deadline that it does not have', (good) => ({ ...good, OnLate: 'undo' })],
    ['an end of a deadline that is none', (good) => ({ ...good, LateAt: 5, OnLate: 'wait' })],
    ['a timeout that is late with another mark', history(['e', 0, [], 0, 2])],
    ['a timeout that ends with null', history(['e', 0, [], 0, null])],
    ['a complete-by that is not a date', (good) => ({ ...good, CompleteBy: tooLate })],
    ['a notBefore that is not a date', (good) => ({ ...good, NotBefore: tooLate })],
    ['a submission before all dates', (good) => ({ ...good, SubmittedAt: -tooLate })],
    ['an update that is not a date', (good) => ({ ...good, UpdatedAt: tooLate })],
    ['a doubt that is not a date', stepItem(6, tooLate - epoch)],
    ['a Running step whose complete-by is not a date', stepItem(7, ['R', tooLate - epoch, 0])],
    ['a Running step whose end is not a date', stepItem(7, ['R', 0, tooLate - epoch])],
    ['an undo whose complete-by is not a date', stepItem(7, ['U', -tooLate - epoch, 0, ['N']])],
    ['an undo whose end is not a date', stepItem(7, ['U', 0, tooLate - epoch, ['N']])],
    ['a history entry that is not a date', history(['s', tooLate - epoch])],
    ['an interruption whose notBefore is not a date', history(['r', 0, [], 0, tooLate - epoch])],
    ['a step name of another form', stepItem(0, 'A')],
    ['an agent name of another form', stepItem(1, 'A')],
    ['a policy too short', stepItem(2, [1, 1, 1, 1, 1, 1, 1])],
    ['a policy with another flag', stepItem(2, [1, 1, 1, 1, 1, 1, 1, 2])],
    ['a policy of fractions', stepItem(2, [1, 1, 0.5, 1, 1, 1, 1, 1])],
    ['a policy with a hold that is no number', stepItem(2, [1, 1, 1, 1, 1, 1, 1, 1, 'x'])],
    ['a policy with a factor below 1', stepItem(2, [1, 1, 1, 1, 1, 1, 1, 1, null, 0.5])],
    [
      'a policy with an undo that is no list',
      stepItem(2, [1, 1, 1, 1, 1, 1, 1, 1, null, null, null, 2]),
    ],
    [
      'a policy with an undo that ends with null',
      stepItem(2, [1, 1, 1, 1, 1, 1, 1, 1, null, null, null, [1, 1, 1, 1, 1, null]]),
    ],
    ['a policy that ends with nulls', stepItem(2, [1, 1, 1, 1, 1, 1, 1, 1, 5, null])],
    ['a policy that ends with null', stepItem(2, [1, 1, 1, 1, 1, 1, 1, 1, null])],
    ['an attempt that is no number', stepItem(3, '1')],
    ['failures that are no number', stepItem(4, null)],
    ['a key generation that is no number', stepItem(5, null)],
    ['a doubt that is no number', stepItem(6, 'x')],
    ['a step state that is none', stepItem(7, ['X'])],
    ['a Running step without an end', stepItem(7, ['R', 5])],
    ['a Completed step without an output', stepItem(7, ['C'])],
    ['a Failed step without a fault', stepItem(7, ['F'])],
    ['a Failed step with an effect that is none', stepItem(7, ['F', ['a', 'b', 'c']])],
    ['an undo of a Running step', stepItem(7, ['U', 1, 2, ['R', 1, 2]])],
    ['an undo of a skipped step', stepItem(7, ['D', ['S']])],
    ['an output deeper than any that is taken', stepItem(7, ['C', nested(65)])],
    ['an output under an undo deeper than that', stepItem(7, ['D', ['C', nested(65)]])],
    ['a step with fewer items', steps((step) => step.slice(0, -1))],
    ['a step with something that is no JSON behind it', steps((step) => [...step, nested(65)])],
    ['a history entry of no kind', history([0, 0])],
    ['a history entry of an unknown kind without an instant', history(['?', 'now'])],
    ['a history entry without an instant', history(['s'])],
    ['a claim of a Scheduler of another form', history(['c', 0, '', 0])],
    ['a claim with another flag', history(['c', 0, 's-1', 2])],
    ['a success of attempt 0', history(['+', 0, 'a', 0, 0])],
    ['a success of a step of another form', history(['+', 0, 'A', 1, 0])],
    ['a fault entry without a fault', history(['f', 0, 'a', 1, 0])],
    ['a sweep without its steps', history(['e', 0])],
    ['a sweep with steps of another form', history(['e', 0, ['A'], 0])],
    ['an interruption with steps of another form', history(['o', 0, ['A'], 0, 0])],
    ['a sweep with fewer than no nudges', history(['e', 0, [], -1])],
    ['an interruption without its notBefore', history(['r', 0, [], 0])],
    ['a resubmit without an operator', history(['R', 0])],
    ['a resubmit with a list of no corrections', history(['R', 0, 'olga', []])],
    [
      'a fault entry with an effect that is none',
      history(['f', 0, 'a', 1, 0, [...failed.slice(0, 2), 'x']]),
    ],
  ])('is refused: %s', (_, change) => {
    const stored = change(intact());
    expect(() => decodeRecord(stored)).toThrow(CorruptDataError);
    expect(() => decodeRecord(stored)).toThrow(
      expect.objectContaining({
        code: 'record-corrupt',
        message:
          'A stored process record cannot be read. Restore it from a backup, or remove it by hand.',
        cause: expect.any(Error),
      }),
    );
  });

  it.each([
    ['too large a number', '1e400'],
    ['too small a number', '[-1e400]'],
    ['a depth that exhausts the stack', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ])('is refused: an output that could not be written again: %s', (_, output) => {
    const good = encodeRecord(held.record);
    const parsed: unknown[][] = JSON.parse(good.Steps);
    const completed = parsed.map((step) => step.with(7, ['C', 'OUTPUT']));
    const text = JSON.stringify(completed).replace('"OUTPUT"', output);
    expect(() => decodeRecord({ ...good, Steps: text })).toThrow(CorruptDataError);
  });

  it('is not: the last instant that has a date', () => {
    const at = tooLate - 1;
    const last = { ...intact(), NotBefore: at, UpdatedAt: at };
    expect(decodeRecord(last)).toMatchObject({ notBefore: at, updatedAt: at });
    for (const change of [stepItem(6, at - epoch), history(['s', at - epoch])]) {
      expect(() => decodeRecord(change(intact()))).not.toThrow();
    }
  });

  const idle = { LockedBy: null, CompleteBy: null };
  type Combination = (good: StoredRecord) => StoredRecord;
  it.each<[string, Combination, string]>([
    ['Pending, and locked', (good) => ({ ...good, ProcessState: 'Pending' }), 'Pending'],
    ['Processing, and not locked', (good) => ({ ...good, LockedBy: null }), 'Processing'],
    ['Processing without a complete-by', (good) => ({ ...good, CompleteBy: null }), 'Processing'],
    ['in Error, and locked', (good) => ({ ...good, ProcessState: 'Error' }), 'Error'],
    [
      'in Error without a fault',
      (good) => ({ ...good, ProcessState: 'Error', ...idle, Fault: null }),
      'Error',
    ],
    [
      'Processed, and locked',
      (good) => ({ ...good, ProcessState: 'Processed', CompleteBy: null }),
      'Processed',
    ],
    [
      'Processed with a complete-by',
      (good) => ({ ...good, ProcessState: 'Processed', LockedBy: null }),
      'Processed',
    ],
    [
      'Undone, and locked',
      (good) => ({ ...good, ProcessState: 'Undone', CompleteBy: null }),
      'Undone',
    ],
    [
      'Undone with a complete-by',
      (good) => ({ ...good, ProcessState: 'Undone', LockedBy: null }),
      'Undone',
    ],
  ])('is refused: an order that is %s', (_, change, state) => {
    const stored = change(intact());
    const { LockedBy, CompleteBy } = stored;
    const message = `Order o-1 is ${state} with lockedBy ${LockedBy} and completeBy ${CompleteBy}, which is impossible.`;
    expect(() => decodeRecord(stored)).toThrow(
      expect.objectContaining({
        cause: expect.objectContaining({ code: 'record-corrupt', message }),
      }),
    );
  });

  it.each<[string, Combination]>([
    ['Pending', (good) => ({ ...good, ProcessState: 'Pending', ...idle })],
    [
      'Pending with a call in flight',
      (good) => ({ ...good, ProcessState: 'Pending', LockedBy: null }),
    ],
    ['in Error', (good) => ({ ...good, ProcessState: 'Error', ...idle })],
    [
      'in Error with a call in flight',
      (good) => ({ ...good, ProcessState: 'Error', LockedBy: null }),
    ],
    ['Processed', (good) => ({ ...good, ProcessState: 'Processed', ...idle })],
    ['Undone', (good) => ({ ...good, ProcessState: 'Undone', ...idle })],
  ])('is not: an order that is %s', (_, change) => {
    const stored = change(intact());
    expect(decodeRecord(stored).processState).toBe(stored.ProcessState);
  });
});
