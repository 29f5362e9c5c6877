/** Sensitive values of an order are never shown. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { decide } from '#core/decide/decide.ts';
import { submitted } from '#core/decide/submit.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { checkMarks } from '#core/definition/registry.ts';
import { sensitivityOf } from '#core/definition/sensitive/sensitivity.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { agentName, orderId, schedulerId, stepName, writeId } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { redacted } from '#core/view/redacted.ts';
import { redaction } from '#core/view/redaction.ts';
import { claim, epoch, no, ok, play, resubmit, submit } from './support.ts';

const told = (ways: readonly (readonly string[])[]) => new Set(ways.map((way) => way.join('.')));
const secret = z.string().meta({ sensitive: true });
const hiding = z.object({ b: secret }).transform(({ b }) => ({ other: b }));

describe('sensitive are', () => {
  it.each<readonly [string, z.ZodType, unknown, readonly (readonly string[])[]]>([
    ['marked fields', z.object({ a: z.string(), b: secret }), { a: 'x', b: 'y' }, [['b']]],
    ['none, where nothing is marked', z.object({ a: z.string() }), { a: 'x' }, []],
    ['optional fields that are there', z.object({ b: secret.optional() }), { b: 'y' }, [['b']]],
    ['no optional fields that are not', z.object({ b: secret.optional() }), {}, []],
    ['no fields without a value', z.object({ b: secret.optional() }), { b: undefined }, []],
    [
      'what only the outcome of a transformation marks',
      z
        .string()
        .transform((text) => ({ a: text, b: text }))
        .pipe(z.object({ a: z.string(), b: secret })),
      { a: 'x', b: 'x' },
      [['b']],
    ],
    ['marks before a further check', z.object({ b: secret.min(1).max(9) }), { b: 'y' }, [['b']]],
    ['places of a list', z.array(z.object({ b: secret })), [{ b: 'y' }], [['0', 'b']]],
    ['places of a tuple', z.tuple([z.string(), secret]), ['x', 'y'], [['1']]],
    ['values of a dictionary', z.record(z.string(), secret), { k: 'y' }, [['k']]],
    [
      'what one of several forms marks',
      z.union([z.null(), z.object({ b: secret })]),
      { b: 'y' },
      [['b']],
    ],
    [
      'a whole object',
      z.object({ c: z.object({ a: z.string() }).meta({ sensitive: true }) }),
      { c: { a: 'x' } },
      [['c']],
    ],
    [
      'the whole, where a transformation hides what was marked',
      z.object({ b: secret }).transform((o) => [o.b]),
      ['y'],
      [[]],
    ],
    [
      'the part that a transformation hides, beside a mark that is still shown',
      z.object({ c: hiding, b: secret, d: z.string() }),
      { c: { other: 'y' }, b: 'y', d: 'x' },
      [['c'], ['b']],
    ],
    [
      'places of a list, of which a transformation hides some forms',
      z.array(hiding.or(secret)),
      [{ other: 'y' }],
      [['0']],
    ],
    [
      'a dictionary whose values a transformation hides',
      z.object({ r: z.record(z.string(), hiding), b: secret }),
      { r: { k: { other: 'y' } }, b: 'y' },
      [['r'], ['b']],
    ],
    [
      'what one of several forms hides',
      z.object({ c: z.union([hiding, z.object({ b: secret })]) }),
      { c: { other: 'y' } },
      [['c']],
    ],
    [
      'what a transformation hides in a schema that is used by its name',
      z.object({ c: hiding.meta({ id: 'hiding' }), b: secret.nullable() }),
      { c: { other: 'y' }, b: null },
      [['c'], ['b']],
    ],
    [
      'values of a dictionary of some keys',
      z.looseRecord(z.string().regex(/^x-/i), secret),
      { 'X-a': 'y' },
      [['X-a']],
    ],
    ...['payment/card', 'a~b', 'a~1b', 'a b%'].map(
      (id) =>
        [
          `fields of a schema with the id ${id}`,
          z.object({ c: z.object({ a: z.string(), b: secret }).meta({ id }) }),
          { c: { a: 'x', b: 'y' } },
          [['c', 'b']],
        ] as const,
    ),
  ])('%s', (_, schema, document, ways) => {
    expect(told(sensitivityOf(schema)(document))).toEqual(told(ways));
  });

  it('marks in a schema that holds itself', () => {
    const person = z.object({
      name: secret,
      get friend() {
        return person.optional();
      },
    });
    const ways = sensitivityOf(person)({ name: 'a', friend: { name: 'b' } });
    expect(told(ways)).toEqual(told([['name'], ['friend', 'name']]));
    const firm = z.object({ name: z.string(), boss: person });
    const boss = { name: 'a', friend: { name: 'b' } };
    const waysInFirm = sensitivityOf(firm)({ name: 'f', boss });
    expect(told(waysInFirm)).toEqual(
      told([
        ['boss', 'name'],
        ['boss', 'friend', 'name'],
      ]),
    );
  });
});

it('a schema that cannot be read is found where workflows are started or deployed', () => {
  const twice = z.object({
    a: z.string().meta({ id: 'same' }),
    b: z.string().meta({ id: 'same' }),
  });
  const once = twice.pick({ a: true }).extend({ b: z.string() });
  const workflowOf = (details: typeof once, input: typeof once, output: typeof once) =>
    defineWorkflow({ name: 'unread', version: 1, details })
      .step('one', {
        agent: defineAgent({ name: 'inert', undo: 'unneeded', input, output }),
        input: () => ({ a: '', b: '' }),
      })
      .build();
  const unread = [
    workflowOf(twice, once, once),
    workflowOf(once, twice, once),
    workflowOf(once, once, twice),
  ];
  for (const workflow of unread) {
    expect(() => checkMarks([sale, workflow])).toThrow(/Duplicate schema id "same"/);
  }
  expect(() => checkMarks([sale, workflowOf(once, once, once)])).not.toThrow();
});

const bank = defineAgent({
  name: 'bank',
  input: z.object({ card: z.string(), pin: secret }),
  output: z.object({ receipt: z.string(), code: secret }),
  undo: 'offered',
});
const sale = defineWorkflow({
  name: 'sale',
  version: 1,
  details: z.object({ card: secret, pin: z.string(), shop: z.string() }),
})
  .step('pay', {
    agent: bank,
    input: ({ details: { card, pin } }) => ({ card, pin }),
    onFault: 'hold',
  })
  .step('tell', {
    agent: bank,
    after: ['pay'],
    input: ({ outputs }) => ({ card: outputs.pay.receipt, pin: outputs.pay.code }),
  })
  .build();

const now = 1_700_000_000_000;
type Details = { readonly card: string; readonly pin: string; readonly shop: string };

/** A paid order, whose service quotes its input. */
function paid(details: Details): ProcessRecord {
  const id = orderId('o-1');
  const event = {
    type: 'submit',
    by: 'ada',
    orderId: id,
    priority: 'normal',
    tenant: null,
    replyTo: null,
    correlationId: null,
  } as const;
  const { record } = submitted(event, sale, now, writeId('w-1'));
  const known = { definition: sale, details };
  const claimed = decide(record, { type: 'claim', by: schedulerId('s') }, known, now);
  if (claimed.kind === 'ignored') throw new Error(claimed.reason);
  const output: JsonValue = { receipt: `for ${details.card}`, code: 'code-77' };
  const from = { step: stepName('pay'), attempt: 1, agent: agentName('bank') };
  const done = decide(claimed.record, { type: 'stepSucceeded', ...from, output }, known, now + 1);
  if (done.kind === 'ignored') throw new Error(done.reason);
  return done.record;
}

