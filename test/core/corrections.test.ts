/** Resubmit with corrected details: what may be changed, and what the steps are given then. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { decodeHistory, encodeHistoryEntry } from '#core/codec/history/history-codec.ts';
import { decide } from '#core/decide/decide.ts';
import { correctedDetails } from '#core/decide/step-context.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { replay } from '#core/view/replay.ts';
import {
  claim,
  epoch,
  expire,
  flow,
  no,
  ok,
  play,
  type Situation,
  type StepSpec,
  submit,
  undoNo,
} from './support.ts';

const schema = z.strictObject({
  sku: z.string(),
  payment: z.strictObject({ token: z.string().trim().min(3), note: z.string().optional() }),
  lines: z.array(z.strictObject({ quantity: z.int().min(1) })),
});
const submitted = {
  sku: 'A-1',
  payment: { token: 'tok_1' },
  lines: [{ quantity: 2 }, { quantity: 3 }],
};
const details: z.ZodType<z.infer<typeof schema>> = schema;
const read = (context: { readonly details: JsonValue }) => details.parse(context.details);

/** Reserve what was ordered, then pay, then ship if the first line is large. */
function shop(policy = {}): Situation {
  const definition: WorkflowDefinition = {
    ...flow({
      reserve: { input: (context) => read(context).lines, ...policy },
      pay: {
        after: ['reserve'],
        input: (context) => read(context).payment,
        onFault: 'hold',
        onExhausted: 'hold',
        retries: 0,
      },
      ship: { after: ['pay'], when: (context) => (read(context).lines[0]?.quantity ?? 0) > 1 },
    }),
    details,
  };
  const { record } = submit(definition);
  return { record, known: { definition, details: submitted } };
}
const reserved = play(shop(), [0, claim()], [5, ok('reserve')]);
const declined = play(reserved, [10, no('pay')]);

function resubmit({ record, known }: Situation, set: Readonly<Record<string, JsonValue>>) {
  const corrections = Object.entries(set).map(([field, value]) => ({ field, value }));
  return decide(record, { type: 'resubmit', by: 'olga', corrections }, known, epoch + 1_000);
}
const errorsOf = (from: Situation, set: Readonly<Record<string, JsonValue>>) => {
  const decision = resubmit(from, set);
  return decision.kind === 'ignored' ? decision.errors : decision;
};

it('names the workflow whose schema throws at a correction', () => {
  const { record, known } = declined;
  const throwing = z.custom<JsonValue>(() => {
    throw new RangeError('tok_1');
  });
  const definition = { ...known.definition, details: throwing };
  expect(() =>
    resubmit({ record, known: { ...known, definition } }, { 'payment.token': 'tok_2' }),
  ).toThrow(expect.objectContaining({ code: 'details-schema-failed' }));
});

it('requests the refused step with the corrected input, under a new key', () => {
  const decision = resubmit(declined, { 'payment.token': 'tok_2' });
  if (decision.kind === 'ignored') throw new Error(decision.reason);
  const next = decide(decision.record, claim(), declined.known, epoch + 1_001);
  expect(next).toMatchObject({
    commands: [
      { request: { step: 'pay', input: { token: 'tok_2' }, idempotencyKey: 'o-1/pay#2' } },
    ],
  });
});

it('is in the history with principal, time and fields, and survives encoding', () => {
  const decision = resubmit(declined, { 'payment.token': 'tok_2', 'payment.note': 'by phone' });
  if (decision.kind === 'ignored') throw new Error(decision.reason);
  const { history } = decision.record;
  expect(history.at(-1)).toEqual({
    type: 'resubmit',
    by: 'olga',
    at: epoch + 1_000,
    corrections: [
      { field: 'payment.token', value: 'tok_2' },
      { field: 'payment.note', value: 'by phone' },
    ],
  });
  expect(
    decodeHistory(`[${history.map((entry) => encodeHistoryEntry(entry, epoch)).join()}]`, epoch),
  ).toEqual(history);
  expect(correctedDetails(submitted, history)).toEqual({
    ...submitted,
    payment: { token: 'tok_2', note: 'by phone' },
  });
  expect(replay(decision.record, declined.known).at(-1)).toEqual(decision.record);
});

it('stores the value that the schema returns', () => {
  const decision = resubmit(declined, { 'payment.token': '  tok_2 ' });
  if (decision.kind === 'ignored') throw new Error(decision.reason);
  expect(decision.record.history.at(-1)).toMatchObject({
    corrections: [{ field: 'payment.token', value: 'tok_2' }],
  });
});

