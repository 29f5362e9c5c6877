/**
 * What must not compile. Each `@ts-expect-error` is a test: tsc fails where the line below it
 * compiles after all. At run time the definitions are only built as far as they can be.
 */
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow, type WorkflowBuilder } from '#core/definition/workflow.ts';

const stock = defineAgent({
  name: 'stock',
  input: z.object({ sku: z.string() }),
  output: z.object({ reserved: z.number() }),
  undo: 'offered',
});
const payment = defineAgent({
  name: 'payment',
  input: z.object({ amount: z.number() }),
  output: z.object({ receipt: z.string() }),
  undo: 'offered',
});
const mail = defineAgent({
  name: 'mail',
  input: z.string(),
  output: z.null(),
  undo: 'unneeded',
});

const begin = () =>
  defineWorkflow({
    name: 'shop',
    version: 1,
    details: z.object({ sku: z.string(), amount: z.number() }),
  }).step('reserve', { agent: stock, input: ({ details }) => ({ sku: details.sku }) });

describe('literals in the input of a step', () => {
  const parcel = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('box'), size: z.tuple([z.int(), z.int()]) }),
    z.object({ kind: z.literal('letter'), stamps: z.array(z.enum(['A', 'B'])) }),
  ]);
  const post = defineAgent({
    name: 'post',
    input: z.object({ parcel, to: z.enum(['door', 'shop']), notes: z.json() }),
    output: z.null(),
    undo: 'unneeded',
  });
  const sending = () =>
    defineWorkflow({ name: 'send', version: 1, details: z.object({ tags: z.array(z.string()) }) });

  it('are enumerated texts, literals, tuples, unions and lists as they are written', () => {
    const built = sending()
      .step('box', {
        agent: post,
        input: ({ details: { tags } }) => ({
          parcel: { kind: 'box', size: [1, 2] },
          to: tags.length > 1 ? 'door' : 'shop',
          notes: { tags, lists: [1, ['x', null]] },
        }),
      })
      .step('letter', {
        agent: post,
        after: ['box'],
        input: ({ details: { tags } }) => ({
          parcel: { kind: 'letter', stamps: ['A', tags.includes('b') ? 'B' : 'A'] },
          to: 'door',
          notes: tags,
        }),
      })
      .build();
    expect(built.steps).toHaveLength(2);
  });

  it('do not compile where the agent takes others', () => {
    sending().step('box', {
      agent: post,
      input: () => ({
        parcel: { kind: 'box', size: [1, 2] },
        // @ts-expect-error -- it is no place
        to: 'roof',
        notes: null,
      }),
    });
    sending().step('box', {
      agent: post,
      input: () => ({
        // @ts-expect-error -- a size has two numbers
        parcel: { kind: 'box', size: [1] },
        to: 'door',
        notes: null,
      }),
    });
    sending().step('box', {
      agent: post,
      // @ts-expect-error -- the notes are missing
      input: () => ({ parcel: { kind: 'letter', stamps: [] }, to: 'door' }),
    });
    expect(post.name).toBe('post');
  });
});

describe('what a step sees', () => {
  it('is the details, and the outputs of exactly the steps it comes after', () => {
    const built = begin()
      .step('pay', {
        agent: payment,
        after: ['reserve'],
        input: ({ orderId, details, outputs }) => {
          expectTypeOf(orderId).toEqualTypeOf<string>();
          expectTypeOf(details).toEqualTypeOf<{ sku: string; amount: number }>();
          expectTypeOf(outputs.reserve).toEqualTypeOf<{ reserved: number }>();
          return { amount: details.amount * outputs.reserve.reserved };
        },
      })
      .step('tell', {
        agent: mail,
        after: ['reserve', 'pay'],
        input: ({ outputs }) => `${outputs.reserve.reserved} ${outputs.pay.receipt}`,
      })
      .build();
    expect(built.steps.map(({ name }) => name)).toEqual(['reserve', 'pay', 'tell']);
  });

  it('is nothing of a step that it does not come after', () => {
    const built = begin()
      .step('pay', { agent: payment, input: ({ details }) => details })
      .step('tell', {
        agent: mail,
        after: ['pay'],
        // @ts-expect-error -- reserve is not in `after`
        input: ({ outputs }) => `${outputs.reserve}`,
      })
      .build();
    expect(built.steps).toHaveLength(3);
  });

  it('is nothing at all where it comes after nothing', () => {
    const built = begin()
      .step('pay', {
        agent: payment,
        // @ts-expect-error -- there is no `after`
        input: ({ outputs }) => ({ amount: outputs.reserve.reserved }),
      })
      .build();
    expect(built.steps).toHaveLength(2);
  });

  it('is possibly undefined where the step before may be skipped', () => {
    const built = begin()
      .step('pay', {
        agent: payment,
        after: ['reserve'],
        when: ({ details, outputs }) => outputs.reserve.reserved > 0 && details.amount > 0,
        input: ({ details }) => ({ amount: details.amount }),
      })
      .step('tell', {
        agent: mail,
        after: ['pay'],
        input: ({ outputs }) => {
          expectTypeOf(outputs.pay).toEqualTypeOf<{ receipt: string } | undefined>();
          return outputs.pay?.receipt ?? 'nothing to pay';
        },
      })
      .step('tell-again', {
        agent: mail,
        after: ['pay'],
        // @ts-expect-error -- pay may be skipped
        input: ({ outputs }) => outputs.pay.receipt,
      })
      .build();
    expect(built.steps).toHaveLength(4);
  });

  it('is the same for its `when`', () => {
    const built = begin()
      .step('tell', {
        agent: mail,
        input: () => 'hello',
        // @ts-expect-error -- reserve is not in `after`
        when: ({ outputs }) => outputs.reserve.reserved > 0,
      })
      .build();
    expect(built.steps).toHaveLength(2);
  });

  it('cannot be changed', () => {
    begin().step('pay', {
      agent: payment,
      after: ['reserve'],
      input: (context) => {
        // @ts-expect-error -- outputs are read, not written
        context.outputs.reserve = { reserved: 0 };
        return { amount: 1 };
      },
    });
    expect(payment.name).toBe('payment');
  });
});