function shownOf(record: ProcessRecord, details: Details | null) {
  const shown = redaction(record, details && { definition: sale, details });
  return {
    details: shown.details,
    steps: record.steps.map((step) => ({ input: shown.input(step), output: shown.output(step) })),
    fault: shown.fault({
      code: 'declined',
      message: `card ${details?.card} says no`,
      effect: 'none',
    }),
  };
}

describe('an order is shown', () => {
  const details = { card: '4711-0815', pin: '0123', shop: 'corner' };

  it('without marked fields and without quotations of their values', () => {
    expect(shownOf(paid(details), details)).toEqual({
      // The workflow does not mark the pin; its agent does.
      details: { card: redacted, pin: redacted, shop: 'corner' },
      steps: [
        {
          input: { card: redacted, pin: redacted },
          output: { receipt: `for ${redacted}`, code: redacted },
        },
        { input: { card: `for ${redacted}`, pin: redacted }, output: null },
      ],
      fault: { code: 'declined', message: `card ${redacted} says no`, effect: 'none' },
    });
  });

  it('without the output of its last step, where a fault quotes it', () => {
    const known = { definition: sale, details };
    const output = { receipt: 'r-1', code: 'code-88' };
    const told = { ...ok('tell', 1, output), agent: agentName('bank') };
    const at = now - epoch + 2;
    const { record } = play({ record: paid(details), known }, [at, told]);
    const fault = { code: 'code-88', message: 'code-88 is no code', effect: 'none' } as const;
    expect(redaction(record, known).fault(fault)).toEqual({
      code: '[redacted]',
      message: '[redacted] is no code',
      effect: 'none',
    });
  });

  it('without the old and new values of corrections', () => {
    const known = { definition: sale, details };
    const from = { ...submit(sale), known };
    const refused = (attempt: number) => ({ ...no('pay', attempt), agent: agentName('bank') });
    const correct = (value: string) => ({
      ...resubmit,
      corrections: [{ field: 'card', value }],
    });
    const { record } = play(
      from,
      [0, claim()],
      [1, refused(1)],
      [2, correct('second-card')],
      [3, claim()],
      [4, refused(2)],
      [5, correct('third-card')],
    );
    const message = `${details.card}, second-card, third-card`;
    const fault = { code: 'declined', message, effect: 'none' } as const;
    expect(redaction(record, known).fault(fault).message).toBe(
      '[redacted], [redacted], [redacted]',
    );
  });

  it('with nothing of a step that its workflow does not have', () => {
    const shown = redaction(paid(details), { definition: sale, details });
    const [pay] = paid(details).steps;
    if (pay === undefined) throw new Error('the order has steps');
    const other = { ...pay, name: stepName('other') };
    expect([shown.input(other), shown.output(other)]).toEqual([null, redacted]);
  });

  it('with nothing of its documents where its workflow is not known', () => {
    expect(shownOf(paid(details), null)).toEqual({
      details: redacted,
      steps: [
        { input: redacted, output: redacted },
        { input: redacted, output: null },
      ],
      fault: { code: 'declined', message: redacted, effect: 'none' },
    });
  });

  it('without any marked value of four characters or more', () => {
    const text = fc
      .string({ minLength: 4, maxLength: 20 })
      .filter((value) => !redacted.includes(value));
    fc.assert(
      fc.property(text, text, (card, pin) => {
        const document = { card, pin, shop: 'corner' };
        const shown = textsOf(shownOf(paid(document), document));
        for (const told of shown) {
          const left = told.replaceAll(redacted, '');
          expect(left === 'corner' || !left.includes(card)).toBe(true);
        }
      }),
    );
  });
});