type Noted = { readonly note?: string | null | undefined; readonly fix: string };
/** What a schema makes of a blank text: `null`, a field without a value, or no field. */
const blankAs: readonly (readonly [string, z.ZodType<Noted>])[] = [
  [
    'null',
    z.object({
      note: z
        .string()
        .nullable()
        .transform((text) => text?.trim() || null),
      fix: z.string(),
    }),
  ],
  [
    'nothing',
    z.object({
      note: z
        .string()
        .optional()
        .transform((text) => text?.trim() || undefined),
      fix: z.string(),
    }),
  ],
  [
    'no field',
    z
      .object({ note: z.string().optional(), fix: z.string() })
      .transform(({ note, ...rest }) => (note?.trim() ? { note: note.trim(), ...rest } : rest)),
  ],
];
const noteOf = (from: JsonValue) =>
  z.object({ note: z.string().nullish() }).parse(from).note ?? null;

/** `first` is given the note, and `fix` the other field. Each stops the order when it is refused. */
function withNote(schemaOfNote: z.ZodType<Noted>, note: string): Situation {
  const definition: WorkflowDefinition = {
    ...flow({
      first: { onFault: 'hold', input: (context) => noteOf(context.details) },
      fix: { after: ['first'], onFault: 'hold' },
    }),
    details: schemaOfNote,
  };
  const { record } = submit(definition);
  return { record, known: { definition, details: schemaOfNote.parse({ note, fix: 'x' }) } };
}

it.each(blankAs)(
  'makes the details what the schema makes of them, where blank text becomes %s, and changes no step that was done',
  (_, schemaOfNote) => {
    const texts = fc.constantFrom('', '  ', 'one', ' one ', 'two');
    const given = fc.property(texts, texts, fc.boolean(), (submittedNote, note, isDone) => {
      const from = withNote(schemaOfNote, submittedNote);
      const stopped = isDone
        ? play(from, [0, claim()], [5, ok('first')], [6, no('fix')])
        : play(from, [0, claim()], [5, no('first')]);
      const before = stopped.known.details;
      const wanted = schemaOfNote.parse({ note, fix: 'y' });
      const decision = resubmit(stopped, { note, fix: 'y' });
      if (decision.kind === 'transition') {
        const after = correctedDetails(before, decision.record.history);
        expect(after).toEqual(wanted);
        if (isDone) expect(noteOf(after)).toBe(noteOf(before));
      } else {
        const isTouched = isDone && noteOf(wanted) !== noteOf(before);
        const isLeftOut = wanted.note === undefined;
        expect(isTouched || isLeftOut).toBe(true);
      }
    });
    fc.assert(given);
  },
);

it('leaves a field as it is that the schema would change once more, also where a step that was done has it', () => {
  const inCents: z.ZodType<{ price: number; fix: string }> = z.object({
    price: z.number().transform((euros) => euros * 100),
    fix: z.string(),
  });
  const definition: WorkflowDefinition = {
    ...flow({
      first: { input: (context) => z.object({ price: z.number() }).parse(context.details).price },
      fix: { after: ['first'], onFault: 'hold' },
    }),
    details: inCents,
  };
  const known = { definition, details: inCents.parse({ price: 5, fix: 'x' }) };
  const { record } = submit(definition);
  const stopped = play({ record, known }, [0, claim()], [5, ok('first')], [6, no('fix')]);
  const decision = resubmit(stopped, { fix: 'y' });
  if (decision.kind === 'ignored') throw new Error(decision.reason);
  expect(correctedDetails(known.details, decision.record.history)).toEqual({
    price: 500,
    fix: 'y',
  });
});

it.each<readonly [string, Situation, Record<string, JsonValue>, string, string]>([
  [
    'a place that is not there',
    declined,
    { 'paiment.token': 't' },
    'paiment.token',
    'is not a field of the details',
  ],
  [
    'a place in a list that has fewer',
    declined,
    { 'lines.7': 1 },
    'lines.7',
    'is not a field of the details',
  ],
  ['a place within a text', declined, { 'sku.0': 'B' }, 'sku.0', 'is not a field of the details'],
  [
    'what the schema refuses',
    declined,
    { 'payment.token': 'x' },
    'payment.token',
    'must have at least',
  ],
  ['a field that the schema does not know', declined, { colour: 1 }, 'colour', 'is not known here'],
  ['a name that no object may have', declined, { __proto: 1 }, '__proto', 'is not known here'],
  [
    'what a completed step was given',
    declined,
    { 'lines.0.quantity': 5 },
    'step reserve',
    'is Completed with the previous values',
  ],
  [
    'what a step in doubt was asked with',
    play(reserved, [2_000, expire]),
    { 'payment.token': 'tok_2' },
    'step pay',
    'may have had an effect with the previous values',
  ],
  [
    'what a step was asked with that may have had an effect',
    play(reserved, [10, no('pay', 1, 'possible')]),
    { 'payment.token': 'tok_2' },
    'step pay',
    'may have had an effect with the previous values',
  ],
  [
    'more than a record may bear',
    declined,
    { 'payment.note': 'x'.repeat(limits.correctionsBytesMax) },
    'set',
    'exceeds the limit',
  ],
])('refuses %s', (_, from, set, field, message) => {
  expect(errorsOf(from, set)).toEqual([{ field, message: expect.stringContaining(message) }]);
});