describe('what a step may come after', () => {
  it('is a step that is there', () => {
    const builder = begin().step('pay', {
      agent: payment,
      // @ts-expect-error -- there is no step of that name
      after: ['reserv'],
      input: ({ details }) => details,
    });
    expect(() => builder.build()).toThrow(
      'comes after reserv, which is not a step of the workflow',
    );
  });

  it('is a step defined before it, so a cycle cannot be written', () => {
    const builder = begin()
      .step('pay', {
        agent: payment,
        // @ts-expect-error -- tell is defined later
        after: ['tell'],
        input: ({ details }) => details,
      })
      .step('tell', { agent: mail, after: ['pay'], input: () => 'hello' });
    expect(() => builder.build()).toThrow('comes after itself');
  });

  it('is not itself', () => {
    const builder = begin().step('pay', {
      agent: payment,
      // @ts-expect-error -- a step does not come after itself
      after: ['pay'],
      input: ({ details }) => details,
    });
    expect(() => builder.build()).toThrow('comes after itself');
  });
});

describe('a name', () => {
  it('is that of one step', () => {
    const builder = begin()
      .step('tell', { agent: mail, when: () => true, input: () => 'hello' })
      // @ts-expect-error -- there is a step of that name
      .step('reserve', { agent: stock, input: ({ details }) => ({ sku: details.sku }) });
    expect(() => builder.build()).toThrow('is defined twice');
    const conditional = begin()
      .step('tell', { agent: mail, when: () => true, input: () => 'hello' })
      // @ts-expect-error -- also of one that may be skipped
      .step('tell', { agent: mail, input: () => 'hello' });
    expect(() => conditional.build()).toThrow('is defined twice');
  });

  it('may be computed', () => {
    type Messages = WorkflowBuilder<null, Record<string, null>>;
    const empty: Messages = defineWorkflow({ name: 'news', version: 1, details: z.null() });
    const names: readonly string[] = ['first', 'second', 'third'];
    const built = names
      .reduce<Messages>((all, name) => all.step(name, { agent: mail, input: () => 'hello' }), empty)
      .build();
    expect(built.steps).toHaveLength(3);
  });

  it('is listed once in `after`', () => {
    const builder = begin()
      .step('pay', { agent: payment, after: ['reserve'], input: ({ details }) => details })
      .step('tell', {
        agent: mail,
        // @ts-expect-error -- reserve is listed twice
        after: ['reserve', 'pay', 'reserve'],
        input: () => 'hello',
      });
    expect(() => builder.build()).toThrow('lists reserve twice');
    const all: 'reserve'[] = ['reserve'];
    expect(
      begin()
        .step('tell', { agent: mail, after: all, input: ({ outputs }) => `${outputs.reserve}` })
        .build().steps,
    ).toHaveLength(2);
  });
});

describe('what a step asks its agent', () => {
  it('is what the agent takes', () => {
    begin()
      // @ts-expect-error -- payment takes an amount
      .step('pay', { agent: payment, input: ({ details }) => ({ sku: details.sku }) });
    begin()
      // @ts-expect-error -- an amount is a number
      .step('pay', { agent: payment, input: ({ details }) => ({ amount: details.sku }) });
    begin()
      // @ts-expect-error -- mail takes a string
      .step('tell', { agent: mail, input: () => null });
    expect(mail.name).toBe('mail');
  });

  it('is JSON', () => {
    defineAgent({
      name: 'clock',
      // @ts-expect-error -- a Date is no JSON
      input: z.date(),
      output: z.null(),
    });
    defineAgent({
      name: 'clock',
      input: z.null(),
      // @ts-expect-error -- a bigint is no JSON
      output: z.bigint(),
    });
    expect(mail.name).toBe('mail');
  });

  it('has details that are JSON', () => {
    // @ts-expect-error -- a Map is no JSON
    defineWorkflow({ name: 'shop', version: 1, details: z.map(z.string(), z.string()) });
    expect(mail.name).toBe('mail');
  });
});

describe('the policies of a step', () => {
  it('are words that Reeve knows', () => {
    expect(() =>
      // @ts-expect-error -- hold or undo
      begin().step('tell', { agent: mail, input: () => '', onFault: 'retry' }),
    ).toThrow('`onFault` must be one of hold, undo');
    expect(() =>
      // @ts-expect-error -- both, or no cool-down
      begin().step('tell', { agent: mail, input: () => '', coolDown: { after: 100 } }),
    ).toThrow('`coolDown.times` is missing');
  });
});
