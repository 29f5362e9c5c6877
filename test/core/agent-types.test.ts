/** What must not compile of the code of an agent: see workflow-types.test.ts. */
import { expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { type AgentContract, defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { type AgentCode, implementAgent } from '#ports/agent-implementation.ts';

const schemas = { input: z.object({ cents: z.int() }), output: z.object({ id: z.string() }) };
const offered = defineAgent({ name: 'payment', ...schemas, undo: 'offered' });
const unneeded = defineAgent({ name: 'score', ...schemas, undo: 'unneeded' });
const impossible = defineAgent({ name: 'mail', ...schemas });
const perform = async () => ({ id: 'one' });

it('code without the undo that its contract offers does not compile', () => {
  // @ts-expect-error -- it has no undo
  implementAgent(offered, { perform });
  // @ts-expect-error -- it has none in each case
  implementAgent(offered, { perform, ...(schemas.input.type === 'object' && { async undo() {} }) });
  expect(offered.undo).toBe('offered');
});

it('code with an undo that its contract does not offer does not compile', () => {
  // @ts-expect-error -- its contract says that an undo is unneeded
  implementAgent(unneeded, { perform, async undo() {} });
  expect(unneeded.undo).toBe('unneeded');
});

it('the types of input, output and call are those of the contract', () => {
  const agent = implementAgent(offered, {
    concurrency: 3,
    async perform({ cents }, call) {
      expectTypeOf(cents).toEqualTypeOf<number>();
      expectTypeOf(call.signal).toEqualTypeOf<AbortSignal>();
      return { id: `${cents}` };
    },
    async undo({ performKey, output }, { heartbeat }) {
      expectTypeOf(performKey).toExtend<string>();
      expectTypeOf(output).toEqualTypeOf<{ id: string } | null>();
      expectTypeOf(heartbeat).toEqualTypeOf<() => void>();
    },
  });
  expectTypeOf(agent.contract.undo).toEqualTypeOf<'offered' | 'unneeded' | 'impossible'>();
  expect(implementAgent(unneeded, { perform }).undo).toBeUndefined();
  expect(implementAgent(impossible, { perform }).undo).toBeUndefined();
  // @ts-expect-error -- its output has an id
  implementAgent(unneeded, { perform: async () => ({ no: 'one' }) });
});

it('literals in an output are enumerated texts, tuples and unions as they are written', () => {
  const checked = defineAgent({
    ...{ name: 'check', input: z.int(), undo: 'unneeded' },
    output: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('good'), range: z.tuple([z.int(), z.int()]) }),
      z.object({ kind: z.literal('bad'), reasons: z.array(z.enum(['size', 'age'])) }),
    ]),
  });
  implementAgent(checked, {
    async perform(score) {
      if (score > 3) return { kind: 'good', range: [score, 9] };
      return { kind: 'bad', reasons: ['age'] };
    },
  });
  implementAgent(checked, {
    perform: async (score) =>
      score > 3 ? { kind: 'good', range: [0, 1] } : { kind: 'bad', reasons: [] },
  });
  // @ts-expect-error -- there is no such kind
  implementAgent(checked, { perform: async () => ({ kind: 'ugly', reasons: [] }) });
  // @ts-expect-error -- and no such reason
  implementAgent(checked, { perform: async () => ({ kind: 'bad', reasons: ['taste'] }) });
  expect(checked.undo).toBe('unneeded');
});

it('the members of a pool are implemented as it says', () => {
  const pool = definePool({
    ...{ name: 'pay', ...schemas, members: { north: {}, south: {} } },
    undo: 'offered',
  });
  implementAgent(pool.member('north'), { perform, async undo() {} });
  // @ts-expect-error -- it has no undo
  implementAgent(pool.member('north'), { perform });
  expect(pool.undo).toBe('offered');
});

it('where the contract is of any kind, so is the code', () => {
  type Input = { cents: number };
  type Output = { id: string };
  const wrapped = (contract: AgentContract<Input, Output>, code: AgentCode<Input, Output>) =>
    implementAgent(contract, code);
  expect(wrapped(offered, { perform, async undo() {} }).undo).toBeDefined();
  expect(wrapped(unneeded, { perform }).undo).toBeUndefined();
});

it('a schema that does not accept what it returns does not compile', () => {
  const { input, output } = schemas;
  const changed = z.object({ at: z.string().transform((at) => at.length) });
  // @ts-expect-error -- it accepts a text and returns a number
  defineAgent({ name: 'payment', input: changed, output });
  // @ts-expect-error -- the agent would return a boolean, which the Scheduler refuses
  defineAgent({ name: 'payment', input, output: z.stringbool() });
  // @ts-expect-error -- as for a single agent
  definePool({ name: 'pay', input: changed, output, members: { north: {} } });
  // @ts-expect-error -- as for the input
  definePool({ name: 'pay', input, output: changed, members: { north: {} } });
  // @ts-expect-error -- with stated types too
  defineAgent<{ at: number }, { id: string }>({ name: 'payment', input: changed, output });
  expect(changed.safeParse({ at: 2 }).success).toBe(false);
});

it('defaults, coercion and transformations within a type compile, and the types are those of the result', () => {
  const accepting = defineAgent({
    name: 'payment',
    input: z.object({ cents: z.coerce.number(), currency: z.string().default('EUR') }),
    output: z.object({ id: z.string().trim().toUpperCase(), at: z.string().optional() }),
    undo: 'unneeded',
  });
  implementAgent(accepting, {
    async perform({ cents, currency }) {
      expectTypeOf(cents).toEqualTypeOf<number>();
      expectTypeOf(currency).toEqualTypeOf<string>();
      return { id: `${cents}` };
    },
  });
  expect(accepting.input.parse({ cents: '3' })).toEqual({ cents: 3, currency: 'EUR' });
});