it.each(['colour', 'payment.colour', 'constructor', '__proto__'])(
  'refuses %s, which the schema would leave out',
  (field) => {
    const { known } = declined;
    const plain: typeof details = z.object({
      sku: z.string(),
      payment: z.object({ token: z.string(), note: z.string().optional() }),
      lines: z.array(z.object({ quantity: z.int() })),
    });
    const from = {
      ...declined,
      known: { ...known, definition: { ...known.definition, details: plain } },
    };
    expect(errorsOf(from, Object.fromEntries([[field, 1]]))).toEqual([
      { field, message: expect.stringContaining('is not a field of them') },
    ]);
    expect(resubmit(from, { 'payment.note': 'by phone' }).kind).not.toBe('ignored');
  },
);

it('of a workflow that is not known here is refused', () => {
  const corrections = [{ field: 'payment.token', value: 'tok_2' }];
  const event = { type: 'resubmit', by: 'olga', corrections } as const;
  expect(decide(declined.record, event, null, epoch + 1_000)).toEqual({
    kind: 'ignored',
    reason: 'correction-refused',
    errors: [
      { field: 'set', message: 'cannot be applied: the workflow of the order is not known here' },
    ],
  });
});

it('may have the maximum size of all corrections together, and no more', () => {
  const field = 'payment.note';
  const around = JSON.stringify([{ field, value: '' }]).length;
  const note = 'x'.repeat(limits.correctionsBytesMax - around);
  expect(resubmit(declined, { [field]: note }).kind).not.toBe('ignored');
  expect(resubmit(declined, { [field]: `${note}x` }).kind).toBe('ignored');
});

/** Two parallel steps: one stops the order, and the details decide whether the other starts. */
function besides(other: StepSpec): Situation {
  const definition = flow({ stuck: { onFault: 'hold', completeWithin: 5_000 }, other });
  return submit(definition);
}
const n = ({ details }: { readonly details: JsonValue }) =>
  z.object({ n: z.number() }).parse(details).n;

it.each<readonly [string, Situation, string]>([
  [
    'is running',
    play(besides({ input: n }), [0, claim()], [5, no('stuck')]),
    'is Running with the previous values',
  ],
  [
    'is in doubt, and not yet tried again',
    play(besides({ input: n }), [0, claim()], [1_001, expire], [1_002, no('stuck')]),
    'may have had an effect with the previous values',
  ],
  [
    'was skipped, and would not be',
    play(besides({ when: (context) => n(context) > 1 }), [0, claim()], [5, no('stuck')]),
    'is Skipped with the previous values',
  ],
  [
    'is in doubt, and would be skipped',
    play(
      besides({ when: (context) => n(context) === 1 }),
      [0, claim()],
      [1_001, expire],
      [1_002, no('stuck')],
    ),
    'may have had an effect with the previous values',
  ],
  [
    'was done, and would be skipped',
    play(
      besides({ when: (context) => n(context) === 1 }),
      [0, claim()],
      [4, ok('other')],
      [5, no('stuck')],
    ),
    'is Completed with the previous values',
  ],
  [
    'was done, and its code does not bear the new details',
    play(
      besides({
        input(context) {
          if (n(context) > 1) throw new Error('too many');
          return null;
        },
      }),
      [0, claim()],
      [4, ok('other')],
      [5, no('stuck')],
    ),
    'is Completed with the previous values',
  ],
])('refuses what changes a step that %s', (_, from, message) => {
  expect(errorsOf(from, { n: 2 })).toEqual([
    { field: 'step other', message: expect.stringContaining(message) },
  ]);
});

it('may change the input of a step that did not start', () => {
  const other = { when: (context: { details: JsonValue }) => n(context) > 5, input: n };
  const from = play(besides(other), [0, claim()], [5, no('stuck')]);
  expect(resubmit(from, { n: 2 }).kind).not.toBe('ignored');
});

it('does not change the direction of an order that is being undone', () => {
  const from = shop();
  const stuck = play(
    { ...from, known: from.known },
    [0, claim()],
    [5, ok('reserve')],
    [6, { type: 'cancel', by: 'olga' }],
    [10, no('pay')],
    [20, undoNo('reserve')],
  );
  expect(stuck.record.processState).toBe('Error');
  expect(resubmit(stuck, { 'payment.token': 'tok_2' })).toEqual({
    kind: 'ignored',
    reason: 'already-undoing',
  });
});
