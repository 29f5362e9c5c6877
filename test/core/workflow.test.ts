/** Building a workflow: what the builder makes of its options. */
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { JsonValue } from '#core/model/json.ts';

const stock = defineAgent({
  name: 'stock',
  input: z.object({ sku: z.string() }),
  output: z.object({ reserved: z.number() }),
  undo: 'offered',
});
const mail = defineAgent({ name: 'mail', input: z.string(), output: z.null() });
const begin = () =>
  defineWorkflow({ name: 'shop', version: 3, details: z.object({ sku: z.string() }) });

describe('defineAgent', () => {
  it('keeps what it is given', () => {
    expect(stock).toMatchObject({ name: 'stock', undo: 'offered' });
    expect(stock.input.parse({ sku: 'x' })).toEqual({ sku: 'x' });
    expect(stock.output.parse({ reserved: 1 })).toEqual({ reserved: 1 });
  });

  it('offers no undo where none is said', () => {
    expect(mail.undo).toBe('impossible');
  });

  it('refuses a name of another form', () => {
    expect(() => defineAgent({ name: 'Stock!', input: z.null(), output: z.null() })).toThrow(
      '"Stock!" is not an agent name',
    );
  });
});

describe('defineWorkflow', () => {
  it('applies the defaults of steps', () => {
    const { steps } = begin()
      .step('reserve', { agent: stock, input: ({ details }) => ({ sku: details.sku }) })
      .build();
    expect(steps).toEqual([
      {
        name: 'reserve',
        agent: 'stock',
        undo: 'offered',
        output: steps[0]?.output,
        outputBytesMax: 8_192,
        sensitive: steps[0]?.sensitive,
        after: [],
        policy: {
          completeWithinMs: 30_000,
          maxDurationMs: 30_000,
          retries: 3,
          coolDownMs: 100,
          coolDownTimes: 0,
          onFault: 'undo',
          onExhausted: 'undo',
          irreversible: false,
        },
        input: steps[0]?.input,
        when: null,
      },
    ]);
  });

  it('takes every option of a step', () => {
    const when = vi.fn(() => true);
    const { steps } = begin()
      .step('reserve', { agent: stock, input: ({ details }) => ({ sku: details.sku }) })
      .step('notify', {
        agent: mail,
        after: ['reserve'],
        input: ({ outputs }) => `reserved ${outputs.reserve.reserved}`,
        when,
        completeWithin: 2_000,
        maxDuration: 9_000,
        retries: 7,
        coolDown: { after: 5_000, times: 2, factor: 1.5, max: 60_000 },
        holdMax: 60_000,
        onFault: 'hold',
        onExhausted: 'hold',
        irreversible: true,
      })
      .build();
    expect(steps[1]).toMatchObject({
      agent: 'mail',
      undo: 'impossible',
      after: ['reserve'],
      policy: {
        completeWithinMs: 2_000,
        maxDurationMs: 9_000,
        retries: 7,
        coolDownMs: 5_000,
        coolDownTimes: 2,
        coolDownFactor: 1.5,
        coolDownMaxMs: 60_000,
        holdMaxMs: 60_000,
        onFault: 'hold',
        onExhausted: 'hold',
        irreversible: true,
      },
    });
    const context = { orderId: 'o', details: {}, outputs: { reserve: { reserved: 4 } } };
    expect(steps[1]?.input(context)).toBe('reserved 4');
    expect(steps[1]?.when?.(context)).toBe(true);
    expect(when).toHaveBeenCalledExactlyOnceWith(context);
  });

  it('lets an attempt last as long as its deadline where no duration is said', () => {
    const { steps } = begin()
      .step('a', { agent: stock, input: ({ details }) => details, completeWithin: 700 })
      .build();
    expect(steps[0]?.policy).toMatchObject({ completeWithinMs: 700, maxDurationMs: 700 });
  });

  it('takes the deadline of its orders, after which they are held', () => {
    const options = { name: 'fulfil', version: 1, details: z.object({ sku: z.string() }) };
    const limited = (more: { completeWithin?: number; onLate?: 'undo' }) =>
      defineWorkflow({ ...options, ...more })
        .step('a', { agent: stock, input: ({ details }) => details })
        .build();
    expect(limited({}).deadline).toBeUndefined();
    expect(limited({ completeWithin: 5_000 }).deadline).toEqual({
      completeWithinMs: 5_000,
      onLate: 'hold',
    });
    expect(limited({ completeWithin: 5_000, onLate: 'undo' }).deadline?.onLate).toBe('undo');
  });

  it('takes every option of an undo', () => {
    const coolDown = { after: 5_000, times: 200, factor: 2, max: 60_000 };
    const { steps } = begin()
      .step('a', {
        agent: stock,
        input: ({ details }) => details,
        undo: { completeWithin: 2_000, maxDuration: 9_000, retries: 0, coolDown },
      })
      .build();
    expect(steps[0]?.policy.undo).toEqual({
      ...{ completeWithinMs: 2_000, maxDurationMs: 9_000, retries: 0 },
      ...{ coolDownMs: 5_000, coolDownTimes: 200, coolDownFactor: 2, coolDownMaxMs: 60_000 },
    });
  });

  it('has no policy for what is the default anyway', () => {
    const coolDown = { after: 100, times: 2 };
    const options = { agent: mail, input: () => 'hello', irreversible: true, coolDown } as const;
    const { steps } = begin()
      .step('a', options)
      .step('b', {
        ...options,
        holdMax: 24 * 3_600_000,
        coolDown: { ...coolDown, factor: 1, max: 7 * 24 * 3_600_000 },
      })
      .build();
    expect(steps[1]?.policy).toStrictEqual(steps[0]?.policy);
    expect(Object.keys(steps[0]?.policy ?? {})).toHaveLength(8);
  });

  it('holds an exhausted step that is irreversible', () => {
    const { steps } = begin()
      .step('notify', { agent: mail, input: () => 'hello', irreversible: true })
      .build();
    expect(steps[0]?.policy.onExhausted).toBe('hold');
  });

  it('accepts only storable details and outputs, even when the schemas accept others', () => {
    const lax = defineAgent({ name: 'lax', input: z.null(), output: z.json(), undo: 'unneeded' });
    const parsed = z.string().transform((text): JsonValue => JSON.parse(text));
    const { details, steps } = defineWorkflow({ name: 'lax', version: 1, details: parsed })
      .step('a', { agent: lax, input: () => null })
      .build();
    const output = steps[0]?.output;
    const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    for (const text of ['1', '[-0.5,null]', '{"a":{"b":"c"}}', deep(64)]) {
      expect(output?.parse(JSON.parse(text))).toEqual(JSON.parse(text));
      expect(details.parse(text)).toEqual(JSON.parse(text));
    }
    for (const [text, message] of [
      ['1e400', 'is not a finite number'],
      [deep(65), 'nests deeper than 64 levels'],
      [deep(20_000), 'nests deeper than 64 levels'],
    ] as const) {
      expect(output?.safeParse(JSON.parse(text)).error?.issues).toMatchObject([{ message }]);
      expect(details.safeParse(text).error?.issues).toMatchObject([{ message }]);
    }
  });

  it('refuses details with a key that schemas drop without a word, and keeps it in outputs', () => {
    const lax = defineAgent({ name: 'lax', input: z.null(), output: z.any(), undo: 'unneeded' });
    const { details, steps } = defineWorkflow({ name: 'lax', version: 1, details: z.any() })
      .step('a', { agent: lax, input: () => null })
      .build();
    const document: unknown = JSON.parse('{"a":[{"__proto__":{"x":1}}]}');
    expect(details.safeParse(document).error?.issues).toMatchObject([
      { path: ['a', '0', '__proto__'], message: 'is a name that cannot be stored; choose another' },
    ]);
    expect(JSON.stringify(steps[0]?.output.parse(document))).toBe(JSON.stringify(document));
  });

  it.each([
    [{ a: ['x', '\ud800'] }, ['a', '1'], 'has a lone surrogate, which is not valid Unicode'],
    [
      { a: { '\udc00': 1 } },
      ['a', '\udc00'],
      'has a lone surrogate in its name, which is not valid Unicode',
    ],
  ])('refuses details that are no Unicode, as the API does: %j', (document, path, message) => {
    const lax = defineAgent({ name: 'lax', input: z.null(), output: z.any(), undo: 'unneeded' });
    const { details } = defineWorkflow({ name: 'lax', version: 1, details: z.any() })
      .step('a', { agent: lax, input: () => null })
      .build();
    expect(details.safeParse(document).error?.issues).toMatchObject([{ path, message }]);
    expect(details.safeParse({ '😀': '😀' }).success).toBe(true);
  });

  it('names the workflow and keeps its schema', () => {
    const built = begin()
      .step('a', { agent: stock, input: ({ details }) => details })
      .build();
    expect(built).toMatchObject({ name: 'shop', version: 3 });
    expect(built.details.safeParse({ sku: 1 }).success).toBe(false);
  });

  it('is done with a workflow once it is built', () => {
    const builder = begin().step('a', { agent: stock, input: ({ details }) => details });
    const built = builder.build();
    builder.step('b', { agent: stock, input: ({ details }) => details });
    expect(built.steps).toHaveLength(1);
    expect(Object.isFrozen(built.steps)).toBe(true);
  });

  it('refuses names of another form', () => {
    const details = z.null();
    expect(() => defineWorkflow({ name: 'The Shop', version: 1, details })).toThrow(
      '"The Shop" is not a workflow name',
    );
    expect(() => begin().step('a b', { agent: mail, input: () => '' })).toThrow(
      '"a b" is not a step name',
    );
  });
});