describe('a marked value', () => {
  const vault = defineWorkflow({
    name: 'vault',
    version: 1,
    details: z.object({
      pin: z.number().meta({ sensitive: true }),
      words: z.array(z.object({ at: z.int(), word: secret })),
      box: z
        .object({ left: z.string(), right: z.array(z.number()), open: z.boolean(), gap: z.null() })
        .meta({ sensitive: true }),
      none: secret.nullable(),
      told: z.json(),
    }),
  })
    .step('open', {
      agent: bank,
      input() {
        throw new Error('this workflow was never tried');
      },
    })
    .build();
  const details = (words: readonly string[], toldToAll: JsonValue) => ({
    pin: 998_877,
    words: words.map((word, at) => ({ at, word })),
    box: { left: 'in the box', right: [123_456], open: true, gap: null },
    none: null,
    told: toldToAll,
  });
  const shownDetails = (words: readonly string[], toldToAll: JsonValue) => {
    const known = { definition: vault, details: details(words, toldToAll) };
    return redaction(submit(vault).record, known).details;
  };

  it('is replaced, and an empty one stays empty', () => {
    expect(shownDetails(['abcd', 'xyz'], null)).toEqual({
      pin: redacted,
      words: [
        { at: 0, word: redacted },
        { at: 1, word: redacted },
      ],
      box: redacted,
      none: null,
      told: null,
    });
  });

  it.each<readonly [string, JsonValue, JsonValue]>([
    ['a text', 'it is abcd!', 'it is [redacted]!'],
    ['a number', 998_877, '[redacted]'],
    ['a number within a text', 'pin 998877', 'pin [redacted]'],
    ['a number that holds it', 9_988_770, 9_988_770],
    ['a part of what is marked as a whole', ['in the box', 123_456], ['[redacted]', '[redacted]']],
    ['anything deep within', { a: [{ b: 'abcd' }] }, { a: [{ b: '[redacted]' }] }],
    ['the longer of two first', 'abcdef', '[redacted]'],
    ['nothing shorter than four characters', 'xyz', 'xyz'],
    ['no flag', true, true],
    ['no part of the mark itself', 'abcd was acted upon', '[redacted] was acted upon'],
  ])('is replaced elsewhere: %s', (_, toldToAll, shown) => {
    const words = ['abcd', 'abcdef', 'xyz', 'acted'];
    expect(shownDetails(words, toldToAll)).toMatchObject({ told: shown });
  });

  it('does not keep an order from being shown whose workflow fails', () => {
    const { record } = submit(vault);
    const [open] = record.steps;
    if (open === undefined) throw new Error('the order has a step');
    const known = { definition: vault, details: details([], null) };
    expect(redaction(record, known).input(open)).toBeNull();
  });
});

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
